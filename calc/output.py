"""Answers, sweeps and catalogue records as text, Markdown, JSON or CSV."""

import json

from calc import explain, format
from calc.inputs import plain
from calc.report import record_dict

FORMATS = ("text", "md", "json", "csv")


def headed(name, unit):
    """The head of a column: a name with its unit."""
    return f"{name} ({unit})" if unit else name


def _plain(value):
    return "" if value is None else "yes" if value is True else "no" if value is False else str(value)


def csv_line(cells):
    """One line of CSV; the browser's library has no csv module."""
    return ",".join('"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text for text in map(str, cells))


def grid(columns, rows, which):
    """Rows of strings under column heads, as aligned text, a Markdown table or CSV."""
    rows = [[_plain(cell) for cell in row] for row in rows]
    if which == "csv":
        return "\n".join(csv_line(row) for row in [columns, *rows])
    if which == "md":
        def line(cells):
            return "| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |"
        return "\n".join([line(columns), line(["---"] * len(columns)), *map(line, rows)])
    widths = [max(len(str(r[i])) for r in [columns, *rows]) for i in range(len(columns))]
    return "\n".join("  ".join(str(c).ljust(w) for c, w in zip(row, widths)).rstrip() for row in [columns, *rows])


def as_json(data):
    """JSON without NaN or infinity."""
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)


def table(rows, columns, which):
    """A list of dicts; JSON keeps all their fields, the others show `columns`."""
    if which == "json":
        return as_json(rows)
    return grid(columns, [[row.get(c) for c in columns] for row in rows], which)


def answer(found, which):
    """One ledger."""
    if which == "text":
        return explain.as_text(found)
    data = explain.ledger(found)
    if which == "json":
        return as_json(data)
    if which == "csv":
        return grid(("key", "name", "value", "unit", "formula"),
                    [(t["key"], t["name"], t["value"], t["unit"], t["formula"]) for t in data["terms"]], "csv")
    made = found.estimator
    lines = [f"### {made.title}", "", made.question, "",
             ", ".join(f"{label} {shown}" for label, shown in explain.inputs_text(found)), "",
             f"**{found.answer.name}: {explain.answer_text(found)}.** {explain.verdict(found)}", ""]
    lines += [explain.limit_sentence(m) + "\n" for m in found.limits if m is not explain.failed(found)]
    rows = [(t["name"], f"{t['symbol']} = {t['formula']}".strip() if t["formula"] else "", t["numbers"], t["text"]) for t in data["terms"]]
    lines += [grid(("Term", "Formula", "With numbers", "Value"), rows, "md"), "", f"Not counted: {made.excludes}."]
    return "\n".join(lines)


def sweep(data, limited, which):
    """One sweep: a row per value of the input, and where there are limits whether all of them hold."""
    if which == "json":
        return as_json(data)
    keys = list(data["units"])
    over = f"input {data['over']}" if data["over"] in keys else data["over"]
    heads = [headed(over, data["unit"]), *(headed(k, data["units"][k]) for k in keys), *(["ok"] if limited else [])]
    exact = which == "csv"

    def cell(value):
        if value is None:
            return "never" if not exact else ""
        return value if exact or isinstance(value, (bool, str)) else f"{value:.6g}"

    rows = [[point["x"], *(cell(point["terms"].get(k)) for k in keys), *([point["ok"]] if limited else [])] for point in data["points"]]
    return grid(heads, rows, which)


def comparison(data, which):
    """Two settings of one estimator, term by term."""
    if which == "json":
        return as_json(data)

    def cell(value):
        return f"{value:.6g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else "never" if value is None else value

    rows = [(t["key"], cell(t["a"]), cell(t["b"]), t["unit"], "" if t["ratio"] is None else cell(t["ratio"]),
             "" if t["difference"] is None else cell(t["difference"])) for t in data["terms"]]
    return grid(("term", "a", "b", "unit", "b / a", "b - a"), rows, which)


CATALOGUE_COLUMNS = {
    "models": ("id", "name", "vendor", "kind", "layers", "hidden", "max_context"),
    "accelerators": ("id", "name", "vendor", "memory", "memory_bandwidth", "peak.bf16", "tdp"),
    "links": ("id", "kind", "bandwidth", "latency", "status"),
    "workloads": ("id", "name", "rate", "prompt_mean", "output_mean", "arrival_cv2"),
}


def catalogue(records, which):
    """A whole table of the catalogue."""
    if which == "json":
        return as_json([record_dict(r) for r in records.values()])
    columns = CATALOGUE_COLUMNS[records.name]
    units = {c: next((r.get(c).unit for r in records.values() if r.has(c) and hasattr(r.get(c), "op")), "") for c in columns[1:]}

    def cell(record, column):
        if column == "id":
            return record.id
        if not record.has(column):
            return ""
        value = record.get(column)
        if not hasattr(value, "op"):
            return value
        return plain(value.to(units[column])) if which == "csv" else format.text(value)

    heads = [headed(c, units.get(c)) for c in columns] if which == "csv" else columns
    return grid(heads, [[cell(r, c) for c in columns] for r in records.values()], which)


def record(data, which):
    """One record of the catalogue with the source of each number."""
    if which == "json":
        return as_json(data)
    rows = [(name, json.dumps(v["value"]) if isinstance(v["value"], list) else v["value"], v["unit"], v["source"], v["where"])
            for name, v in data.items() if name != "id"]
    return grid(("field", "value", "unit", "source", "where"), rows, which)


def plain_record(data, which):
    """A record without units: a source."""
    if which == "json":
        return as_json(data)
    return grid(("field", "value"), list(data.items()), which)
