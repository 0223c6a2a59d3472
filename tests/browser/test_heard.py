"""What somebody hears who drives a widget without seeing it: announcements, names, descriptions, and where the focus is."""

import pytest

from calc import estimator, explain, format
from tests.browser.driving import answer, answered, box, expected, live, status, track, widget


@pytest.fixture
def listened(open_page):
    """A function that opens a page and keeps what its status region says in `window.heard`."""
    def opened(path="", **options):
        page = open_page(path, **options)
        page.evaluate("""() => {
            let last = '';
            window.heard = [];
            new MutationObserver(() => { const place = document.getElementById('est-announce');
                if (place && place.textContent && place.textContent !== last) window.heard.push(last = place.textContent); })
                .observe(document.body, { childList: true, characterData: true, subtree: true });
        }""")
        return page
    return opened


def hear(page, words):
    """Wait until `words` are the end of what was announced."""
    page.wait_for_function("words => window.heard.some((said) => said.replaceAll('\\u00a0', ' ').endsWith(words))", arg=words, timeout=25_000)


def focused(page):
    """The id of the element that has the focus."""
    return page.evaluate("document.activeElement.id")


def test_a_term_left_out_is_heard_and_the_focus_stays(listened):
    """Unchecking a term announces the answer without it and the factor; the row says "left out"; the focus is where it was."""
    page = listened()
    page.locator('[id="decode-step.leave"] > summary').press("Enter")
    live(page)
    switch = page.locator('[id="decode-step.leave-state_read"]')
    assert "without it" in page.locator('label[for="decode-step.leave-state_read"]').text_content()
    switch.press("Space")
    whole = estimator.call("decode-step", batch=64)
    without = whole.terms["weights_read"].value / 3.35e12
    hear(page, f"Without state read: {format.show(without, 'ms').split(chr(160))[0]} milliseconds, "
               f"off by a factor of {format.show(whole.answer.value / without)}.")
    row = page.locator('tr[data-term="state_read"]').first
    assert "left out" in row.text_content() and focused(page) == "decode-step.leave-state_read"


def test_a_guess_that_is_not_understood_goes_back_to_the_box(listened):
    """A guess that is no amount is announced and marked, and the focus is in its box, whose name has the unit."""
    page = listened("second/")
    guess = box(page, "guess", "batch-crossover")
    guess.fill("many")
    page.locator("[data-do=check]").press("Enter")
    page.wait_for_selector('[id="batch-crossover.guess"][aria-invalid="true"]', timeout=25_000)
    assert focused(page) == "batch-crossover.guess"
    hear(page, page.locator('[id="batch-crossover.guess-n"]').text_content())
    guess.fill("295")
    page.locator("[data-do=check]").press("Enter")
    page.wait_for_selector(".est-feedback")
    assert guess.get_attribute("aria-invalid") is None
    names = guess.get_attribute("aria-labelledby").split()
    assert "requests" in " ".join(page.locator(f'[id="{n}"]').text_content() for n in names)


def test_a_guess_is_judged_once(listened):
    """When an input moves after the verdict, the page keeps what was guessed and drops the verdict; only the answer is heard."""
    page = listened("second/")
    box(page, "guess", "batch-crossover").fill("50000")
    page.locator("[data-do=check]").press("Enter")
    page.wait_for_function("document.querySelector('.est-feedback')?.textContent.includes('high')", timeout=25_000)
    page.wait_for_timeout(700)
    page.evaluate("window.heard = []")
    track(page, "context", "batch-crossover").press("ArrowLeft")
    page.wait_for_function("!document.querySelector('.est-feedback').textContent.includes('high')")
    assert "You said 50,000" in page.locator(".est-feedback").text_content()
    page.wait_for_timeout(700)
    assert page.evaluate("window.heard.length") == 1 and "You said" not in page.evaluate("window.heard[0]")
    track(page, "context", "batch-crossover").press("End")
    page.wait_for_function("!document.querySelector('.est-feedback')")


def test_pin_swap_and_unpin_keep_the_focus(listened):
    """Pinning says what A is; later answers end with the ratio; Swap keeps the focus and Unpin hands it to "Pin as A"."""
    page = listened()
    pin = widget(page).locator("[data-do=pin]")
    pin.press("Enter")
    a = estimator.call("decode-step", batch=64)
    hear(page, f"Pinned A: {format.spoken(a.answer)}.")
    track(page, "batch").press("ArrowRight")
    b = estimator.call("decode-step", batch=128)
    hear(page, f"{format.show(b.answer.value / a.answer.value)} times A.")
    heads = widget(page).locator(".est-ledger thead th").all_text_contents()
    assert heads[2:5] == ["B", "A", "B / A"] and "A, which is pinned" in page.locator("figcaption").first.text_content()
    widget(page).locator("[data-do=swap]").press("Enter")
    answered(page, explain.answer_text(a).replace("\u00a0", " "))
    live(page)
    assert focused(page) == "decode-step.swap"
    widget(page).locator("[data-do=unpin]").press("Enter")
    page.wait_for_function("!document.querySelector('.est-ab')")
    assert page.evaluate("document.activeElement.dataset.do") == "pin"


def test_copying_is_heard_and_its_words_go_away(listened):
    """Copying a link announces it, the words at the foot vanish, and the link leads to the widget."""
    page = listened(permissions=["clipboard-read", "clipboard-write"])
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    widget(page).locator("[data-do=link]").press("Enter")
    hear(page, "Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith("?e.decode-step.batch=128#decode-step") and "#" not in page.url
    page.wait_for_function("document.querySelector('.est-says').textContent === 'Live'")


def test_a_folded_answer_is_not_given_away(listened):
    """While the answer is folded a move announces that it is ready and nothing of it; the status reads Live."""
    page = listened("second/")
    track(page, "context", "batch-crossover").press("ArrowRight")
    hear(page, "Ready. Guess, or open the answer.")
    live(page, "batch-crossover")
    assert status(page, "batch-crossover") == "Live"
    shown = answer(page, "batch-crossover").split()[0]
    assert page.locator('[id="batch-crossover.answer"]').is_hidden() and shown not in " ".join(page.evaluate("window.heard"))


def test_an_old_answer_says_that_it_is_old(listened):
    """Beside a refused value the answer says that it is still for the last allowed ones, at full contrast, and it is heard."""
    page = listened()
    box(page, "batch").fill("99999")
    box(page, "batch").press("Enter")
    hear(page, "The answer is still for the last allowed values.")
    place = widget(page).locator(".est-still")
    assert place.is_visible() and widget(page).locator(".est-out").evaluate("e => getComputedStyle(e).opacity") == "1"
    box(page, "batch").fill("32")
    box(page, "batch").press("Enter")
    answered(page, expected(batch=32))
    assert place.count() == 0


def test_what_is_being_typed_is_read_when_it_pauses(listened):
    """Typing "8k tokens" computes 8,000 and never 8; the box is a spin button that says its value and its range."""
    page = listened()
    context = box(page, "context")
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    page.evaluate("""() => { window.shown = []; const place = document.querySelector('[data-part=answer]');
        new MutationObserver(() => window.shown.push(place.querySelector('output').textContent.replaceAll('\\u00a0', ' ')))
            .observe(place, { childList: true, subtree: true }); }""")
    context.focus()
    context.select_text()
    page.keyboard.type("8k tokens", delay=60)
    answered(page, expected(batch=128, context=8000))
    assert set(page.evaluate("window.shown")) == {expected(batch=128, context=8000)}
    assert context.get_attribute("role") == "spinbutton" and context.get_attribute("aria-valuenow") == "8000"
    assert context.get_attribute("aria-valuetext").replace("\u00a0", " ") == "8,000 tokens"
    described = [page.locator(f'[id="{n}"]').text_content() for n in context.get_attribute("aria-describedby").split()]
    assert any("Allowed: 1 to" in words for words in described)


def test_a_slow_part_says_that_it_is_being_worked_out(listened):
    """A folded part that has to be computed says so the moment it is opened."""
    page = listened()
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    said = page.evaluate("""() => new Promise((done) => { const fold = document.getElementById('decode-step.moves');
        fold.addEventListener('toggle', () => setTimeout(() => done(fold.querySelector('.est-part').textContent)), { once: true });
        fold.open = true; })""")
    assert said == "Computing …"
    page.wait_for_function("document.querySelector('[data-part=moves] thead')")


def test_a_new_page_is_said_and_has_the_focus(listened):
    """After a link within the book the focus is on the new page's heading, and its title is announced."""
    page = listened()
    page.get_by_role("link", name="to the second page").press("Enter")
    page.wait_for_function("document.activeElement.localName === 'h1' && document.activeElement.textContent.includes('Second')")
    hear(page, page.title())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement !== document.body && document.activeElement.closest('article') !== null")


def test_an_own_accelerator_is_said_and_a_mistake_leads_to_its_box(listened):
    """In the dialog a bad number gets the focus and is marked; what is added is announced by name."""
    page = listened()
    widget(page).locator("[data-do=own]").press("Enter")
    form = page.locator('[data-own="accelerator"]')
    for name, value in {"name": "mine", "peak": "2 PFLOP/s", "bandwidth": "fast", "memory": "100 GB"}.items():
        form.locator(f"[name={name}]").fill(value)
    form.get_by_role("button", name="Add the accelerator").press("Enter")
    page.wait_for_function("document.activeElement.name === 'bandwidth' && document.activeElement.ariaInvalid === 'true'", timeout=25_000)
    form.locator("[name=bandwidth]").fill("6.7 TB/s")
    form.get_by_role("button", name="Add the accelerator").press("Enter")
    page.wait_for_function("window.heard.some((said) => said.startsWith('mine (yours) added and selected.'))", timeout=25_000)
