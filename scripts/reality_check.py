"""The page docs/reference/reality-check.md, written at every build: what systems printed beside what `calc` says of the same."""

from __future__ import annotations

import sys
from html import escape
from math import floor, log10
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent / "figures")]

import draw  # noqa: E402
import reality  # noqa: E402

from calc.units import parse  # noqa: E402

KINDS = {  # kind of row -> heading, in the order of the page
    "kv_bytes_per_token": "State of one conversation", "weights_bytes": "Weights", "kv_capacity_tokens": "Tokens that fit",
    "max_concurrency": "Requests that fit", "decode_tpot": "Decode speed of one stream", "prefill_throughput": "Prompt speed",
    "training_throughput_mfu": "Arithmetic of training", "training_memory": "Memory of training", "checkpoint": "Checkpoints",
    "moe": "Experts", "collective_busbw": "Exchanges between accelerators", "spec_decode": "Speculative decoding", "other": "Other",
}
EVIDENCE = {"calibrated": "a constant was fitted to the row itself", "published_estimate": "the source prints an estimate, no measurement",
            "assumed_config": "part of the configuration is assumed", "anecdote": "a single report without its setting",
            "third_party_model": "another model's output, no measurement"}
# Hardware classes of speed rows: words in the row's hardware -> class.
CLASSES = {"Apple": "Apple, unified memory", "RTX": "NVIDIA, consumer and workstation", "A100": "NVIDIA, data centre", "H100": "NVIDIA, data centre"}
BYTES = ("MiB", "GiB", "MB")


def place(row: dict) -> str:
    """A link to where a row was read."""
    words = row["source"]
    repository = words.split("#")[0].split(" ")[0]
    if repository.count("/") != 1:
        return escape(words)
    issue = words.partition("#")[2]
    address = f"https://github.com/{repository}" + (f"/issues/{issue}" if issue.isdecimal() else "")
    return f"[{escape(words)}]({address})"


def number(value: float) -> str:
    """Four significant digits, no exponent."""
    digits = 3 - floor(log10(abs(value))) if value else 0
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def off(row: dict) -> float:
    """How far a prediction is from what was observed, as a ratio of at least 1."""
    ours = reality.said(row) / row["observed"]["value"]
    return max(ours, 1 / ours)


def in_bytes(row: dict, value: float) -> float:
    """A value of a row in bytes."""
    return parse(f"{value!r} {row['observed']['unit'].split()[0]}", "B")


def figure(name: str, title: str, desc: str, points: list[tuple[float, float, float | None]], words: tuple[str, str]) -> str:
    """Predicted against observed on two logarithmic axes: full dots are ours, rings what the shortcut says."""
    values = [v for point in points for v in point if v]
    low, high = 10.0 ** floor(log10(min(values))), 10.0 ** (floor(log10(max(values))) + 1)
    made = draw.Figure("00", name, 300, title, desc)
    across, up = draw.Log(low, high, 58, 326), draw.Log(low, high, 252, 12)
    for decade in across.decades():
        made.line((across(decade), 12), (across(decade), 252), tone=draw.FAINT, width=1)
        made.line((58, up(decade)), (326, up(decade)), tone=draw.FAINT, width=1)
        if decade < high:  # the last label would touch the one before it
            made.text(across(decade), 268, axis(decade, words[1]), anchor="middle")
        made.text(52, up(decade) + (4 if decade < high else 10), axis(decade, words[1]), anchor="end")
    made.line((58, 252), (326, 12), tone=draw.MUTED, width=1.5, dash=draw.DASH)
    for seen, ours, naive in points:
        if naive and low <= naive <= high:
            made.line((across(seen), up(ours)), (across(seen), up(naive)), tone=draw.MUTED, width=1)
            made.dot(across(seen), up(naive), 3.5, draw.PAPER, draw.INK)
        made.dot(across(seen), up(ours), 3.5, draw.ACCENT)
    made.text(192, 290, f"{words[0]} observed", anchor="middle")
    return made.svg()


def axis(value: float, unit: str) -> str:
    """A decade's label."""
    for scale, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, "")):
        if value >= scale:
            return f"{value / scale:g} {prefix}{unit}".strip()
    return f"{value:g} {unit}".strip()


def table(rows: list[dict]) -> list[str]:
    """One table, the worst agreement first."""
    lines = ["| what | observed | calculated | ratio | the shortcut | note | source |", "| --- | ---: | ---: | ---: | --- | --- | --- |"]
    for row in sorted(rows, key=off, reverse=True):
        ours, seen, naive = reality.said(row), row["observed"], row.get("naive_wrong")
        shortcut = f"{number(naive['naive_value'])}: {cell(naive['cause'])}" if naive else ""
        lines.append(f"| {cell(row['model'])}, {cell(row['hardware'])} | {number(seen['value'])} {cell(seen['unit'])} | {number(ours)} "
                     f"| {ours / seen['value']:.3f} | {shortcut} | {cell(row['note'])} | {place(row)} |")
    return lines


def cell(words: str) -> str:
    """Text inside a table cell."""
    return escape(words, quote=False).replace("|", "/").replace("$", "\\$").replace("*", "\\*").replace("[", "\\[").replace("_", "\\_")


def reached(row: dict) -> float:
    """Share of a bound that was reached."""
    ours, seen = reality.said(row), row["observed"]["value"]
    return seen / ours if row["test"]["direction"].startswith("rate") else ours / seen


def speeds(rows: list[dict]) -> list[str]:
    """Shares of the bound that were reached, by class of hardware and phase."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        group = next((name for words, name in CLASSES.items() if words in row["hardware"]), "other")
        width = "4 to 5 bits" if "Q4" in row["model"] else "16 bits"
        phase = "prompt" if row["kind"] == "prefill_throughput" else f"decode, {width}"
        found.setdefault((group, phase), []).append(reached(row))
    lines = ["| hardware | phase | rows | lowest | highest |", "| --- | --- | ---: | ---: | ---: |"]
    return lines + [f"| {group} | {phase} | {len(shares)} | {min(shares):.0%} | {max(shares):.0%} |".replace("%", " %")
                    for (group, phase), shares in sorted(found.items())]


def page() -> str:
    """The Markdown of the page."""
    rows = reality.rows()
    exact = [r for r in rows if r["test"]["use"] == "exact" and reality.said(r) is not None]
    bound = [r for r in rows if r["test"]["use"] == "bound"]
    lessons = [r for r in rows if r["test"]["use"] == "lesson"]
    silent = [r for r in rows if r["id"] in reality.NOT_SAID]
    near = sum(off(r) <= 1.005 for r in exact)
    sized = [(in_bytes(r, r["observed"]["value"]), in_bytes(r, reality.said(r)), naive_bytes(r))
             for r in exact if r["observed"]["unit"].split()[0] in BYTES]
    fast = [(rate(r, r["observed"]["value"]), rate(r, reality.said(r)), rate(r, r["naive_wrong"]["naive_value"]) if r.get("naive_wrong") else None)
            for r in bound]
    lines = [
        "# Reality check", "",
        f"This page is written at every build from {len(rows)} rows that real systems printed or people measured. "
        f"{len(exact)} of them are quantities that the book's parts should give exactly; {near} agree within half a per cent, and all within "
        f"the tolerance of their row, which a test asserts. {len(bound)} are speeds, and no speed may pass its bound: a test asserts that, "
        "and a table says how much of the bound was reached. The other rows teach and prove nothing; each says why.", "",
        "Beside ours stands the value of a common shortcut where somebody took it. A test asserts that we do not return it.", "",
        "## Sizes", "", figure("reality-sizes", "Calculated against observed sizes",
                               "Full dots lie on the diagonal: calculated and observed bytes agree. Rings, the values of shortcuts, lie off it.",
                               sized, ("bytes", "B")),
        "Observed to the right, calculated upwards; the dashed line is agreement. A ring is what a shortcut says of the same row, joined to ours.",
        "",
        "## Speeds", "", figure("reality-speeds", "Bounds against measured speeds",
                                "Every full dot lies above the diagonal: no measurement is faster than its bound.", fast,
                                ("tokens per second", "/s")),
        "Every measured speed is below its bound, as a bound demands; how far below depends on hardware and format.", "", *speeds(bound), "",
    ]
    for kind, heading in KINDS.items():
        group = [r for r in exact + bound if r["kind"] == kind]
        if group:
            lines += [f"## {heading}", "", *table(group), ""]
    lines += ["## Rows that teach", "", "No test rests on these, and a column says why. Where the parts can say something, it stands beside.",
              "",
              "| what | observed | calculated | the shortcut | why it is no test | source |", "| --- | ---: | ---: | --- | --- | --- |"]
    for row in lessons + silent:
        ours, naive = reality.said(row), row.get("naive_wrong")
        shortcut = f"{number(naive['naive_value'])}: {cell(naive['cause'])}" if naive else ""
        why = reality.NOT_SAID.get(row["id"]) or EVIDENCE.get(row["evidence"]) or row["test"].get("exception")
        why = why or "neither an exact quantity nor a bound"
        seen = row["observed"]
        calculated = number(ours) if ours is not None else ""
        lines.append(f"| {cell(row['model'])}, {cell(row['hardware'])} | {number(seen['value'])} {cell(seen['unit'])} | {calculated} "
                     f"| {shortcut} | {cell('; '.join(words for words in (why, row['note']) if words))} | {place(row)} |")
    return "\n".join([*lines, ""])


def naive_bytes(row: dict) -> float | None:
    """A shortcut's value in bytes."""
    return in_bytes(row, row["naive_wrong"]["naive_value"]) if row.get("naive_wrong") else None


def rate(row: dict, value: float) -> float:
    """A speed row's value in tokens per second; a time of one token in milliseconds is turned round."""
    return 1000 / value if row["observed"]["unit"] == "ms" else value


if __name__ == "__main__":
    print(page())
