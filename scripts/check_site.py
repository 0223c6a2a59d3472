"""Look through the built HTML for what a strict build lets pass.

`python scripts/check_site.py site` prints one line per problem, page and reason, and exits 1 when there is one.
Checked on every page: text that should have been markup (`#!calc`, `\\(`, `$$`, `[^`), fences and formulas that were
not turned into anything, internal links and anchors, addresses that leave the site or break below a sub-path, ids
used twice, images without alternative text, and the order of headings. In style sheets: the addresses.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

LANGUAGES = {"text", "python", "pycon", "bash", "console", "json", "toml", "yaml", "html", "css", "javascript", "diff"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# Nothing in these is shown as prose: code as it is written, scripts, and the TeX that MathML carries along.
QUIET = {"pre", "code", "script", "style", "annotation", "template", "textarea"}
SLIPPED = ("\\(", "\\[", "$$", "[^", "#!", "--8<--", "{{", "{%")
# An element's attributes that make the browser fetch something at once.
FETCHED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src"),
           ("embed", "src"), ("object", "data"), ("use", "href"), ("image", "href"), ("img", "srcset")}
FETCHED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest"}
_LOST_LIST = re.compile(r"<p>\s*((?:\d+\.|[-*+])\s.{0,40})")
_LOST_TABLE = re.compile(r"^ *\|(?: *:?-{3,}:? *\|)+ *$", re.M)
OUTWARD = {"http", "https", "mailto"}


class Problem(NamedTuple):
    """One finding: the page or file, and why it is wrong."""

    page: str
    reason: str

    def __str__(self) -> str:
        return f"{self.page}: {self.reason}"


class Page(HTMLParser):
    """One page, read once: its ids, links, fetched addresses, and the problems that can be seen without the others."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.reasons: list[str] = []
        self._open: list[str] = []
        self._level, self._titles = 0, 0
        for start in _LOST_LIST.findall(text):
            self.reasons.append(f"a list was left as a paragraph: {start!r}")
        self.feed(text)
        self.close()
        if self._titles != 1:
            self.reasons.append(f"{self._titles} first-level headings; a page has one")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag not in VOID:
            self._open.append(tag)
        if "id" in given:
            if given["id"] in self.ids:
                self.reasons.append(f"the id {given['id']!r} is used twice")
            self.ids.add(given["id"])
        if tag == "a" and "name" in given:
            self.names.add(given["name"])
        if tag in ("a", "area") and "href" in given:
            self.links.append(given["href"])
        for name, value in given.items():
            if (tag, name) in FETCHED:
                parts = value.split(",") if name == "srcset" and not value.startswith("data:") else [value]
                self.fetched += [part.split()[0] for part in parts if part.split()]
        if tag == "link" and FETCHED_LINKS & set(given.get("rel", "").split()):
            self.fetched.append(given.get("href", ""))
        if tag == "img" and "alt" not in given:
            self.reasons.append(f"the image {given.get('src', '?')} has no alt text")
        self._heading(tag)
        if "arithmatex" in given.get("class", "").split():
            self.reasons.append("a formula was not typeset")

    def _heading(self, tag: str) -> None:
        if len(tag) != 2 or tag[0] != "h" or not tag[1].isdigit():
            return
        level = int(tag[1])
        self._titles += level == 1
        if level > self._level + 1:
            self.reasons.append(f"a heading of level {level} follows one of level {self._level}")
        self._level = level

    def handle_endtag(self, tag: str) -> None:
        # An end tag closes what was left open inside its element (p, li, td may be).
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if "code" in self._open and "pre" not in self._open:
            if data.lstrip().startswith("#!"):
                self.reasons.append(f"an inline number was not computed: {data.strip()[:60]!r}")
            if "\n" in data.strip():
                # A fence whose formatter failed in a way that was not foreseen becomes code in a sentence.
                self.reasons.append(f"a fence was left as code: {data.strip()[:60]!r}")
        if QUIET.isdisjoint(self._open):
            if _LOST_TABLE.search(data):
                self.reasons.append(f"a table was left as text: {data.strip()[:60]!r}")
            for mark in SLIPPED:
                if mark in data:
                    at = data.index(mark)
                    self.reasons.append(f"{mark!r} is shown as text: {data[max(0, at - 20):at + 40].strip()!r}")


_FENCE = re.compile(r"^[ >]*(`{3,}|~{3,})[ {.]*([\w-]*)")
_INLINE = re.compile(r"`#!([\w-]*)")


def check_markdown(text: str) -> list[str]:
    """What is wrong with a page's source and leaves no trace in its HTML: names of languages that nothing knows."""
    reasons, mark = [], ""
    for number, line in enumerate(text.split("\n"), 1):
        fence = _FENCE.match(line)
        if mark:
            if fence and fence[1].startswith(mark) and not fence[2]:
                mark = ""
            continue
        if fence:
            mark = fence[1]
            if fence[2] and fence[2] not in LANGUAGES | {"estimate"}:
                reasons.append(f"line {number}: unknown fence language {fence[2]!r}; known: estimate, "
                               f"{', '.join(sorted(LANGUAGES))}")
            continue
        for name in _INLINE.findall(line):
            if name not in LANGUAGES | {"calc"}:
                reasons.append(f"line {number}: unknown inline language '#!{name}'; a number is '#!calc'")
    return reasons


def check(site: Path, site_url: str = "") -> list[Problem]:
    """Every problem in the built site. `site_url` is where it will stand: only the 404 page may name its path."""
    site = Path(site).resolve()
    base = urlsplit(site_url).path or "/"
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        reasons = list(page.reasons)
        for kind, addresses in (("link", page.links), ("resource", page.fetched)):
            for address in addresses:
                reason = _reason(site, pages, path, address, kind, base if name == "404.html" else None)
                if reason:
                    reasons.append(f"{kind} {address!r}: {reason}")
        problems += [Problem(name, reason) for reason in dict.fromkeys(reasons)]
    return problems + _styles(site)


def _reason(site: Path, pages: dict[Path, Page], path: Path, address: str, kind: str, base: str | None) -> str | None:
    """Why an address on the page at `path` is wrong, or None. `base`: the absolute path that is allowed, if any."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "is no address"
    if kind == "resource" and parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc:
        if kind == "resource":
            return "is fetched from another origin"
        return None if parts.scheme in OUTWARD else "is no link that a page may hold"
    target = unquote(parts.path)
    if target.startswith("/"):
        if base is None or not target.startswith(base):
            return "is absolute, so it breaks below a sub-path"
        file = site / target[len(base):]
    else:
        file = (path.parent / target) if target else path
    file = file.resolve()
    if not file.is_relative_to(site):
        return "leaves the site"
    if file.is_dir():
        file /= "index.html"
    if not file.is_file():
        return "leads to no file"
    fragment = unquote(parts.fragment)
    if kind == "link" and fragment and file in pages:
        # "__" ids are the theme's own hooks.
        if fragment not in pages[file].ids | pages[file].names and not fragment.startswith("__"):
            return f"the page has no id {fragment!r}"
    return None


_URL = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s]+)""")


def _styles(site: Path) -> list[Problem]:
    problems = []
    for path in sorted(site.rglob("*.css")):
        for address in _URL.findall(path.read_text(encoding="utf-8")):
            if address.startswith(("data:", "#")):
                continue
            name = path.relative_to(site).as_posix()
            if urlsplit(address).netloc:
                problems.append(Problem(name, f"{address!r} is fetched from another origin"))
            elif address.startswith("/"):
                problems.append(Problem(name, f"{address!r} is absolute, so it breaks below a sub-path"))
            elif not (path.parent / urlsplit(address).path).is_file():
                problems.append(Problem(name, f"{address!r} leads to no file"))
    return problems


def main() -> int:
    """Print the problems of the site in the given folder; 1 when there are any."""
    site = Path(sys.argv[1] if len(sys.argv) > 1 else "site")
    if not (site / "index.html").is_file():
        print(f"{site} holds no built site")
        return 1
    problems = check(site, sys.argv[2] if len(sys.argv) > 2 else "")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
