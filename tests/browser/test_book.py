"""The book's own pages: every widget in them, as readers get them."""

import re

import pytest

from tests.browser.driving import live
from tests.browser.test_access import AXE, RULES


@pytest.fixture(scope="module")
def pages(site_dir):
    """Addresses of the pages that hold a widget."""
    found = [p for p in sorted(site_dir.rglob("index.html")) if '<section class="est"' in p.read_text(encoding="utf-8")]
    return [p.relative_to(site_dir).as_posix().removesuffix("index.html") for p in found]


@pytest.fixture
def reader(browser, server):
    """A page in a phone-sized window that collects errors and requests to elsewhere."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.elsewhere, page.errors = [], []
    page.on("request", lambda r: page.elsewhere.append(r.url) if not r.url.startswith((server.url, "data:", "blob:")) else None)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    context.close()
    assert page.elsewhere == [] and page.errors == []


def test_every_page_fits_a_phone(reader, server, pages):
    """No page with a widget is wider than a phone, with all its folded parts open."""
    wide = []
    for path in pages:
        reader.goto(server.url + path)
        reader.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
        if reader.evaluate("document.documentElement.scrollWidth") > 360:
            wide.append(path)
    assert pages and wide == []


def test_axe_finds_nothing_on_any_page(browser, server, site_dir):
    """On no page of the book, theme and all, does the accessibility checker find a fault; the contrast is good in both schemes."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light", reduced_motion="reduce")
    page, found = context.new_page(), []
    for file in sorted(site_dir.rglob("*.html")):
        path = file.relative_to(site_dir).as_posix().removesuffix("index.html")
        page.goto(server.url + path)
        page.add_script_tag(path=str(AXE))
        page.evaluate("for (const d of document.querySelectorAll('article details')) d.open = true")
        for scheme, rules in (("default", RULES), ("slate", {"type": "rule", "values": ["color-contrast"]})):
            page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
            page.wait_for_timeout(300)  # the theme's colours fade
            found += page.evaluate("""async ([path, scheme, rules]) => (await axe.run(document, { runOnly: rules })).violations.map((v) =>
                `${path} ${scheme} ${v.id}: ` + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | '))""", [path, scheme, rules])
    context.close()
    assert found == []


def test_every_widget_goes_live(reader, server, pages, site_dir):
    """Every widget of the book, touched, is live at its author's values and gives the answer that the build gave."""
    reader.goto(server.url)
    for path in pages:
        # By a link, as a reader goes: Python stays alive from page to page.
        reader.evaluate("address => { const a = document.createElement('a'); a.href = address; document.body.append(a); a.click(); a.remove(); }",
                        server.url + path)
        reader.wait_for_function("path => location.pathname.endsWith(path) && document.querySelector('section.est')", arg=path)
        for name in re.findall(r'<section class="est" id="([^"]+)"', (site_dir / path / "index.html").read_text(encoding="utf-8")):
            reader.wait_for_selector(f'[id="{name}.answer"]', state="attached")
            built = reader.locator(f'[id="{name}.answer"]').text_content()
            reader.evaluate("name => document.getElementById(name).dispatchEvent(new Event('focusin'))", name)
            live(reader, name)
            assert reader.locator(f'[id="{name}.answer"]').text_content() == built, (path, name)
            assert reader.locator(f'section[id="{name}"] .est-says').text_content() == "Live"
    assert len([r for r in server.log if r.path.endswith(".wasm")]) == 1
