"""The catalogue: every number parses, has a source, is complete for its kind, and agrees with what is known independently of it."""

import importlib.util
import json
import math
import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from scripts.toml_writer import decimal, quantity, write

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "calc" / "data"
TABLES = {path.stem: tomllib.loads(path.read_text()) for path in sorted(DATA.glob("*.toml"))}
SOURCES, ACCELERATORS, MODELS, LINKS = (TABLES[name] for name in ("sources", "accelerators", "models", "links"))
COUNTS = json.loads((Path(__file__).parent / "model_counts.json").read_text())

# The comparer of the worked cases has a unit table of its own: an oracle for the units written here.
_spec = importlib.util.spec_from_file_location("check_cases", ROOT / "tests" / "tools" / "check_cases.py")
check_cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check_cases)

KINDS = {"vendor document", "quoted", "file read", "measurement", "press", "model constant", "arithmetic"}
ALWAYS_WITHOUT_ADDRESS = {"press", "measurement", "arithmetic", "file read", "quoted"}
BYTE, RATE, FLOP_RATE, SECOND = (("B", 1),), (("B", 1), ("s", -1)), (("FLOP", 1), ("s", -1)), (("s", 1),)
WATT, HERTZ, JOULE, PRICE, LENGTH, SPEED = (
    (("J", 1), ("s", -1)), (("s", -1),), (("J", 1),), (("$", 1), ("s", -1)), (("m", 1),), (("m", 1), ("s", -1)))
DIMENSION = {
    "memory": BYTE, "memory_reported": BYTE, "memory_bandwidth": RATE, "l2": BYTE, "compute_units": (), "clock": HERTZ, "tdp": WATT,
    "scale_up_domain": (), "nic": RATE, "peak": FLOP_RATE, "achieved_matmul": FLOP_RATE, "scale_up": RATE, "pcie": (),
    "bandwidth": RATE, "bandwidth_bidirectional": RATE, "latency": SECOND, "round_trip": SECOND, "round_trip_low": SECOND,
    "round_trip_high": SECOND, "round_trip_floor": SECOND, "speed": SPEED, "price": PRICE, "price_low": PRICE, "price_high": PRICE,
    "energy": JOULE, "energy_low": JOULE, "energy_high": JOULE, "total": (), "active": (),
}


def sourced(value):
    return isinstance(value, list) and len(value) == 3 and isinstance(value[1], str) and value[1] in SOURCES


def leaves(fields, path=()):
    for key, value in fields.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def numbers(table):
    """(record id, path, value, source, where) of every sourced number of a table."""
    for record, fields in TABLES[table].items():
        for path, value in leaves(fields):
            if sourced(value):
                yield record, path, *value


def si(value):
    return check_cases.quantity(value)[0]


def get(record, *path):
    for key in path:
        record = record.get(key, {})
    return si(record[0]) if record else None


def test_ids_are_slugs():
    """Every id is lower case letters, digits, dots and hyphens, and field names are attributes."""
    for table, records in TABLES.items():
        for record, fields in records.items():
            assert re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", record), (table, record)
            for path, _ in leaves(fields):
                assert all(re.fullmatch(r"[a-z][a-z0-9_]*", key) for key in path), (table, record, path)


def test_ids_are_unique_across_the_picks():
    """No id names two things among models, accelerators and links."""
    everything = [*MODELS, *ACCELERATORS, *LINKS]
    assert len(everything) == len(set(everything))


# Bands are worked out from the runs they list (tests/render/test_bands.py); the record itself names its document.
@pytest.mark.parametrize("table", sorted(set(TABLES) - {"sources", "bands"}))
def test_every_number_has_a_known_source(table):
    """A list that starts with a number is `[value, source, where]` with a source that sources.toml holds."""
    for record, fields in TABLES[table].items():
        for path, value in leaves(fields):
            first = value[0] if isinstance(value, list) and value else value
            looks = isinstance(first, (int, float)) or (isinstance(value, list) and isinstance(first, str) and first[:1].isdigit())
            if table != "models" or isinstance(value, list):
                if looks and not isinstance(first, bool):
                    assert sourced(value), (record, path, value)
                    assert isinstance(value[2], str)
        for key in ("source", "released_source", "compute_capability_source"):
            assert fields.get(key, "arithmetic") in SOURCES, (record, key)


@pytest.mark.parametrize("table", sorted(set(TABLES) - {"sources", "bands", "workloads", "fabric", "scaling"}))
def test_every_number_parses_with_the_dimension_of_its_field(table):
    """A value is a bare count or `NUMBER UNIT`, positive and finite, of the dimension its field promises."""
    seen = 0
    for record, path, value, _, _ in numbers(table):
        amount, dimension = check_cases.quantity(value)
        name = path[0] if path[0] in ("peak", "scale_up", "pcie", "achieved_matmul") else path[-1]
        if path[0] != "per_unit":
            assert dimension == DIMENSION[name], (record, path, value)
        assert math.isfinite(amount) and amount > 0, (record, path, value)
        seen += 1
    assert seen


@pytest.mark.parametrize("table", ["workloads", "fabric", "scaling"])
def test_measured_tables_parse(table):
    """Every number of the measured tables is a count or a quantity in a known unit."""
    found = [check_cases.quantity(value)[0] for _, _, value, _, _ in numbers(table)]
    assert found and all(map(math.isfinite, found))


def test_nothing_rests_on_memory():
    """No source, value or note rests on somebody's memory instead of a document."""
    assert "memory" not in SOURCES
    for path in DATA.glob("*.toml"):
        assert not re.search(r"\(memory|from memory|unverified|, memory\)", path.read_text()), path.name


def test_sources_are_complete_and_used():
    """A source says what it is, who made it and of which kind; a quoted one says where it was seen; none is idle."""
    used = set()
    for table, records in TABLES.items():
        if table != "sources":
            used |= {source for _, _, _, source, _ in numbers(table)}
            named = ("source", "released_source", "compute_capability_source")
            used |= {fields[key] for fields in records.values() for key in named if key in fields}
    for name, source in SOURCES.items():
        assert source["title"] and source["publisher"] and source["kind"] in KINDS, name
        assert set(source) <= {"title", "publisher", "kind", "url", "read", "quoted_in"}, name
        assert "quoted_in" in source or source["kind"] != "quoted" or name.startswith("ml-engineering"), name
        assert source.get("url", "https://").startswith("https://"), name
        assert "url" in source or source["kind"] in ALWAYS_WITHOUT_ADDRESS, name
        assert re.fullmatch(r"\d{4}-\d\d(-\d\d)?", source.get("read", "2026-01")), name
    assert used == set(SOURCES), sorted(used ^ set(SOURCES))


def test_accelerators_are_complete():
    """An accelerator has a name, a maker, a kind, a status, a memory (processors take modules) and its bandwidth."""
    for record, fields in ACCELERATORS.items():
        assert {"name", "vendor", "kind", "status", "memory_bandwidth"} <= set(fields), record
        assert "memory" in fields or fields["kind"] == "cpu", record
        assert fields["status"] in ("shipping", "announced"), record


def test_links_are_complete():
    """A link has a kind, a status and at least one of bandwidth, latency, round trip and speed."""
    for record, fields in LINKS.items():
        assert {"kind", "status"} <= set(fields), record
        assert {"bandwidth", "latency", "round_trip", "round_trip_high", "speed"} & set(fields), record


def test_models_are_complete():
    """A model has its shape and one source for it; a decoder lists a kind for each of its layers, twice."""
    for record, fields in MODELS.items():
        always = {"name", "family", "vendor", "kind", "layers", "hidden", "vocab", "tied_embeddings", "source", "published"}
        assert always <= set(fields), record
        assert {"attention", "ssm"} & set(fields), record
        if fields["kind"] == "decoder":
            assert {"max_context", "attn_layers", "ffn_layers", "norm"} <= set(fields), record
            for pattern in ("attn_layers", "ffn_layers"):
                assert sum(len(part["unit"]) * part["repeat"] for part in fields[pattern]) == fields["layers"], (record, pattern)
        if any("moe" in kind for part in fields.get("ffn_layers", []) for kind in part["unit"]):
            assert {"experts", "top_k", "expert_ffn", "shared_experts"} <= set(fields["moe"]), record


def test_prices_and_energies_are_complete():
    """A price names an accelerator, a kind and a date; an energy says per what."""
    for record, fields in TABLES["prices"].items():
        assert fields["accelerator"] in ACCELERATORS and fields["kind"] and re.fullmatch(r"20\d\d-\d\d(-\d\d)?", fields["date"]), record
        assert "price" in fields or fields["price_low"] != fields["price_high"], record
    for record, fields in TABLES["energy"].items():
        assert fields["per"] in ("operation", "access", "bit"), record
        assert {"energy", "energy_low"} & set(fields), record


def test_peaks_are_dense_and_ordered():
    """A narrower type is never slower than a wider one of the tensor unit, save where the maker cut or lacks it."""
    cut = {"b300-sxm", "gb300-nvl72-gpu", "rubin-gpu", "groq-lpu-v1"}   # INT8 below FP8 by design; no wide type
    for record, fields in ACCELERATORS.items():
        peak = {key: si(value[0]) for key, value in fields.get("peak", {}).items()}
        for wide, narrow in (("bf16", "fp8"), ("fp16", "fp8"), ("fp8", "fp4"), ("tf32", "bf16")):
            if wide in peak and narrow in peak:
                assert peak[wide] <= peak[narrow] * 1.001 <= peak[wide] * 5, (record, wide, narrow)
        if "int8" in peak and record not in cut:
            wide = peak.get("bf16", peak.get("fp16"))
            assert wide is None or wide * 0.5 <= peak["int8"] <= wide * 4.01, record


def test_sanity_of_accelerators():
    """Balance, power, cache and reported memory lie where every known device lies."""
    for record, fields in ACCELERATORS.items():
        bandwidth, memory = get(fields, "memory_bandwidth"), get(fields, "memory")
        for precision in ("bf16", "fp16"):
            if rate := get(fields, "peak", precision):
                assert 1 < rate / bandwidth < 700, (record, precision, rate / bandwidth)
        if reported := get(fields, "memory_reported"):
            assert 0.95 < reported / memory < 1.08, (record, reported / memory)
        if up := fields.get("scale_up"):
            assert get(up, "bidirectional") == 2 * get(up, "per_direction"), record
            assert get(up, "per_direction") < bandwidth, record
        if (power := get(fields, "tdp")) and (rate := get(fields, "peak", "bf16")):
            assert 0.3e-12 < power / rate < 15e-12, (record, power / rate)
        for precision, rate in fields.get("achieved_matmul", {}).items():
            assert 0.4 < si(rate[0]) / get(fields, "peak", precision) < 1, (record, precision)


def test_sanity_of_links():
    """A two-way rate is twice the one-way rate, and latencies lie between a nanosecond and a second."""
    for record, fields in LINKS.items():
        if "bandwidth_bidirectional" in fields:
            assert get(fields, "bandwidth_bidirectional") == 2 * get(fields, "bandwidth"), record
        if "latency" in fields:
            assert 1e-9 < get(fields, "latency") < 1, record


# Typed in from the makers' sheets, not from the tables: (memory GB, bandwidth TB/s, dense BF16 TFLOP/s or None, board power W).
SHEETS = {
    "h100-sxm": (80, 3.35, 989, 700), "h200-sxm": (141, 4.8, 989, 700), "a100-sxm-80gb": (80, 2.039, 312, 400),
    "rtx-4090": (24, 1.008, 165.2, 450), "rtx-5090": (32, 1.792, 209.5, 575), "b200-sxm": (180, 8, 2250, 1000),
    "l4": (24, 0.3, 121, 72), "mi300x": (192, 5.3, 1307, 750),
    "l40s": (48, 0.864, 362, 350), "tpu-v5p": (95, 2.765, 459, None), "t4": (16, 0.32, None, 70),
}


@pytest.mark.parametrize("record", SHEETS)
def test_agrees_with_the_makers_sheet(record):
    """The most used devices carry the four figures of their maker's sheet."""
    fields = ACCELERATORS[record]
    found = (get(fields, "memory") / 1e9, get(fields, "memory_bandwidth") / 1e12, get(fields, "peak", "bf16"), get(fields, "tdp"))
    for have, want, scale in zip(found, SHEETS[record], (1, 1, 1e12, 1), strict=True):
        assert want is None or have == pytest.approx(want * scale, rel=1e-9), (record, found)


@pytest.mark.parametrize("record", ["v100-sxm2-32gb", "a100-sxm-80gb", "rtx-4090", "rtx-5090", "rtx-pro-6000-ws", "l40s", "t4"])
def test_units_and_clock_give_the_fp32_peak(record):
    """Units x lanes x 2 x clock is the FP32 peak, with 64 lanes (Volta, Turing, A100) or 128 (later)."""
    fields = ACCELERATORS[record]
    lanes = 64 if record[:2] in ("v1", "a1", "t4") else 128
    made = fields["compute_units"][0] * lanes * 2 * get(fields, "clock")
    assert made == pytest.approx(get(fields, "peak", "fp32"), rel=6e-3)


def dense_count(m):
    """Parameters of a plain decoder, counted from its shape: tables, projections, gated or plain feed-forward, norms."""
    a, f, h = m["attention"], m["ffn"], m["hidden"]
    q, kv = a["heads"] * a["head_dim"], a["kv_heads"] * a["head_dim"]
    biases = (q + 2 * kv) * a["qkv_bias"] + h * a["o_bias"]
    attention = h * q + 2 * h * kv + q * h + biases + 2 * a["head_dim"] * (a.get("qk_norm") == "per_head")
    feed_forward = (3 if f["gated"] else 2) * h * f["intermediate"]
    return (1 if m["tied_embeddings"] else 2) * m["vocab"] * h + m["layers"] * (attention + feed_forward + m["norm"]["per_layer"] * h) + h


PLAIN = ["llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "llama-3.2-1b", "qwen2.5-7b", "qwen3-4b", "qwen3-8b", "qwen3-32b",
         "mistral-7b-v0.1", "gemma-2-9b"]


@pytest.mark.parametrize("record", PLAIN)
def test_shape_gives_the_published_count(record):
    """The shape of a plain dense decoder recounts to the published number of parameters, to the last one."""
    assert dense_count(MODELS[record]) == MODELS[record]["published"]["total"][0] == COUNTS[record]["total_params"]


def test_recount_of_the_tables_is_the_published_count():
    """Where no extra tensors are listed and the count is exact, the tables' own recount is within 1e-6 of it."""
    checked = 0
    for record, fields in MODELS.items():
        published = fields["published"]
        if published.get("exact") and not published["extras"]:
            assert COUNTS[record]["total_params"] == pytest.approx(published["total"][0], rel=1e-6), record
            checked += 1
    assert checked > 40 and set(COUNTS) == set(MODELS)


def test_active_is_less_than_total():
    """Active parameters are published for sparse models only and are fewer than all of them."""
    for record, fields in MODELS.items():
        published = fields["published"]
        if "active" in published:
            assert "moe" in fields and published["active"][0] < published["total"][0], record


def test_cases_use_known_ids():
    """Every model, accelerator and link that a worked case names is in the catalogue."""
    picks = dict.fromkeys(("model", "device_model", "edge_model"), MODELS)
    picks |= dict.fromkeys(("accelerator", "decode_accelerator", "device_accelerator", "edge_accelerator"), ACCELERATORS)
    picks |= dict.fromkeys(("link", "local_link", "storage", "source"), LINKS)
    seen = 0
    for case in check_cases.load():
        for name, value in case["inputs"].items():
            if name in picks:
                assert value in picks[name], (case["file"], case["index"], name, value)
                seen += 1
    assert seen > 500


def test_the_package_reads_every_number():
    """The package's catalogue turns each number into a quantity with the same value and source."""
    from calc.catalog import ACCELERATORS as records

    for record, path, value, source, _ in numbers("accelerators"):
        made = records[record].get(".".join(path))
        assert float(made.value) == pytest.approx(si(value), rel=1e-12) and made.source == source, (record, path)


def test_the_writer_loses_no_digit():
    """A number written as a quantity reads back exactly, in the unit that makes it short."""
    for number, unit, text in [(3350000000000.0, "B/s", "3.35 TB/s"), (819e9, "B/s", "819 GB/s"), (14112500.0, "B/s", "14.1125 MB/s"),
                               (6e-07, "s", "600 ns"), (0.0023, "s", "2.3 ms"), (85520809984, "B in MiB", "81559 MiB"),
                               (132644864, "B in MiB", "126.5 MiB"), (230000000, "B", "230 MB"), (2.1e16, "B/s", "21 PB/s")]:
        assert quantity(number, unit) == text
    assert decimal(Fraction(1, 3)) is None
    record = {"a.b": {"x": [1, "s", 'quote " and \\'], "t": {"y": True, "u": [{"unit": ["a"], "repeat": 2}]}, "empty": {}}}
    assert tomllib.loads(write(record)) == {"a.b": {k: v for k, v in record["a.b"].items() if k != "empty"}}
