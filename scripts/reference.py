"""The reference pages, written from `calc` whenever the site is built, so that they cannot differ from it."""

from __future__ import annotations

import re
from pathlib import Path

from calc import estimator
from calc.catalog import ACCELERATORS, LINKS, MODELS, SOURCES, WORKLOADS, Record
from calc.format import show, text
from calc.parts import layers, tensors, weights
from calc.quantity import Q

_FENCE = re.compile(r"^ *```+ *estimate\n(.*?)^ *```+", re.M | re.S)
_ID = re.compile(r"^ *id: *(\S+)", re.M)
_AS = re.compile(r"^ *as: *(\S+)", re.M)

# Catalogue -> (page title, opening sentence, columns: heading and dotted field, or a function of the record).
CATALOGUES = {
    "models": (MODELS, "Models", "What the published configuration of each model says. The width of a head need not be the width over the number of "
               "query heads. An input table that is shared serves as the output head too; one that is separate is held and not "
               "multiplied. *Parameters* are recounted from the configuration, for one forward pass; *in the file* is the published "
               "count, which may include extra prediction layers, second copies of a table and scales.",
               {"layers": "layers", "width": "hidden", "query heads": "attention.heads",
                "key/value heads": "attention.kv_heads", "head width": "attention.head_dim",
                "feed-forward width": "ffn.intermediate", "vocabulary": "vocab", "input table": "tied_embeddings",
                "parameters": weights.total_weights, "in the file": "published.total",
                "longest context": "max_context"}),
    "accelerators": (ACCELERATORS, "Accelerators", "Peaks are dense. Memory is the vendor's label.",
                     {"memory": "memory", "bandwidth": "memory_bandwidth", "BF16 peak": "peak.bf16",
                      "FP16 peak": "peak.fp16", "FP8 peak": "peak.fp8", "INT8 peak": "peak.int8", "power": "tdp"}),
    "links": (LINKS, "Links", "Bandwidth is per direction.",
              {"kind": "kind", "bandwidth": "bandwidth", "latency": "latency"}),
    "workloads": (WORKLOADS, "Workloads", "Statistics of published traces, counted from the files or printed by their authors. Variation is the "
                  "squared coefficient of variation; 1 is what independent arrivals have.",
                  {"requests per second": "rate", "prompt, mean": "prompt_mean", "prompt, median": "prompt_median", "output, mean": "output_mean",
                   "output, median": "output_median", "variation of arrivals": "arrival_cv2", "largest 10 s over mean": "peak_over_mean_10s",
                   "reusable with endless cache": "infinite_cache_hit_ratio"}),
}


def pages(docs: Path) -> dict[str, str]:
    """Path of each reference page -> its Markdown."""
    made = {"reference/estimators.md": _estimators(docs), "reference/sources.md": _sources()}
    for name in CATALOGUES:
        made[f"reference/{name}.md"] = _catalogue(name)
    return made


def where_explained(docs: Path) -> dict[str, str]:
    """Estimator id -> "page.md#anchor" of the first worked example, in the order of the book's folders."""
    found: dict[str, str] = {}
    for path in sorted(docs.glob("[0-9][0-9]-*/*.md"), key=lambda p: (p.parent.name, p.name != "index.md", p.name)):
        for body in _FENCE.findall(path.read_text(encoding="utf-8")):
            name, alias = _ID.search(body), _AS.search(body)
            if name and not (alias and name[1] in found):
                found.setdefault(name[1], f"{path.relative_to(docs).as_posix()}#{(alias or name)[1]}")
    return found


def names_table() -> str:
    """Markdown table of every input name: what it means, its unit, and the estimators that take it."""
    rows: dict[str, tuple[str, str, list[str]]] = {}
    for id in estimator.ids():
        for name, form in estimator.find(id).inputs.items():
            meaning = form.help or form.label
            rows.setdefault(name, (meaning, form.unit, []))[2].append(id)
    lines = ["| Input | Meaning | Unit | Used by |", "|---|---|---|---|"]
    for name, (meaning, unit, users) in sorted(rows.items()):
        lines.append(f"| `{name}` | {_cell(meaning)} | {_cell(unit)} | {', '.join(_see(user) for user in users)} |")
    return "\n".join(lines)


def _see(id: str) -> str:
    return f"[{id}](reference/estimators.md#{id})"


def _cell(words: object) -> str:
    return str(words).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _estimators(docs: Path) -> str:
    explained = where_explained(docs)
    lines = ["# Estimators", "",
             "Every question that the book can compute. `calc show ID` answers it in a terminal, and the names below are "
             "the names of its inputs and terms there, in a page's address and in Python.", ""]
    chapter = None
    for found in sorted(map(estimator.find, estimator.ids()), key=lambda e: e.chapter):
        if found.chapter != chapter:
            chapter = found.chapter
            lines += [f"## Chapter {chapter}", ""]
        at = explained.get(found.id)
        link = f" [Explained and live here.](../{at})" if at else ""
        inputs = ", ".join(f"`{name}` {_default(form)}" for name, form in found.inputs.items())
        terms = ", ".join(f"`{key}`{_unit(term)}" for key, term in found().terms.items())
        lines += [f"### {found.title} {{ #{found.id} }}", "", f"`{found.id}`: {found.question}{link}", "",
                  f"Inputs, with their defaults: {inputs}.", "", f"Terms: {terms}.", "",
                  f"Not counted: {found.excludes.rstrip('.')}.", ""]
    return "\n".join(lines)


def _default(form) -> str:
    value = str(form.default).lower() if isinstance(form.default, bool) else f"{form.default}"
    return f"{value} {form.unit}".strip()


def _unit(term) -> str:
    return f" ({term.unit})" if isinstance(term, Q) and term.unit else ""


def _catalogue(name: str) -> str:
    table, title, opening, columns = CATALOGUES[name]
    lines = ["---", "hide: [toc]", "---", "", f"# {title}", "",
             f"{opening} Each number leads to its source; `calc {name} ID` prints all fields of a record.",
             "", '<div class="reference" markdown="1">', "",
             f"| id | name | {' | '.join(columns)} |", "|---|---|" + "---|" * len(columns)]
    for id, record in table.items():
        cells = [_value(record, field) for field in columns.values()]
        lines.append(f"| `{id}` | {_cell(record.name)} | {' | '.join(cells)} |")
    lines += ["", "</div>", ""]
    return "\n".join(lines + (_bodies() if name == "models" else []))


def _bodies() -> list[str]:
    """The second table of models: what experts, latents, windows and recurrent layers add to a configuration."""
    columns = {"layers": _kinds, "experts": "moe.experts", "picked": "moe.top_k",
               "expert layers": lambda m: layers.expert_layers(m) if layers.has_experts(m) else None, "expert width": "moe.expert_ffn",
               "shared width": "moe.shared_ffn", "latent + rotary key": _latent, "query latent": "attention.q_lora_rank",
               "window": lambda m: next((m.get(f) for f in (*layers.WINDOWED.values(), "sliding_window") if m.has(f)), None),
               "recurrent state of a layer": _matrix, "convolution": _convolution}
    lines = ["## Expert, hybrid, latent and window models", "",
             "Models that are more than full attention and one feed-forward network in every layer. "
             "[Chapter 2](../02-model-architecture/counting-weights.md) says what each number does.", "",
             '<div class="reference" markdown="1">', "", f"| id | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    for id, record in MODELS.items():
        if layers.is_decoder(record) and (layers.has_experts(record) or set(layers.mixers(record)) != {"full"}):
            lines.append(f"| `{id}` | {' | '.join(_value(record, field) for field in columns.values())} |")
    return [*lines, "", "</div>", ""]


def _kinds(model: Record) -> str:
    found = [f"{number} {layers.WORDS[kind]}" for kind, number in layers.mixers(model).items()]
    bare = sum(mixer == "none" for mixer, _ in layers.blocks(model))
    return ", ".join(found + ([f"{bare} without attention"] if bare else []))


def _latent(model: Record) -> str:
    return f"{model.attention.kv_lora_rank.value} + {model.attention.qk_rope_head_dim.value}" if layers.has_latent(model) else ""


def _matrix(model: Record) -> str:
    for kind in layers.mixers(model):
        if kind in layers.DELTA:
            found = model.linear_attention
            return f"{found.value_heads.value} heads × {found.key_dim.value} × {found.value_dim.value}"
        if kind in layers.RECURRENT:
            return f"{tensors.inner_width(model).value:,} channels × {model.ssm.state.value}"
    return ""


def _convolution(model: Record) -> str:
    for kind in layers.mixers(model):
        if kind in layers.RECURRENT:
            width = (model.linear_attention if kind in layers.DELTA else model.ssm).conv.value
            return f"{width - 1} of {tensors.channels(model, kind).value:,}"
    return ""


def _value(record: Record, field) -> str:
    if callable(field):
        value = field(record)
        return "" if value is None else _cell(value) if isinstance(value, str) else _number(value)
    if not record.has(field):
        return ""
    value = record.get(field)
    if field == "tied_embeddings":
        return "shared" if value else "separate"
    if not isinstance(value, Q):
        return _cell(value)
    return _number(value)


def _number(value: Q) -> str:
    words = text(value) if value.value < 1e7 or value.unit else show(value.value)
    return f"[{words}](sources.md#{value.source})" if value.source in SOURCES else words


def _sources() -> str:
    lines = ["---", "hide: [toc]", "---", "", "# Sources", "", "The documents behind the numbers of the catalogue.", ""]
    for id, source in sorted(SOURCES.items(), key=lambda item: item[1]["title"].lower()):
        title = _cell(source["title"])
        shown = f"[{title}]({source['url']})" if source.get("url") else title
        read = f", read {source['read']}" if source.get("read") else ""
        quoted = f", quoted in {_cell(source['quoted_in'])}" if source.get("quoted_in") else ""
        lines.append(f'- <span id="{id}"></span>{shown}, {_cell(source.get("publisher", ""))}: {source["kind"]}{read}{quoted}.')
    return "\n".join([*lines, ""])
