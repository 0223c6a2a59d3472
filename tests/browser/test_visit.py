"""One visit: pages by instant navigation, one Python for all of them, and what the whole costs."""

import gzip
import json
from pathlib import Path

from tests.browser.driving import answered, box, expected, fetched, live, track

ROOT = Path(__file__).parents[2]


def test_two_pages_share_one_worker(open_page, trial):
    """After instant navigation the next page's widgets answer with the Python that is there: one worker, one .wasm."""
    page = open_page()
    workers = []
    page.on("worker", lambda worker: workers.append(worker.url))
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    page.evaluate("window.same = true")
    for name in ("Third", "Many", "Trial", "Third"):
        page.locator(".md-tabs__link", has_text=name).click()
        page.wait_for_function("name => document.querySelector('article h1').textContent.startsWith(name)", arg=name)
    track(page, "batch", "does-it-fit").press("ArrowRight")
    live(page, "does-it-fit")
    assert page.evaluate("window.same") is True and not fetched(trial, "third/index.html$")
    ours = [w for w in workers if "est-worker" in w]
    assert len(ours) == 1 and len(fetched(trial, r"\.wasm$")) == 1


def test_a_dozen_widgets_need_one_worker(open_page, trial):
    """Twelve widgets on a page, all touched, are answered by one worker."""
    page = open_page("many/")
    workers = []
    page.on("worker", lambda worker: workers.append(worker.url))
    for n in range(12):
        page.evaluate("n => document.getElementById(`w${n}`).dispatchEvent(new Event('focusin'))", n)
    for n in range(12):
        live(page, f"w{n}")
    assert len([w for w in workers if "est-worker" in w]) == 1


def test_listeners_do_not_pile_up(open_page):
    """Twenty navigations leave as many global listeners as one, and one live region."""
    page = open_page()
    page.evaluate("""() => {
        window.added = 0;
        for (const target of [window, document, document.body]) {
            const add = target.addEventListener;
            target.addEventListener = function (...given) { window.added += 1; return add.apply(this, given); };
        }
    }""")
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))

    def round_trip():
        page.locator(".md-tabs__link", has_text="Third").click()
        page.wait_for_function("document.querySelector('article h1').textContent.startsWith('Third')")
        page.locator(".md-tabs__link", has_text="Trial").click()
        page.wait_for_function("document.querySelector('article h1').textContent.startsWith('Trial')")

    round_trip()
    first = page.evaluate("window.added")
    for _ in range(9):
        round_trip()
    grown = page.evaluate("window.added") - first
    # The theme may add some at each navigation and takes them away again; nothing of ours comes on top.
    assert grown <= 9 * max(first, 1)
    assert page.evaluate("document.querySelectorAll('#est-announce').length") == 1


def test_a_thousand_calls_do_not_grow_the_heap(open_page):
    """After a thousand answers Python's memory is what it was after the first hundred, and the page's is bounded."""
    page = open_page()
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    page.set_default_timeout(60_000)
    sizes = page.evaluate("""async () => {
        const address = document.querySelector('script[src$="est.mjs"]').src.replace('est.mjs', 'est-python.mjs');
        const { call } = await import(address);
        const sizes = [];
        for (let n = 0; n < 1000; n += 1) {
            await call('update', 'move-bytes', JSON.stringify({ inputs: { pieces: String(1 + n % 50) } }));
            if (n === 100 || n === 999) sizes.push(performance.memory.usedJSHeapSize);
        }
        return sizes;
    }""")
    assert sizes[1] < sizes[0] + 20_000_000


def test_no_long_task_while_python_starts(open_page):
    """Python starts off the page's own thread: no task there comes near the 0.9 s that a start on it takes at best."""
    page = open_page()
    page.evaluate("""() => {
        window.long = [];
        new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
    }""")
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    assert [d for d in page.evaluate("window.long") if d > 500] == []


def test_no_layout_shift(open_page):
    """Nothing moves by itself: not when the page loads, not when Python arrives, not when an answer changes."""
    page = open_page()
    page.evaluate("""() => {
        window.shift = 0;
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
    }""")
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    page.wait_for_timeout(800)
    assert page.evaluate("window.shift") < 0.01


def test_search_finds_prose_and_not_controls(open_page, trial):
    """A phrase of a page is found; the words of its controls are not in the index."""
    page = open_page(wait="networkidle")
    page.locator("input.md-search__input").click()
    page.locator("input.md-search__input").press_sequentially("xylophone", delay=30)
    page.wait_for_function("document.querySelector('.md-search-result__list').textContent.includes('xylophone')")
    index = json.loads((trial.folder / "search" / "search_index.json").read_text())
    text = " ".join(entry["text"] for entry in index["docs"])
    assert "Step time" in text and "Pin as A" not in text and "data-rungs" not in text


def test_what_a_page_costs(trial):
    """Scripts that a page loads are at most 15 kB and its widget styles at most 10 kB, gzipped."""
    assets = trial.folder / "assets"
    size = sum(len(gzip.compress((assets / name).read_bytes(), 9)) for name in
               ("est.mjs", "est-python.mjs", "est-prose.mjs", "est-data.mjs", "est-guard.js"))
    assert size <= 15_000, size
    assert len(gzip.compress((assets / "est.css").read_bytes(), 9)) <= 10_000


def test_scripts_neither_compute_nor_format(trial):
    """No number is formatted and no markup is made in JavaScript."""
    for path in (ROOT / "docs" / "assets").glob("est*.mjs"):
        text = path.read_text()
        for word in ("toFixed", "toPrecision", "toLocaleString", "Intl.", "Math.pow", "Math.log", "insertAdjacentHTML", "eval(", "outerHTML"):
            assert word not in text, (path.name, word)


def test_the_theme_offers_what_the_widget_uses(open_page):
    """What the widget takes from the theme is there: a stream of pages, a colour scheme on the body, parts that search skips."""
    page = open_page()
    assert page.evaluate("typeof window.document$.subscribe") == "function"
    assert page.locator("body").get_attribute("data-md-color-scheme") in ("default", "slate")
    assert page.locator("form.est-form[data-search-exclude]").count() == 1


def test_one_widget_works_without_the_others(open_page):
    """The second widget of a page is live by itself."""
    page = open_page("third/")
    box(page, "batch", "does-it-fit").fill("2")
    answered(page, expected("does-it-fit", batch=2), "does-it-fit")
