"""Formulas in prose, typeset when the page is built: KaTeX under Node, HTML with MathML, no script in the page."""

from __future__ import annotations

import functools
import html
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KATEX = ROOT / "node_modules" / "katex" / "dist"
ARITHMATEX = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.S)
_OTHER_FONTS = re.compile(r',url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)')
_child: subprocess.Popen | None = None


class FormulaError(ValueError):
    """KaTeX refused a formula; the message holds the formula and KaTeX's reason."""


def typeset_page(content: str) -> str:
    """Return the page's HTML with every arithmatex element typeset. Raises `FormulaError`."""
    return ARITHMATEX.sub(lambda found: typeset(html.unescape(found[3]).strip(), found[2] == "["), content)


@functools.cache
def typeset(tex: str, display: bool) -> str:
    """One formula as HTML. Only the MathML half is indexed by the search, so a formula is found once.

    The visual half is wrapped in `k-v`, an element of a name used nowhere inside it: the search plugin's
    exclusion ends at the first end tag of the same name.
    """
    reply = _ask(tex, display)
    if "error" in reply:
        raise FormulaError(f"formula {tex!r}: {reply['error']}")
    text = reply["html"]
    start = text.index('<span class="katex-html"')
    end = len(text) - len("</span>") * (2 if display else 1)
    wrapped = f"{text[:start]}<k-v data-search-exclude>{text[start:end]}</k-v>{text[end:]}"
    return wrapped.replace("<annotation ", "<annotation data-search-exclude ")


def _ask(tex: str, display: bool) -> dict:
    global _child
    if _child is None:
        _child = subprocess.Popen(
            ["node", str(ROOT / "scripts" / "katex_worker.mjs")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", cwd=ROOT,
        )
    _child.stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
    _child.stdin.flush()
    line = _child.stdout.readline()
    if not line:
        raise FormulaError("the KaTeX process ended: run `npm ci` (make does) and look at its message above")
    return json.loads(line)


def close() -> None:
    """End the Node child, if one was started."""
    global _child
    if _child is not None:
        _child.stdin.close()
        _child.wait()
        _child = None


def assets() -> dict[str, str | Path]:
    """Site path -> text or source file: KaTeX's style sheet reduced to woff2, and those fonts."""
    css = (KATEX / "katex.min.css").read_text(encoding="utf-8")
    files: dict[str, str | Path] = {"assets/katex/katex.min.css": _OTHER_FONTS.sub("", css)}
    for font in sorted((KATEX / "fonts").glob("*.woff2")):
        files[f"assets/katex/fonts/{font.name}"] = font
    return files
