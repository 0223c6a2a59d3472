"""What the worker calls: it never raises, it says what is wrong, and it formats everything that the page shows."""

import json
import shlex
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calc import cli, estimator, explain, web
from calc.render import carry, html
from calc.render.view import View, typed

IDS = estimator.ids()


def ask(id, **request):
    return json.loads(web.update(id, json.dumps(request)))


@pytest.mark.parametrize("id", IDS)
def test_built_and_live_are_the_same_markup(id):
    """A live answer at the author's values is, part by part, the HTML that the build wrote; only the records come later."""
    view = View(estimator.find(id)())
    reply = ask(id, open=list(html.SLOW))
    assert reply["parts"] == html.parts(view, set(html.SLOW))
    page = html.section(view)
    for name, markup in reply["parts"].items():
        assert (markup in page) == (name not in html.LIVE_ONLY), name


@pytest.mark.parametrize("id", IDS)
def test_the_records_of_the_picks_are_shown_with_their_sources(id):
    """Opened in a live widget, the records of all picks are tables that name each number's document."""
    view = View(estimator.find(id)())
    cards = ask(id, open=["records"])["parts"]["records"]
    picks = [f for f in view.estimator.inputs.values() if f.kind == "pick"]
    assert cards.count("<table") == len(picks)
    for form in picks:
        assert form.catalogue[form.default].name in cards
    assert ("https://" in cards) or not picks


@pytest.mark.parametrize("id", IDS)
def test_what_a_control_shows_reads_back(id):
    """Sending back the texts that the reply puts into the controls gives the same answer and an empty address."""
    first = ask(id)
    again = ask(id, inputs={n: s["text"] for n, s in first["fields"].items()})
    assert again["ok"] and again["parts"] == first["parts"] and again["address"] == []


@pytest.mark.parametrize("id", IDS)
def test_an_address_restores_its_state(id):
    """The address written for an answer away from the defaults gives that answer again."""
    found = estimator.find(id)
    moved = {n: typed(f, f.low) for n, f in found.inputs.items() if f.kind == "slider"}
    try:
        there = ask(id, inputs=moved)
    except json.JSONDecodeError:
        pytest.fail("no reply")
    if not there["ok"]:
        pytest.skip("the low ends together are no legal state")
    state = {key.removeprefix(f"e.{id}."): value for key, value in there["address"]}
    back = ask(id, address=state)
    assert back["parts"]["ledger"] == there["parts"]["ledger"] and back["address"] == there["address"]


@pytest.mark.parametrize("id", IDS)
def test_the_command_and_the_python_give_the_same_answer(id, capsys):
    """The command and the Python that a reader carries away print the answer that stands on the page."""
    import calc

    found = estimator.find(id)
    name, form = next(((n, f) for n, f in found.inputs.items() if f.kind == "slider"), (None, None))
    try:
        view = View(found(**({name: form.low} if form else {})))
    except (ValueError, LookupError):
        view = View(found())
    words = shlex.split(carry.command(view))
    assert words[:4] == ["python", "-m", "calc", "show"]
    assert cli.main(words[3:]) == 0
    assert explain.answer_text(view.answer).replace("\u00a0", " ") in capsys.readouterr().out.replace("\u00a0", " ")
    assert eval(carry.python(view), {"calc": calc}).answer.value == view.answer.answer.value


def test_a_pinned_a_gets_columns_a_ratio_and_an_address():
    """With A pinned there are columns for A and the ratio, a sentence, changed fields are marked, and the address holds A."""
    reply = ask("decode-step", inputs={"batch": "64"}, pin={"batch": "8"})
    b, a = estimator.call("decode-step", batch=64), estimator.call("decode-step")
    ratio = explain.format.show(b.answer.value / a.answer.value, label="×")
    assert f"B is {ratio} A." in reply["parts"]["pinned"] and explain.answer_text(a) in reply["parts"]["pinned"]
    assert reply["parts"]["ledger"].count("<th") > len(b.terms) and ratio in reply["parts"]["ledger"]
    assert reply["fields"]["batch"]["a"] == "A: 8\u00a0sequences"
    assert ["a.decode-step.batch", "8"] in reply["address"] and ["e.decode-step.batch", "64"] in reply["address"]
    assert reply["pin"]["batch"] == "8"


def test_a_bad_value_names_the_input_and_leaves_the_rest():
    """A value out of range gives a message with the allowed range at that input, and no new answer."""
    reply = ask("decode-step", inputs={"batch": "2000"})
    assert not reply["ok"] and reply["errors"] == {"batch": "Batch: 2000 is outside 1 to 1024"} and "parts" not in reply


def test_typed_units_are_understood_and_echoed():
    """A text with a unit or a suffix is read in it, and the reply says what was understood."""
    reply = ask("decode-step", inputs={"context": "8k"})
    assert reply["values"]["context"] == "8000" and reply["fields"]["context"]["shown"] == "8,000\u00a0tokens"
    assert ask("decode-step", inputs={"context": "8Ki"})["values"]["context"] == "8192"


def test_bytes_can_read_in_binary_units():
    """The units switch changes how amounts of bytes read, everywhere in the reply, and no value."""
    decimal, binary = ask("does-it-fit"), ask("does-it-fit", units="GiB")
    assert "GB" in decimal["parts"]["answer"] and "GiB" in binary["parts"]["answer"] and "GiB" not in decimal["parts"]["answer"]
    assert decimal["values"] == binary["values"]
    assert ask("does-it-fit") == decimal


def test_a_term_left_out_is_marked_as_chosen():
    """Without the state read the answer is shown with its error factor and the words that it is not counted by choice."""
    reply = ask("decode-step", inputs={"batch": "64"}, out=["state_read"], open=["leave"])
    whole = estimator.call("decode-step", batch=64)
    expected = whole.terms["weights_read"].value / 3.35e12
    assert "Not counted by choice: state read" in reply["parts"]["answer"]
    assert explain.format.show(expected, "ms") in reply["parts"]["answer"]
    assert explain.format.show(whole.answer.value / expected) in reply["parts"]["answer"]
    assert 'class="est-out-row"' in reply["parts"]["ledger"] and 'data-leave="state_read">' in reply["parts"]["leave"]


def test_a_term_left_out_is_said_and_seen_everywhere():
    """A term left out is announced with its effect, named in its row and at its switch, and what shows the whole answer says so."""
    reply = ask("decode-step", inputs={"batch": "64"}, out=["state_read"], open=["leave"])
    whole = estimator.call("decode-step", batch=64)
    without = whole.terms["weights_read"].value / 3.35e12
    number, factor = explain.format.show(without, "ms").split("\u00a0")[0], explain.format.show(whole.answer.value / without)
    assert reply["announce"] == f"Without state read: {number} milliseconds, off by a factor of {factor}."
    assert ">left out<" in reply["parts"]["ledger"] and "not counted by choice: state read" in reply["parts"]["ledger"]
    assert "not counted by choice: state read" in reply["parts"]["chart"] and number in reply["mini"]
    label = reply["parts"]["leave"].split('data-leave="state_read">')[1].split("</label>")[0]
    assert "without it" in label
    assert ask("prefill-time")["parts"]["band"] and not ask("prefill-time", out=["compute_time"])["parts"]["band"]


def test_pinning_is_said_and_later_answers_end_with_the_ratio():
    """Pinning says what A is; from then on an announcement ends with the ratio to it, and the columns are B, A and B / A."""
    said = ask("decode-step", inputs={"batch": "8"}, pin={"batch": "8"}, did="pin")["announce"]
    a, b = estimator.call("decode-step", batch=8), estimator.call("decode-step", batch=64)
    assert said == f"Pinned A: {explain.format.spoken(a.answer)}."
    reply = ask("decode-step", inputs={"batch": "64"}, pin={"batch": "8"})
    assert reply["announce"].endswith(f" {explain.format.show(b.answer.value / a.answer.value)} times A.")
    heads = reply["parts"]["ledger"].split("</thead>")[0]
    assert [h in heads for h in (">B<", ">A<", ">B / A<")] == [True] * 3


def test_not_possible_reads_the_limits_own_words():
    """Where a limit fails the answer is the limit's words, need, have and shortfall are named, and it is announced."""
    reply = ask("does-it-fit", inputs={"model": "llama-3.1-70b", "weight_bits": "16"})
    assert reply["ok"] and "Does not fit" in reply["parts"]["answer"] and "short" in reply["announce"]


def test_what_moves_the_answer_is_sorted_and_signed():
    """A decode step moves with the bandwidth and not with the tensor peak."""
    moves = ask("decode-step", open=["moves"])["parts"]["moves"]
    assert "memory bandwidth" in moves and "\u22129.1" in moves
    assert moves.index("memory bandwidth") < moves.index("BF16 peak") and "0 %" in moves[moves.index("BF16 peak"):]


def test_what_would_flip_it_names_the_value_or_that_nothing_does():
    """Each slider has the value at which the verdict changes, or the words that nothing in its range does."""
    flips = ask("prefill-time", open=["flips"])["parts"]["flips"]
    assert "316" in flips and "nothing in its range does" in flips


def test_announcements_spell_units_out():
    """What a screen reader hears has no abbreviations of units."""
    said = ask("decode-step")["announce"]
    assert "milliseconds" in said and "Memory time decides" in said


def test_downloads_hold_the_chart():
    """The CSV has a line per swept value with the terms in their units; the SVG stands alone and names its source."""
    reply = json.loads(web.export("decode-step", json.dumps({"what": "csv"})))
    rows = reply["text"].splitlines()
    assert rows[0].startswith("batch (sequences),weights_read (GB)") and len(rows) > 11
    assert rows[1].split(",")[1] == repr(estimator.call("decode-step", batch=1).terms["weights_read"].to("GB"))
    reply = json.loads(web.export("decode-step", json.dumps({"what": "svg"})))
    assert reply["text"].startswith('<svg xmlns="http://www.w3.org/2000/svg"') and "Understanding AI Infra" in reply["text"]


def test_an_unknown_name_is_shown_as_text():
    """Markup in an input's name or value comes back escaped or bounded, never as an element."""
    reply = ask("decode-step", address={"<b>x": "1", "batch": "<img src=x>"})
    assert "<img" not in json.dumps(reply.get("parts", {})) and "batch" in reply["errors"]


def test_a_mistake_of_ours_comes_back_as_a_report(monkeypatch):
    """When the code itself fails the reader gets a sentence and a report to copy, with id, inputs, version and one line of cause."""
    def broken(*given):
        raise ZeroDivisionError("boom")

    monkeypatch.setattr(html, "parts", broken)
    reply = ask("decode-step", inputs={"batch": "64"})
    assert not reply["ok"] and reply["failed"] and "decode-step batch=64 calc" in reply["report"] and "boom" in reply["report"]


def test_an_update_is_quick():
    """A request is answered in well under the time of a frame's multiple: 60 ms here, with a generous margin for a busy machine."""
    best = min(_timed(lambda: web.update("decode-step", "{}")) for _ in range(5))
    assert best < 0.06


def _timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


JUNK = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=40),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4), max_leaves=12)
KEYS = ["name", "fence", "inputs", "address", "pin", "over", "units", "out", "guess", "open", "batch"]


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), JUNK | st.dictionaries(st.sampled_from(["batch", "model", "given", "from", "ask"]), JUNK)))
def test_no_request_raises_or_injects(request):
    """Whatever JSON is sent, the reply is JSON, and no text of it becomes an element."""
    text = json.dumps(request)
    reply = json.loads(web.update("decode-step", text))
    assert isinstance(reply["ok"], bool)
    assert "report" not in reply, reply["report"]
    json.loads(web.export("decode-step", text))


@given(st.text(max_size=300))
def test_no_text_raises(text):
    """Whatever text is sent as id, request, guesses or own record, a string comes back."""
    assert json.loads(web.update(text, text))["ok"] is False
    assert isinstance(web.form(text), str) and isinstance(web.calibration(text), str) and "error" in json.loads(web.own(text))
