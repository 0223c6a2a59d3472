"""What is typed, pasted or put into an address is data: it is bounded, escaped and never run."""

from urllib.parse import urlencode

from tests.browser.driving import answered, box, expected, live, widget

ATTACKS = [
    "<img src=x onerror=window.hit=1>", "<script>window.hit=1</script>", "\"><svg onload=window.hit=1>", "javascript:window.hit=1",
    "{{7*7}}", "9" * 5000, "\u202e8", "8\u0000", "１２", "-0", "1e999", "__proto__", "constructor", "%", "é" * 300,
]


KEYS = ["e.decode-step.batch", "e.decode-step.accelerator", "e.decode-step.<b>", "e.<img src=x onerror=window.hit=1>.x",
        "a.decode-step.batch", "o.accelerator", "o.model", "e.__proto__.x", "e"]


def test_no_address_runs_or_breaks_the_page(open_page):
    """Whatever an address carries, nothing of it runs, and the widget still answers afterwards."""
    page = open_page()
    page.wait_for_timeout(50)
    for key in KEYS:
        for attack in ATTACKS:
            page.evaluate("pair => history.replaceState(history.state, '', '?' + new URLSearchParams([pair]))", [key, attack])
            page.evaluate("window.document$.next(document)")
    for key in KEYS[:3]:
        page.goto(page.url.split("?")[0] + "?" + urlencode({key: ATTACKS[0]}))
        page.wait_for_function("document.querySelector('.est-says').textContent.length", timeout=25_000)
    page.wait_for_timeout(300)
    assert page.evaluate("window.hit") is None
    assert page.locator(".est img, .est script, .est svg[onload]").count() == 0
    page.evaluate("history.replaceState(history.state, '', location.pathname)")
    widget(page).locator("button[type=reset]").click()
    box(page, "batch").fill("32")
    box(page, "batch").press("Enter")
    answered(page, expected(batch=32))


def test_nothing_typed_runs(open_page):
    """Markup and monsters in a box come back as a message, as text."""
    page = open_page()
    for attack in ATTACKS:
        box(page, "batch").fill(attack)
        box(page, "batch").press("Enter")
    page.wait_for_selector('[id="decode-step.batch"][aria-invalid="true"]', timeout=25_000)
    assert page.evaluate("window.hit") is None and page.locator(".est-note img, .est-note script").count() == 0
    assert len(page.locator('[id="decode-step.batch-n"]').text_content()) < 300


CONFIGS = ['<script>window.hit=1</script>', '{"model_type": "<img src=x onerror=window.hit=1>"}', "[" * 20_000,
           '{"hidden_size": 1e400}', "x" * 60_000,
           '{"model_type": "llama", "num_hidden_layers": "<b>"}', "null", '{"__proto__": {"x": 1}}']


def test_no_pasted_config_runs_or_breaks(open_page):
    """Whatever is pasted as a config.json gets a sentence, nothing of it runs, and the page stays live."""
    page = open_page()
    widget(page).locator("[data-do=own]").click()
    form = page.locator('[data-own="model"]')
    form.wait_for()  # the dialog is fetched when it is asked for
    for config in CONFIGS:
        page.evaluate("() => { document.querySelector('.est-own .est-note').textContent = ''; }")
        form.locator("textarea").fill(config)
        form.locator("button").click()
        page.wait_for_function("document.querySelector('.est-own .est-note').textContent.length > 5", timeout=25_000)
    assert page.evaluate("window.hit") is None and page.locator(".est-note img, .est-note script").count() == 0
    page.keyboard.press("Escape")
    box(page, "batch").fill("16")
    answered(page, expected(batch=16))
    live(page)
