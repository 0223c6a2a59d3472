"""Everybody: keyboards, screen readers, small screens, zoom, dark and forced colours."""

from pathlib import Path

import pytest

from tests.browser.driving import answered, box, expected, live, track, widget

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PAGES = ["", "second/", "third/", "calibration/"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(open_page, path, scheme):
    """The accessibility checker finds no fault inside a widget, built or live, in both colour schemes, contrast included."""
    page = open_page(path, color_scheme=scheme)
    if path == "third/":
        track(page, "batch", "does-it-fit").press("ArrowRight")
        live(page, "does-it-fit")
    page.evaluate("for (const d of document.querySelectorAll('.est details')) d.open = true")
    page.evaluate("for (const r of document.querySelectorAll('.est-why')) r.hidden = false")
    page.wait_for_timeout(400)
    page.wait_for_function("!document.querySelector('.est-pending, .est-wait')")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate("""async (rules) => (await axe.run('article', { runOnly: rules })).violations.map((v) => v.id + ': '
        + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary.slice(0, 200)).join(' | '))""", RULES)
    assert found == []


def test_a_keyboard_is_enough(open_page):
    """Tab reaches the controls in reading order; arrows, Page Up and Down, Home and End drive a slider; boxes step with the arrows."""
    page = open_page()
    page.locator('[id="decode-step.model"]').focus()
    order = []
    for _ in range(7):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.id"))
    assert order[:5] == ["decode-step.accelerator", "decode-step.batch", "decode-step.batch-r", "decode-step.context", "decode-step.context-r"]
    slider = track(page, "batch")
    slider.focus()
    for key, batch in (("Home", 1), ("End", 1024), ("PageDown", 128), ("PageUp", 1024), ("ArrowLeft", 512), ("ArrowDown", 256)):
        page.keyboard.press(key)
        assert box(page, "batch").input_value() == f"{batch:,}", key
    box(page, "batch").focus()
    page.keyboard.press("ArrowDown")
    assert box(page, "batch").input_value() == "128"
    answered(page, expected(batch=128))
    assert page.evaluate("document.activeElement.id") == "decode-step.batch"


def test_the_first_stop_leads_to_the_answer(open_page):
    """A link to the answer is the widget's first stop, visible when focused."""
    page = open_page()
    skip = widget(page).locator(".est-skip").first
    skip.focus()
    assert skip.bounding_box()["height"] > 10 and skip.get_attribute("href").endswith("#decode-step.answer")


def test_one_sentence_is_announced_when_it_settles(open_page):
    """While a slider moves nothing is announced; half a second after the last move one sentence is, with units in words."""
    page = open_page()
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    page.wait_for_timeout(700)
    page.evaluate("""() => {
        const place = document.getElementById('est-announce');
        window.heard = [];
        new MutationObserver(() => window.heard.push(place.textContent)).observe(place, { childList: true, characterData: true, subtree: true });
    }""")
    for _ in range(3):
        track(page, "batch").press("ArrowLeft")
    answered(page, expected(batch=16))
    page.wait_for_timeout(900)
    heard = page.evaluate("window.heard")
    assert len(heard) == 1 and "milliseconds" in heard[0]
    assert page.evaluate("document.querySelectorAll('[role=status]').length") == 1


@pytest.mark.parametrize("path", PAGES[:3])
@pytest.mark.parametrize("width", [320, 360, 600])
def test_nothing_scrolls_sideways(open_page, path, width):
    """At phone widths, and at 200 % zoom of a small laptop, the page is as wide as its window, everything opened."""
    page = open_page(path, viewport={"width": width, "height": 740})
    page.evaluate("for (const d of document.querySelectorAll('.est details')) d.open = true")
    page.evaluate("for (const r of document.querySelectorAll('.est-why')) r.hidden = false")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_phones_get_large_targets_and_the_answer_in_sight(open_page):
    """At 360 pixels sliders are 44 px high and the answer stays visible while the form is on screen."""
    page = open_page(viewport={"width": 360, "height": 740})
    assert track(page, "batch").bounding_box()["height"] >= 44
    mini = widget(page).locator(".est-mini")
    box(page, "batch").scroll_into_view_if_needed()
    assert mini.is_visible() and mini.bounding_box()["y"] < 740
    assert page.locator(".est-plots svg.est-narrow").first.is_visible() and page.locator(".est-plots svg.est-wide").first.is_hidden()
    size = page.evaluate("""() => { const t = document.querySelector('.est-narrow text'), s = t.ownerSVGElement;
        return 12 * s.getBoundingClientRect().width / s.viewBox.baseVal.width; }""")
    assert size >= 10.5


def test_forced_colours_keep_bars_and_lines(open_page):
    """In forced colours bars and lines are still drawn in system colours."""
    page = open_page(forced_colors="active")
    stroke = page.locator(".est-wide .line.l0").evaluate("e => getComputedStyle(e).stroke")
    ground = page.evaluate("getComputedStyle(document.querySelector('.est')).backgroundColor")
    assert stroke != ground


def test_reduced_motion_means_none(open_page):
    """Under reduced motion no part of the widget has a transition."""
    page = open_page(reduced_motion="reduce")
    assert page.locator(".est-part").first.evaluate("e => parseFloat(getComputedStyle(e).transitionDuration)") in (0, 1e-05)


def test_the_dark_toggle_changes_the_chart(open_page):
    """Colours come from the theme's variables: the dark scheme needs no redrawing."""
    colours = []
    for scheme in ("light", "dark"):
        page = open_page(color_scheme=scheme)
        colours.append(page.locator(".est-wide .line.l0").first.evaluate("e => getComputedStyle(e).stroke"))
    assert colours[0] != colours[1]
