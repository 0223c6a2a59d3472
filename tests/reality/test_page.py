"""The page that shows the measured rows."""

import re
from xml.etree import ElementTree

from scripts import reality, reality_check

PAGE = reality_check.page()


def tables():
    """{heading: rows of cells} of the page's tables."""
    found, heading = {}, ""
    for line in PAGE.split("\n"):
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| ") and not line.startswith("| ---"):
            found.setdefault(heading, []).append(line)
    return found


def test_every_row_is_shown_once_with_its_source():
    """Every measured row stands on the page, with a link to where it was read."""
    lines = [line for heading, lines in tables().items() if heading != "Speeds" for line in lines if "github.com" in line]
    assert len(lines) == len(reality.rows())


def test_the_worst_agreement_stands_first():
    """In each table of asserted rows the ratio that is farthest from 1 stands first."""
    for heading, lines in tables().items():
        if heading in ("Speeds", "Rows that teach"):
            continue
        ratios = [float(re.split(r"(?<!\\)\|", line)[4]) for line in lines[1:]]
        distances = [max(r, 1 / r) for r in ratios]
        assert all(a >= b - 2e-3 for a, b in zip(distances, distances[1:])), heading


def test_the_figures_are_drawings_with_words():
    """Both figures are well-formed SVG with a title and a description, and have a dot for every row that they show."""
    drawings = re.findall(r"<svg.*?</svg>", PAGE, re.S)
    assert len(drawings) == 2
    for drawing in drawings:
        tree = ElementTree.fromstring(drawing)
        names = {child.tag.rpartition("}")[2] for child in tree}
        assert {"title", "desc"} <= names and drawing.count("<circle") >= 20
