"""The widget's HTML: valid, named, escaped, small, and complete without a script."""

import gzip
import json
import re
from html.parser import HTMLParser

import pytest

from calc import estimator, explain
from calc.render import client, html
from calc.render.html import level_headings, widget
from calc.render.words import WORDS, esc

IDS = estimator.ids()
VOID = {"br", "circle", "col", "hr", "img", "input", "path", "rect", "wbr"}
NAMELESS = {"hidden"}
KILOBYTE = 1024


class Reader(HTMLParser):
    """Every element with its attributes, and whether tags close in the order they opened."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.wrong, self.words = [], [], [], {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, {k: v or "" for k, v in attributes}, list(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, {k: v or "" for k, v in attributes}, list(self.open)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        for place in self.open[-1:]:
            self.words[place] = self.words.get(place, "") + data


@pytest.fixture(scope="module", params=IDS)
def made(request):
    answer = estimator.find(request.param)()
    return answer, widget(answer, {"ask": True})


def test_tags_close_and_ids_are_unique(made):
    """Every element is closed in order, no id is used twice, and every reference to an id has its target."""
    page = Reader(made[1])
    assert page.wrong == [] and page.open == []
    ids = [a["id"] for _, a, _ in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes, _ in page.elements:
        for key in ("for", "aria-labelledby", "aria-describedby", "aria-controls", "data-from"):
            for target in attributes.get(key, "").split():
                assert target in ids, (key, target)
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids


def test_every_control_has_a_name_and_every_range_a_value_in_words(made):
    """Each input, select and button has a label; each slider says its value in words, each box is of a known kind."""
    page = Reader(made[1])
    labelled = {a["for"] for t, a, _ in page.elements if t == "label" and "for" in a}
    for tag, attributes, inside in page.elements:
        if tag in ("input", "select"):
            named = attributes.get("aria-label") or attributes.get("aria-labelledby") or attributes.get("id") in labelled or "label" in inside
            assert named, attributes
        if attributes.get("type") == "range":
            assert attributes["aria-valuetext"] and attributes["aria-label"]
            rungs = attributes["data-rungs"].split("|")
            assert int(attributes["max"]) == len(rungs) - 1 and 0 <= int(attributes["value"]) < len(rungs)


def test_rungs_are_read_back_as_legal_values(made):
    """Every text on a slider's ladder is one that its input accepts, in rising order."""
    answer, text = made
    for _, attributes, _ in Reader(text).elements:
        name = attributes.get("id", "").removeprefix(answer.estimator.id + ".").removesuffix("-r")
        if attributes.get("type") == "range" and name in answer.estimator.inputs:
            form = answer.estimator.inputs[name]
            values = [form.parse(rung) for rung in attributes["data-rungs"].split("|")]
            assert values == sorted(set(values)) and values[0] == form.low and values[-1] == form.high


def test_no_style_attribute_and_no_script(made):
    """Nothing of ours needs a policy that allows inline styles, scripts or handlers."""
    for tag, attributes, _ in Reader(made[1]).elements:
        assert tag not in ("script", "style", "iframe")
        assert not [k for k in attributes if k == "style" or k.startswith("on")]


def test_the_static_page_is_complete(made):
    """Answer, verdict, every term with its value, what is not counted and each source stand in the HTML as built."""
    answer, text = made
    flat = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))
    assert esc(explain.answer_text(answer)) in text
    assert esc(explain.verdict(answer)) in text
    for line in answer.terms.values():
        assert esc(line.name) in text and esc(explain.term_text(answer, line)) in text
    assert esc(answer.estimator.excludes) in flat
    for source in explain.sources(*[t for t in answer.terms.values() if t.op == "term"]):
        assert esc(source["title"]) in text


def test_a_widget_is_small(made):
    """A widget's HTML, both drawings of its chart included, is at most 8 KiB gzipped."""
    assert len(gzip.compress(made[1].encode(), 9)) <= 8 * KILOBYTE


def test_the_lists_are_shared_and_small():
    """No widget repeats the catalogue, and the one module that holds it is under 6 KiB gzipped."""
    text = widget(estimator.find("decode-step")())
    assert text.count("<option") < 10
    assert len(gzip.compress(client.module().encode(), 9)) < 6 * KILOBYTE


def test_the_module_offers_what_the_picks_accept():
    """The records that a list offers are those which its input accepts, all of them and no other."""
    module = dict(re.findall(r"^export const (\w+) = (.*);$", client.module(), re.M))
    groups, masks, offers = (json.loads(module[k]) for k in ("groups", "masks", "offers"))
    for key, number in offers.items():
        kind, _, bits = masks[number].partition(":")
        ids = [i for _, rows in groups[kind] for i, _ in rows]
        offered = [i for i, bit in zip(ids, bits or "1" * len(ids)) if bit == "1"]
        id, name = key.split(".")
        assert sorted(offered) == sorted(estimator.find(id).inputs[name].choices)


HOSTILE = '"><script>alert(1)</script>&\'{0}'


def test_what_an_author_writes_is_text():
    """Markup in a fence's name or question reaches the page as text."""
    text = widget(estimator.find("decode-step")(), {"as": HOSTILE, "ask": HOSTILE})
    assert "<script" not in text and "alert(1)" in text


@pytest.mark.parametrize("before, level", [("", 2), ("<h2>x</h2>", 3), ("<h2>x</h2><h3>y</h3>", 4), ("<h2>x</h2><h3>y</h3><h2>z</h2>", 3)])
def test_a_widgets_heading_is_one_below_its_section(before, level):
    """On a page the widget's heading stands one level below the section that holds it, whatever level it was made at."""
    page = f'<h1 id="t">T</h1>{before}{widget(estimator.find("amdahl")())}<p>end</p>'
    levelled = level_headings(page)
    assert re.findall(r'<h(\d) class="est-title"', levelled) == [str(level)]
    assert f"</h{level}>" in levelled and levelled.endswith("<p>end</p>")


def test_words_stand_in_one_table():
    """Every entry that the code asks for exists, and no two client entries differ only by their prefix."""
    import pathlib

    used = set()
    for path in pathlib.Path(html.__file__).parent.parent.rglob("*.py"):
        used |= set(re.findall(r"""\bsay\("([\w.]+)\"""", path.read_text()))
    assert used <= set(WORDS)
    scripts = pathlib.Path(__file__).parents[2] / "docs" / "assets"
    for path in scripts.glob("est*.mjs"):
        for name in re.findall(r"""\bsay\("([\w.]+)\"""", path.read_text()):
            assert f"client.{name}" in WORDS or name in ("static",), name
