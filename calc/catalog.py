"""The catalogue: models, accelerators, links and the sources of their numbers, as records of sourced quantities.

`MODELS["llama-3.1-8b"].layers` is a traced quantity that knows its source. A field that the tables do not hold raises
`MissingValue`, which names the nearest record that has it: nothing is ever guessed.
"""

import os
from collections.abc import Mapping

from calc.inputs import echo, hint, in_words, nearest
from calc.quantity import Q
from calc.units import PLAIN, parse, unit

FOLDER = os.path.join(os.path.dirname(__file__), "data")

# Field -> (symbol, words, display unit). Only for display; a field that is not listed prints its own name.
FIELDS = {
    "memory": ("C", "memory", "GB"), "memory_reported": ("C", "memory the driver reports", "GB"),
    "memory_bandwidth": ("β", "memory bandwidth", "TB/s"), "tdp": ("P_tdp", "rated power", "W"),
    "bandwidth": ("β", "bandwidth", "GB/s"), "latency": ("α", "latency", "us"),
    "layers": ("L", "layers", ""), "hidden": ("h", "width", ""), "vocab": ("V", "vocabulary", ""),
    "attention.heads": ("n_q", "query heads", ""), "attention.kv_heads": ("n_kv", "key/value heads", ""),
    "attention.head_dim": ("d", "head width", ""), "ffn.intermediate": ("f", "feed-forward width", ""),
    "attention.q_lora_rank": ("r_q", "query latent width", ""), "attention.kv_lora_rank": ("r_kv", "latent width", ""),
    "attention.qk_rope_head_dim": ("d_r", "rotary key width", ""), "attention.qk_nope_head_dim": ("d_n", "width of the rebuilt key", ""),
    "attention.v_head_dim": ("d_v", "value width", ""), "attention.indexer.heads": ("n_I", "index heads", ""),
    "attention.indexer.head_dim": ("d_I", "index key width", ""), "attention.indexer.top_k": ("K", "selected tokens", ""),
    "attention.csa_rate": ("r_f", "tokens per fine entry", ""), "attention.hca_rate": ("r_c", "tokens per coarse entry", ""),
    "attention.global.kv_heads": ("n_kv,g", "key/value heads of global layers", ""),
    "attention.global.head_dim": ("d_g", "head width of global layers", ""),
    "sliding_window": ("W", "window", "tokens"), "attention_chunk": ("W", "chunk", "tokens"),
    "linear_attention.key_heads": ("n_k", "key heads of the recurrence", ""),
    "linear_attention.value_heads": ("n_v", "value heads of the recurrence", ""),
    "linear_attention.key_dim": ("d_k", "key width of the recurrence", ""),
    "linear_attention.value_dim": ("d_v", "value width of the recurrence", ""),
    "linear_attention.conv": ("k_c", "convolution width", ""), "ssm.conv": ("k_c", "convolution width", ""),
    "ssm.heads": ("n_s", "heads of the recurrence", ""), "ssm.head_dim": ("d_s", "head width of the recurrence", ""),
    "ssm.state": ("N_s", "state width", ""), "ssm.groups": ("n_g", "groups of the recurrence", ""), "ssm.d_inner": ("h_i", "inner width", ""),
    "moe.experts": ("E", "experts per layer", ""), "moe.top_k": ("k", "experts per token", ""),
    "moe.expert_ffn": ("f_e", "expert width", ""), "moe.shared_ffn": ("f_s", "shared expert width", ""),
    "scale_up.per_direction": ("β_up", "scale-up bandwidth", "GB/s"),
    "vision.layers": ("L_v", "vision layers", ""), "vision.hidden": ("h_v", "vision width", ""),
    "vision.intermediate": ("f_v", "vision feed-forward width", ""), "vision.patch": ("p", "side of a patch in pixels", ""),
    "vision.merge": ("m", "patches per side of a token", ""), "vision.temporal_patch": ("p_t", "frames that share a grid", ""),
    "vision.channels": ("n_c", "colour channels", ""), "vision.deepstack": ("n_d", "further sets of features", ""),
}
PRECISIONS = {"bf16": "BF16", "fp16": "FP16", "fp32": "FP32", "tf32": "TF32", "fp8": "FP8", "fp4": "FP4", "int8": "INT8"}


class MissingValue(LookupError):
    """A record lacks a value that an estimate needs."""


class UnknownId(KeyError):
    """An id that a table does not have; the message names the nearest one."""

    def __init__(self, id, table):
        super().__init__(id)
        self.id, self.table = id, table

    def __str__(self):
        name = self.table.name
        return f"{name.removesuffix('s')}: unknown {echo(self.id)}; {hint(self.id, list(self.table), f'calc {name}')}"


class Record:
    """One row of the catalogue. Attributes are traced quantities for numbers, plain values for words and lists.

    `has(path)` says whether a field is there; `get(path)` is the value at a dotted path; `raw` is the bare table.
    """

    def __init__(self, id, raw, table, path="", own=False, name=""):
        self.id, self.raw, self.table, self.path, self.own = id, raw, table, path, own
        self.name = name or raw.get("name") or id
        self._made = {}

    def __getattr__(self, field):
        if field.startswith("__"):
            raise AttributeError(field)
        return self.get(field)

    def get(self, path):
        """The value at a dotted path such as "peak.bf16"; MissingValue when the tables do not hold it."""
        field, _, rest = path.partition(".")
        if field not in self._made:
            self._made[field] = self._make(field)
        value = self._made[field]
        if rest:
            if not isinstance(value, Record):
                raise self._missing(path)
            return value.get(rest)
        return value

    def _missing(self, field):
        full = f"{self.path}.{field}".lstrip(".")
        having = [i for i, other in self.table.items() if other.has(full)]
        near = f"; nearest that has it: {nearest(self.id, having)}" if having else ""
        return MissingValue(f"{self.id}: the catalogue has no {in_words(full)}{near}")

    def _make(self, field):
        value = self.raw.get(field)
        full = f"{self.path}.{field}".lstrip(".")
        if value is None:
            raise self._missing(field)
        if isinstance(value, dict):
            return Record(self.id, value, self.table, full, self.own, self.name)
        if isinstance(value, bool) or not (is_number(value) or is_sourced(value)):
            return value
        number, source, where = value if is_sourced(value) else (value, self._record_source(), full)
        words = FIELDS.get(full)
        if full.startswith("peak."):
            words = ("Π", f"{PRECISIONS.get(field, field)} peak", "TFLOP/s")
        symbol, name, shown = words or ("", full.replace("_", " ").replace(".", " "), "")
        own_unit = number.split(" ", 1)[1] if isinstance(number, str) else ""
        dim = unit(own_unit)[1] if own_unit else PLAIN
        base = parse(number) if isinstance(number, str) and not own_unit else parse(number, own_unit) if isinstance(number, str) else number
        return Q(base, dim, "leaf", symbol=symbol, name=f"{self.name} {name}", unit=own_unit if own_unit else shown,
                 source=source, where=where)

    def _record_source(self):
        return self.table[self.id].raw.get("source", "") if self.id in self.table else self.raw.get("source", "")

    def has(self, path):
        """Whether the value at a dotted path is in the tables ("peak.bf16"); "a|b" asks for either."""
        if "|" in path:
            return any(self.has(p) for p in path.split("|"))
        raw = self.raw
        for field in path.split("."):
            if not isinstance(raw, dict) or raw.get(field) is None:
                return False
            raw = raw[field]
        return True

    def __repr__(self):
        return f"<{self.id}{' ' + self.path if self.path else ''}>"


def is_number(value):
    """Whether a table's value is a bare number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_sourced(value):
    """Whether a table's value is `[value, source id, where in it]`."""
    if not isinstance(value, list) or len(value) not in (2, 3) or isinstance(value[0], list):
        return False
    number = isinstance(value[0], (int, float)) or (isinstance(value[0], str) and value[0][:1].isdigit())
    return number and not isinstance(value[0], bool) and isinstance(value[1], str) and (len(value) == 2 or isinstance(value[2], str))


def read(name):
    """A table of the package's data by name: JSON where the wheel carries it, else the TOML it is made from."""
    path = os.path.join(FOLDER, name)
    if os.path.exists(path + ".json"):
        import json

        with open(path + ".json", encoding="utf-8") as file:
            return json.load(file)
    import tomllib

    with open(path + ".toml", "rb") as file:
        return tomllib.load(file)


class Table(Mapping):
    """A table of records by id, read from the package's data when first used; a reader's own records can be added."""

    def __init__(self, name):
        self.name, self._rows = name, None

    def _records(self):
        if self._rows is None:
            self._rows = {i: Record(i, raw, self) for i, raw in read(self.name).items()}
        return self._rows

    def __getitem__(self, id):
        rows = self._records()
        found = rows.get(id) if isinstance(id, str) else None
        if found is None:
            found = rows.get(str(id).strip().lower())
        if found is None:
            raise UnknownId(id, self)
        return found

    def __iter__(self):
        return iter(self._records())

    def __len__(self):
        return len(self._records())

    def add(self, id, raw):
        """Add a reader's own record (validated by the caller) for this process; it is marked `own`."""
        self._records()[id] = Record(id, raw, self, own=True)
        return self._rows[id]


class Sources(Mapping):
    """The documents behind the numbers: id -> {"title", "publisher", "url", "kind", "read"}."""

    name = "sources"

    def __init__(self):
        self._rows = None

    def _table(self):
        if self._rows is None:
            self._rows = read("sources")
        return self._rows

    def __getitem__(self, id):
        found = self._table().get(str(id).strip().lower())
        if found is None:
            raise UnknownId(id, self)
        return found

    def __iter__(self):
        return iter(self._table())

    def __len__(self):
        return len(self._table())


MODELS = Table("models")
ACCELERATORS = Table("accelerators")
LINKS = Table("links")
WORKLOADS = Table("workloads")
SOURCES = Sources()
CATALOGUES = {"model": MODELS, "accelerator": ACCELERATORS, "link": LINKS, "workload": WORKLOADS}


def fields(record, raw=None, path=""):
    """{dotted field: {"value", "unit", "source", "where"}} of a record, as `models ID --format json` prints it."""
    found = {}
    for name, value in (record.raw if raw is None else raw).items():
        full = f"{path}.{name}".lstrip(".")
        if isinstance(value, dict):
            found.update(fields(record, value, full))
        elif is_sourced(value):
            number = value[0]
            amount, _, own_unit = number.partition(" ") if isinstance(number, str) else (number, "", "")
            amount = parse(amount) if isinstance(amount, str) else amount
            found[full] = {"value": amount, "unit": own_unit, "source": value[1], "where": value[2] if len(value) > 2 else ""}
        elif value is not None:
            found[full] = {"value": value, "unit": "", "source": record.raw.get("source", ""), "where": full}
    return found
