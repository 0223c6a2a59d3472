"""No number that an estimator can give is typed: find the numbers with a unit that stand in prose.

A number with a unit ("14.7 ms", "3.35 TB/s", "$2.95", "63 %", "2.5×", "20 milliseconds") in docs/NN-*/*.md,
docs/index.md or docs/preface.md passes when it is one of these:

1. inline (`#!calc ...`), or in code or a formula;
2. an input of an estimator: the default, a set value, a choice's option or a sweep's end of a fence on the page; the
   same of an inline number on the line; a value that any inline number on the page sets (an exercise and its answer);
3. on a line with a footnote reference (`[^source]`): it is cited. One sentence is one line, so this is the sentence;
4. in a footnote;
5. marked, with a reason: `<!-- given: arithmetic of the exercise -->` covers its own line, or, alone on a line, the
   block after it (a paragraph, a list, a table, or a whole folded answer).

Not looked at: headings, counts without a unit ("8 requests"), years, "8-bit" as a format's name and "671B" as a model's.
Prints `file:line: number`, and exits 1 when there is one.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from calc import estimator  # noqa: E402
from calc.units import UnitError, parse, unit  # noqa: E402

WORDS = {
    "byte": "B", "kilobyte": "kB", "megabyte": "MB", "gigabyte": "GB", "terabyte": "TB", "petabyte": "PB",
    "nanosecond": "ns", "microsecond": "us", "millisecond": "ms", "second": "s", "minute": "min", "hour": "h",
    "week": None, "month": None, "watt": "W", "kilowatt": "kW", "megawatt": "MW", "joule": "J", "kilojoule": "kJ",
    "dollar": "$", "cent": None, "percent": "%", "per cent": "%", "bit": "bit", "gigabit": "Gbit",
}
_SYMBOL = (r"(?:[kMGTPE]|[KMGTP]i)?B|[kMGTPE]?FLOPs?|[kMGT]?bits?|[nuµm]?s|min|h|days?|years?|[pnuµmkMG]?J|[kMG]?Wh"
           r"|[mkM]?W|[kMG]?Hz|[kM]?\$|%|×|/s|(?:tokens?|requests?)/(?:s|h)")
_NUMBER = r"\d{1,3}(?:[,\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
TYPED = re.compile(
    rf"(?<![\w.^-])(?:(?P<money>\$)[ \u202f]?(?P<price>{_NUMBER})"
    rf"|(?P<number>{_NUMBER})[ \u00a0\u202f]?(?:(?P<unit>(?:{_SYMBOL})(?:/[\w$]+)*)(?![\w-])"
    rf"|(?P<word>{'|'.join(WORDS)})s?(?![\w-])))"
)
_MATH = re.compile(r"(?<!\\)\$\$.+?\$\$|(?<![\\$])\$(?![\s$])[^$\n]+?(?<![\s\\])\$(?!\d)", re.S)
_CODE = re.compile(r"(`+)(.+?)\1")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_GIVEN = re.compile(r"<!-- *given: *\S.*?-->")
_LINK = re.compile(r"\]\([^)]*\)|<[^>\n]*>|https?://\S+")
_FENCE = re.compile(r"^ *(```+|~~~+) *(\S*)")


def estimator_inputs(fence: dict[str, str], defaults: bool = True) -> set[tuple]:
    """(dimension, value) of the inputs of a worked example, all or only those it sets; empty for no estimator."""
    try:
        found = estimator.find(fence.get("id", ""))
    except estimator.InputError:
        return set()
    values = set()
    for name, form in found.inputs.items():
        given = [fence[name]] if name in fence else []
        if defaults:
            given += form.options if form.kind == "choice" else [form.default]
        if fence.get("sweep", "").split(" ")[0] == name:
            given += re.split(r" to ", fence["sweep"].partition(" ")[2])
        for value in given:
            values |= _value(value, form.unit)
    return values


def _value(text: object, own: str = "") -> set[tuple]:
    own = str(text).partition(" ")[2] or own
    try:
        return {(unit(own)[1], float(f"{parse(str(text), own):.9g}"))}
    except (UnitError, ValueError, TypeError):
        return set()


def fences(lines: list[str]) -> tuple[list[dict[str, str]], set[int]]:
    """The worked examples of a page as dicts, and the numbers of all lines inside any fence."""
    examples, inside, mark, language = [], set(), "", ""
    for number, line in enumerate(lines):
        opening = _FENCE.match(line)
        if mark:
            inside.add(number)
            if line.strip().startswith(mark):
                mark = ""
            elif language == "estimate":
                name, _, value = line.strip().partition(":")
                examples[-1][name.strip().replace("-", "_")] = value.strip()
        elif opening:
            mark, language = opening[1], opening[2]
            inside.add(number)
            if language == "estimate":
                examples.append({})
    return examples, inside


def marked(lines: list[str]) -> set[int]:
    """The numbers of the lines that a `<!-- given: ... -->` covers."""
    covered = set()
    for number, line in enumerate(lines):
        if not _GIVEN.search(line):
            continue
        covered.add(number)
        if _COMMENT.sub("", line).strip():
            continue
        at = number + 1
        while at < len(lines) and not lines[at].strip():
            at += 1
        indent = len(line) - len(line.lstrip())
        folded = at < len(lines) and lines[at].strip().startswith(("???", "!!!"))
        covered.add(at)
        at += 1
        while at < len(lines):
            deeper = len(lines[at]) - len(lines[at].lstrip()) > indent
            if lines[at].strip() and folded and not deeper or not lines[at].strip() and not folded:
                break
            covered.add(at)
            at += 1
    return covered


def _blank(found: re.Match) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def inline_inputs(text: str, defaults: bool) -> set[tuple]:
    """The inputs of the inline numbers in a text, all or only those that they set."""
    values = set()
    for _, code in _CODE.findall(text):
        if code.startswith("#!calc "):
            try:
                parts = shlex.split(code)
            except ValueError:
                continue
            given = [part.partition("=") for part in parts if "=" in part.strip("=")]
            # "batch=8 / batch=1" sets one input twice.
            for name, _, value in given:
                values |= estimator_inputs({"id": parts[1], name.replace("-", "_"): value}, defaults=False)
            if defaults:
                values |= estimator_inputs({"id": parts[1]})
    return values


def _meaning(found: re.Match) -> set[tuple]:
    """(dimension, value) of a typed number; empty when its unit has no fixed length."""
    if found["money"]:
        return _value(f"{found['price']} $")
    symbol = found["unit"] or WORDS[found["word"]]
    if symbol is None:
        return set()
    symbol = symbol.replace("FLOPs", "FLOP").replace("bits", "bit").replace("days", "day").replace("years", "year")
    symbol = f"1{symbol}" if symbol.startswith("/") else re.sub(r"^(tokens?|requests?)/", "1/", symbol)
    return _value(f"{found['number']} {symbol}")


def problems(text: str) -> list[tuple[int, str]]:
    """(line number, typed number) of everything on a page that is neither computed, an input, cited nor marked."""
    lines = text.split("\n")
    examples, skipped = fences(lines)
    skipped |= marked(lines)
    if lines[0] == "---" and "---" in lines[1:]:
        skipped |= set(range(lines.index("---", 1) + 1))
    allowed = inline_inputs(text, defaults=False).union(*map(estimator_inputs, examples))
    prose = _COMMENT.sub(_blank, _MATH.sub(_blank, _CODE.sub(_blank, text))).split("\n")
    found, in_footnote = [], False
    for number, line in enumerate(prose):
        in_footnote = line.startswith("[^") and "]:" in line or in_footnote and (line.startswith("    ") or not line.strip())
        if number in skipped or in_footnote or line.lstrip().startswith("#") or "[^" in line:
            continue
        here = allowed | inline_inputs(lines[number], defaults=True)
        for match in TYPED.finditer(_LINK.sub(_blank, line)):
            meaning = _meaning(match)
            if match[0] == f"{match['number']}B":
                continue
            if not meaning or not meaning <= here:
                found.append((number + 1, match[0]))
    return found


def main() -> int:
    """Check the files given, or the book; 1 when a typed number is found."""
    docs = ROOT / "docs"
    book = [*sorted(docs.glob("[0-9][0-9]-*/*.md")), docs / "index.md", docs / "preface.md"]
    failed = False
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else book:
        if path.is_file():
            for line, number in problems(path.read_text(encoding="utf-8")):
                failed = True
                shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
                print(f"{shown}:{line}: {number}: typed; make it inline, an estimator's input, cited, or marked as given")
    return failed


if __name__ == "__main__":
    sys.exit(main())
