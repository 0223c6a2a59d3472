"""The book's figures: drawn from the estimators, in the page's colours, and readable on a phone."""

import importlib.util
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts" / "figures"
sys.path.append(str(SCRIPTS))

import draw  # noqa: E402

# By its path: an installed package is called `build` too.
spec = importlib.util.spec_from_file_location("figures_build", SCRIPTS / "build.py")
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)

FILES = sorted(build.TARGET.rglob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
COLOUR = re.compile(r"none|currentColor|var\(--md-[a-z-]+, (currentColor|Canvas)\)|url\(#(?P<id>[a-z0-9-]+)\)")
PHONE_COLUMN = 328  # CSS pixels that the theme leaves for text on a screen of 360

each_figure = pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")


def test_committed_figures_are_what_the_scripts_draw(capsys):
    """Every committed figure is exactly what its script draws from the estimators today, and none is left over."""
    assert build.main(["--check"]) == 0, capsys.readouterr().out
    assert FILES


def test_a_stale_figure_is_named(tmp_path, monkeypatch, capsys):
    """A changed, a missing and a left-over file each make --check fail, by name."""
    monkeypatch.setattr(build, "TARGET", tmp_path / "docs" / "assets" / "figures")
    build.main([])
    (changed, missing) = sorted(build.TARGET.rglob("*.svg"))[:2]
    changed.write_text(changed.read_text(encoding="utf-8").replace("GB", "TB") + " ", encoding="utf-8")
    missing.unlink()
    left_over = changed.with_name("nobody-draws-this.svg")
    left_over.write_text("<svg/>", encoding="utf-8")
    capsys.readouterr()
    assert build.main(["--check"]) == 1
    printed = capsys.readouterr().out
    assert all(path.name in printed for path in (changed, missing, left_over))
    assert len(printed.splitlines()) == 3


@each_figure
def test_a_figure_says_what_it_is_and_what_is_drawn(file):
    """A figure is well-formed, is an image with a title and a description, and its ids are its own."""
    root = ElementTree.parse(file).getroot()
    own = f"fig-{file.parent.name}-{file.stem}"
    assert root.tag == SVG + "svg" and root.get("role") == "img" and "style" not in root.attrib
    words = {child.get("id"): child.text for child in root if child.tag in (SVG + "title", SVG + "desc")}
    assert set(words) == {root.get("aria-labelledby"), root.get("aria-describedby")}
    assert all(words.values()) and len(words[root.get("aria-describedby")]) > 40
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) and all(name.startswith(own + "-") for name in ids)


@each_figure
def test_a_figure_takes_its_colours_from_the_page(file):
    """No figure carries a colour, a style or a script of its own: only the theme's variables and its own patterns."""
    root = ElementTree.parse(file).getroot()
    ids = {element.get("id") for element in root.iter()}
    for element in root.iter():
        assert element.tag not in (SVG + "style", SVG + "script", SVG + "image", SVG + "foreignObject")
        assert "style" not in element.attrib
        for name in ("fill", "stroke", "color"):
            if name in element.attrib:
                found = COLOUR.fullmatch(element.attrib[name])
                assert found, f"{name}={element.attrib[name]}"
                assert found["id"] is None or found["id"] in ids


@each_figure
def test_text_is_at_least_twelve_pixels_on_a_phone(file):
    """Every text of a figure is at least 12 px high in the column of a 360 px screen."""
    root = ElementTree.parse(file).getroot()
    scale = PHONE_COLUMN / float(root.get("viewBox").split()[2])
    sizes = [float(element.get("font-size", root.get("font-size"))) for element in root.iter(SVG + "text")]
    assert sizes and min(sizes) * scale >= 12


def test_words_that_leave_the_drawing_are_refused():
    """The kit refuses text that is too small or runs over an edge, whatever its anchor."""
    figure = draw.Figure("00", "trial", 100, "trial", "trial")
    for given in ({"x": 0, "words": "w" * 80}, {"x": 5, "words": "wide", "anchor": "end"},
                  {"x": 10, "words": "wide", "anchor": "middle"}, {"x": 0, "words": "small", "size": 9}):
        with pytest.raises(ValueError, match="fig-00-trial"):
            figure.text(y=20, **given)
    figure.text(0, 20, "fits")


def test_a_log_axis_spaces_decades_evenly():
    """A log axis puts its ends at its ends, decades at equal steps, and refuses what lies outside."""
    axis = draw.Log(1e-3, 10, 100, 300)
    assert [axis(value) for value in axis.decades()] == pytest.approx([100, 150, 200, 250, 300])
    with pytest.raises(ValueError, match="outside the axis"):
        axis(20)


def test_pages_take_figures_in_raw_and_conclude_from_them():
    """Every figure in a page is a drawn one, kept raw inside its <div markdown="0">, and has a caption."""
    form = re.compile(r'<figure markdown="1">\n<div markdown="0">\n--8<-- "figures/(\S+)\.svg"\n</div>\n'
                      r'<figcaption markdown="span">(?:(?!</?fig)[\s\S])+</figcaption>\n</figure>\n')
    drawn = {f"{file.parent.name}/{file.stem}" for file in FILES}
    shown = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        words = page.read_text(encoding="utf-8")
        found = form.findall(words)
        assert words.count('--8<-- "figures/') == len(found), f"{page.relative_to(ROOT)}: a figure is not in the usual form"
        shown += found
    assert set(shown) <= drawn
    assert sorted(shown) == sorted(drawn), "each figure stands on one page"


def test_no_two_texts_of_a_figure_meet(browser):
    """Drawn in a real browser at phone width, every text lies inside its figure and no two texts overlap."""
    figures = "".join(f'<div style="width:{PHONE_COLUMN}px">{file.read_text(encoding="utf-8")}</div>' for file in FILES)
    page = browser.new_page(viewport={"width": 360, "height": 800})
    page.set_content(f"<style>svg{{max-width:100%;height:auto}}</style>{figures}")
    texts = page.evaluate("""() => [...document.querySelectorAll("svg text")].map(t => {
        const b = t.getBBox(), svg = t.ownerSVGElement.viewBox.baseVal;
        return {figure: t.ownerSVGElement.getAttribute("class"), words: t.textContent, x: b.x, y: b.y, right: b.x + b.width,
                bottom: b.y + b.height, width: svg.width, height: svg.height};
    })""")
    page.close()
    assert texts
    for text in texts:
        inside = text["x"] >= -1 and text["y"] >= -1 and text["right"] <= text["width"] + 1 and text["bottom"] <= text["height"] + 1
        assert inside, text
    # A line of text is lower than its box: ascent and descent of the font are part of the box.
    slack = 3
    for number, a in enumerate(texts):
        for b in texts[number + 1:]:
            apart = (a["figure"] != b["figure"] or a["right"] <= b["x"] or b["right"] <= a["x"]
                     or a["bottom"] - slack <= b["y"] or b["bottom"] - slack <= a["y"])
            assert apart, f"{a['figure']}: {a['words']!r} meets {b['words']!r}"
