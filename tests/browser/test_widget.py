"""A reader with a mouse and a keyboard: what the widget does on a built page, under a sub-path."""

import json
import re

from tests.browser.driving import answer, answered, box, expected, fetched, live, status, track, widget


def test_without_a_script_the_page_is_complete(open_page):
    """With JavaScript off the answer, the ledger and the chart are there, the dead form is not, and no Python is fetched."""
    page = open_page(java_script_enabled=False)
    assert answer(page) == expected(batch=64)
    assert page.locator(".est-ledger tbody tr:visible").count() > 10 and page.locator(".est-plots svg:visible").count() == 1
    assert page.locator(".est-form:visible").count() == 0


def test_nothing_of_python_before_the_first_touch(open_page, trial):
    """Before a touch no file of the runtime is fetched and the status says what a touch would do."""
    page = open_page()
    page.wait_for_timeout(500)
    assert fetched(trial, "^runtime/|est-worker") == [] and "Move anything" in status(page)


def test_a_slider_changes_the_answer_the_address_and_the_sentence(open_page):
    """One rung up doubles the batch: answer, box, spoken value, address and the numbers in the prose follow."""
    page = open_page()
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    assert box(page, "batch").input_value() == "128" and track(page, "batch").get_attribute("aria-valuetext") == "128 sequences"
    page.wait_for_url("**e.decode-step.batch=128*")
    assert page.locator("output[data-live]").text_content().replace("\u00a0", " ") == expected(batch=128)
    assert page.locator(".est-drag").input_value() == "128" and status(page) == "Live"


def test_values_moved_while_python_starts_are_kept(open_page):
    """What the reader sets before Python is there is what the first live answer is for; the newest value wins."""
    page = open_page()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        track(page, "batch").press(key)
    assert box(page, "batch").input_value() == "256"
    answered(page, expected(batch=256))


def test_an_address_restores_its_state(open_page):
    """An address with a state is answered at once, in boxes, lists and radios as well as in the answer."""
    page = open_page("?e.decode-step.batch=8&e.decode-step.accelerator=rtx-4090&e.decode-step.kv_bits=8&e.decode-step.context=1k")
    answered(page, expected(batch=8, accelerator="rtx-4090", kv_bits=8, context=1000))
    assert box(page, "accelerator").input_value() == "rtx-4090" and box(page, "batch").input_value() == "8"
    assert page.locator('input[name="kv_bits"]:checked').get_attribute("value") == "8"


def test_a_bad_address_names_what_is_wrong(open_page):
    """A value out of range, an unknown record and an unknown estimator are named; the built answer stays."""
    page = open_page("?e.decode-step.batch=99999")
    page.wait_for_selector('[id="decode-step.batch"][aria-invalid="true"]')
    assert "outside 1 to 1024" in page.locator('[id="decode-step.batch-n"]').text_content() and answer(page) == expected(batch=64)
    page = open_page("?e.decode-step.accelerator=h101")
    page.wait_for_function("document.getElementById('decode-step.accelerator-n').textContent.includes('nearest: ')")
    page = open_page("?e.nonesuch.batch=1")
    page.wait_for_function("document.querySelector('.est-says').textContent.includes('nonesuch')")


def test_a_pinned_a_travels_in_the_address(open_page):
    """Pin, change, read B against A; the address carries both, and swapping and unpinning do what they say."""
    page = open_page()
    widget(page).locator("[data-do=pin]").click()
    live(page)
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    assert "B is" in widget(page).locator(".est-ab").text_content() and page.locator(".est-two").count() == 1
    page.wait_for_url("**a.decode-step.batch=64*")
    again = open_page(page.url.split("/ai-infra/")[1])
    again.wait_for_selector(".est-ab")
    answered(again, expected(batch=128))
    again.locator("[data-do=swap]").click()
    answered(again, expected(batch=64))
    again.locator("[data-do=unpin]").click()
    again.wait_for_function("!document.querySelector('.est-ab')")


def test_reset_goes_back_to_the_authors_values(open_page):
    """Reset restores every control and the answer, and empties the address."""
    page = open_page("?e.decode-step.batch=8&e.decode-step.accelerator=l4")
    answered(page, expected(batch=8, accelerator="l4"))
    widget(page).locator("button[type=reset]").click()
    answered(page, expected(batch=64))
    assert box(page, "accelerator").input_value() == "h100-sxm"
    page.wait_for_function("!location.search")


def test_an_invalid_field_says_why_and_keeps_the_answer(open_page):
    """A box with a bad value is marked, described, and announced; the rest of the widget stays as it was."""
    page = open_page()
    live_answer = answer(page)
    box(page, "batch").fill("1.5 kWh")
    box(page, "batch").press("Enter")
    page.wait_for_selector('[id="decode-step.batch"][aria-invalid="true"]')
    assert answer(page) == live_answer
    box(page, "batch").fill("32")
    box(page, "batch").press("Enter")
    answered(page, expected(batch=32))
    assert box(page, "batch").get_attribute("aria-invalid") is None


def test_a_typed_unit_is_echoed(open_page):
    """What was understood stands under the box while it holds something else."""
    page = open_page()
    box(page, "context").fill("8Ki")
    answered(page, expected(batch=64, context=8192))
    page.wait_for_function("document.getElementById('decode-step.context-n').textContent.includes('8,192')")


def test_does_not_fit_reads_the_limits_words(open_page):
    """Where a limit fails the answer is its words, with need and have, and the page is announced as such."""
    page = open_page("third/?e.does-it-fit.model=llama-3.1-70b&e.does-it-fit.weight_bits=16")
    answered(page, "Does not fit", "does-it-fit")
    assert "short" in page.locator('section[id="does-it-fit"] .est-verdict').text_content()


def test_explanations_open_close_and_survive_an_update(open_page):
    """A term's explanation opens with its button, stays open when the answer changes, and Escape closes it."""
    page = open_page()
    ask = page.locator('[id="decode-step.ask-memory_time"]')
    ask.click()
    live(page)
    why = page.locator('[id="decode-step.why-memory_time"]')
    assert why.is_visible() and "memory interface" in why.text_content()
    track(page, "batch").press("ArrowRight")
    answered(page, expected(batch=128))
    assert why.is_visible() and ask.get_attribute("aria-expanded") == "true"
    ask.press("Escape")
    assert why.is_hidden()


def test_a_term_can_be_left_out(open_page):
    """Unchecking a term shows the answer without it, marked as left out by choice; checking it brings it back."""
    page = open_page()
    page.locator('[id="decode-step.leave"] > summary').click()
    live(page)
    page.locator('[id="decode-step.leave-memory_time"]').uncheck()
    page.wait_for_selector(".est-left")
    assert "by choice: memory time" in page.locator(".est-left").text_content()
    page.locator('[id="decode-step.leave-memory_time"]').check()
    answered(page, expected(batch=64))


def test_what_moves_it_follows_the_inputs(open_page):
    """An open panel is worked out again for the values that were set; a closed one when it is opened."""
    page = open_page()
    page.locator('[id="decode-step.flips"] > summary').click()
    live(page)
    box(page, "context").fill("1")
    answered(page, expected(batch=64, context=1))
    page.wait_for_function("document.querySelector('[data-part=flips]').textContent.includes('now 64')")
    page.locator('[id="decode-step.moves"] > summary').click()
    page.wait_for_function("document.querySelector('[data-part=moves]').textContent.includes('bandwidth')")


def test_guess_first_then_see(open_page):
    """A guess gets a ratio, opens the answer and appears in the chart; the answer was folded but never locked."""
    page = open_page("second/")
    name = "batch-crossover"
    assert page.locator(f'[id="{name}.answer"]').is_hidden()
    box(page, "guess", name).fill("295")
    page.locator("[data-do=check]").click()
    page.wait_for_selector(".est-feedback")
    assert "low" in page.locator(".est-feedback").text_content()
    assert page.locator(f'[id="{name}.answer"]').is_visible() and page.locator(".est-wide .diamond").count() == 1
    assert page.evaluate("Object.keys(localStorage).filter(k => k.startsWith('est.')).length") == 0


def test_just_show_me(open_page):
    """The answer can be had without a guess, by one button, without Python."""
    page = open_page("second/")
    page.locator("[data-do=reveal]").click()
    assert page.locator('[id="batch-crossover.answer"]').is_visible()


def test_remembered_guesses_are_counted_and_forgotten(open_page):
    """A ticked guess is kept under one key, the calibration page counts it, and Forget empties it."""
    page = open_page("second/")
    page.locator("[data-do=remember]").check()
    box(page, "guess", "batch-crossover").fill("400")
    page.locator("[data-do=check]").click()
    page.wait_for_function("localStorage.getItem('est.guesses')")
    (kept,) = json.loads(page.evaluate("localStorage.getItem('est.guesses')"))
    assert kept["id"] == "batch-crossover" and 0.4 < kept["ratio"] < 0.5
    page.goto(page.url.replace("second/", "calibration/"))
    page.wait_for_function("document.querySelector('[data-calibration]').textContent.includes('One guess')", timeout=25_000)
    page.locator("[data-calibration] button").click()
    page.wait_for_function("localStorage.getItem('est.guesses') === null")


def test_units_are_remembered_for_the_whole_site(open_page):
    """GiB chosen at one widget holds for the others and for the next page, and is only a way of writing."""
    page = open_page("third/")
    page.locator('[id="does-it-fit.units-GiB"]').check()
    page.wait_for_function("document.getElementById('does-it-fit.answer').textContent.includes('GiB')", timeout=25_000)
    page.reload()
    assert page.locator('[id="pinned-step.units-GiB"]').is_checked()
    assert "units" not in page.url


def test_copies_and_downloads(open_page):
    """The command, the Python, the citation and the link are copied as they stand; chart and numbers come as files."""
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.locator('[id="decode-step.carry"] > summary').click()
    page.locator('[data-from="decode-step.copy-command"]').click()
    page.wait_for_function("document.querySelector('.est-says').textContent === 'Copied.'")
    assert page.evaluate("navigator.clipboard.readText()") == "python -m calc show decode-step --batch 64"
    live(page)
    with page.expect_download() as got:
        page.locator("[data-do=csv]").click()
    assert got.value.suggested_filename == "decode-step.csv"
    with page.expect_download() as got:
        page.locator("[data-do=svg]").click()
    assert got.value.path().read_text().startswith("<svg xmlns")


def test_an_own_accelerator_joins_the_lists_and_the_address(open_page):
    """Three typed numbers join every list that they will do for, answer at once, and travel in the address."""
    page = open_page()
    widget(page).locator("[data-do=own]").click()
    form = page.locator('[data-own="accelerator"]')
    for name, value in {"name": "mine", "peak": "2 PFLOP/s", "bandwidth": "6.7 TB/s", "memory": "100 GB"}.items():
        form.locator(f"[name={name}]").fill(value)
    form.locator("button").click()
    page.wait_for_function("document.getElementById('decode-step.accelerator').value === 'own-mine'", timeout=25_000)
    page.wait_for_url("**o.accelerator=*")
    mine = answer(page)
    again = open_page(page.url.split("/ai-infra/")[1])
    again.wait_for_function("document.getElementById('decode-step.accelerator').value === 'own-mine'", timeout=25_000)
    live(again)
    assert answer(again) == mine


def test_a_bad_own_accelerator_says_why(open_page):
    """What is not understood is said in the dialog, which stays open."""
    page = open_page()
    widget(page).locator("[data-do=own]").click()
    page.locator('[data-own="accelerator"] [name=peak]').fill("fast")
    page.locator('[data-own="accelerator"] button').click()
    page.wait_for_function("document.querySelector('.est-own .est-note').textContent.includes('peak')", timeout=25_000)
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('.est-own')")


def test_a_number_in_a_sentence_can_be_dragged_and_typed(open_page):
    """The scrubbed number moves with the arrows, by dragging and by typing, drives the widget, and Escape restores it."""
    page = open_page()
    number = page.locator(".est-drag")
    assert number.input_value() == "64" and number.get_attribute("role") == "spinbutton"
    number.focus()
    number.press("ArrowUp")
    answered(page, expected(batch=128))
    number.press("Escape")
    answered(page, expected(batch=64))
    number.fill("100")
    number.press("Enter")
    answered(page, expected(batch=100))
    place = number.bounding_box()
    page.mouse.move(place["x"] + 5, place["y"] + 8)
    page.mouse.down()
    page.mouse.move(place["x"] + 40, place["y"] + 8, steps=6)
    page.mouse.up()
    page.wait_for_function("Number(document.querySelector('.est-drag').value.replace(',', '')) > 100")
    assert place["height"] >= 24


def test_print_shows_the_state_on_screen(open_page):
    """In print the form is gone, the folded parts are open, and the values are those that the reader set."""
    page = open_page("?e.decode-step.batch=8")
    answered(page, expected(batch=8))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".est-form").is_hidden() and page.locator('[id="decode-step.excluded"]').evaluate("d => d.open")
    assert "batch 8 sequences" in page.locator("caption").first.text_content().replace("\u00a0", " ")
    assert answer(page) == expected(batch=8) and "batch=8" in widget(page).get_attribute("data-url")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not page.locator('[id="decode-step.excluded"]').evaluate("d => d.open")


def test_every_id_on_every_page_is_unique_after_going_live(open_page):
    """Live markup brings no id twice."""
    page = open_page("third/?e.pinned-step.batch=4&e.does-it-fit.batch=4")
    live(page, "pinned-step")
    live(page, "does-it-fit")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids)) and not [i for i in ids if re.search(r"\s", i)]
