"""A guess is answered by a ratio and, where one omission explains it, by the name of what was left out."""

import json

import pytest

from calc import estimator, web
from calc.catalog import ACCELERATORS
from calc.estimator import Estimator
from calc.inputs import Pick, Slider
from calc.quantity import largest, limit, q, term
from calc.render import guess
from calc.render.view import View
from calc.units import unit


def asked(answer):
    return View(answer, ask=True)


def made(function, id):
    return Estimator(function, id, 1, "T", "Q?", "nothing", next(iter(function.__defaults__ and ["n"])), (), (), (), ())()


def test_weights_without_cache_is_named():
    """Whoever counts the weights of a decode step and forgets the cache is told that the state read is missing."""
    answer = estimator.call("decode-step", batch=64, context=8192)
    value = (answer.terms["weights_read"].value / ACCELERATORS["h100-sxm"].memory_bandwidth.value)
    said, ratio, cause = guess.feedback(asked(answer), value)
    assert cause == "State read" and "without state read" in said and ratio < 0.5


def test_peak_arithmetic_without_bandwidth_is_named():
    """Whoever divides arithmetic by the peak and forgets the reading is told that the memory time is missing."""
    answer = estimator.call("decode-step", batch=8)
    said, _, cause = guess.feedback(asked(answer), answer.terms["compute_time"].value)
    assert cause == "Memory time" and "without memory time" in said


def test_speed_without_capacity_is_named():
    """Whoever gives the right number for something that does not fit is told so, with need and have."""
    answer = estimator.call("does-it-fit", model="llama-3.1-70b", weight_bits=16)
    assert not answer.ok
    said, _, _ = guess.feedback(asked(answer), answer.answer.value)
    assert "if it could be done" in said and "needs" in said and "has" in said


def split(n=Slider(8, 1, 64)):
    work = term("work_time", q(0.8, "s") / n, unit="s", name="Work time")
    messages = term("message_time", q(0.1, "s") * (n - 1) / n, unit="s", name="Message time")
    return term("time", work + messages, unit="s")


def test_a_split_without_its_messages_is_named():
    """Whoever divides the work and forgets the messages is told that the message time is missing."""
    answer = made(split, "split")
    said, _, cause = guess.feedback(asked(answer), 0.1)
    assert cause == "Message time" and "without message time" in said


def serial(n=Slider(4, 1, 64)):
    wait = term("wait", q(0.5, "s"), unit="s", name="Serial wait")
    throughput = term("batch_time", q(0.05, "s") * n, unit="s", name="Batch time")
    return term("latency", wait + throughput, unit="s")


def test_throughput_without_serial_latency_is_named():
    """Whoever counts throughput and forgets what must follow one after the other is told that the wait is missing."""
    answer = made(serial, "serial")
    said, _, cause = guess.feedback(asked(answer), 0.2)
    assert cause == "Serial wait" and "without serial wait" in said


@pytest.mark.parametrize("factor, word", [(1.1, "within a quarter"), (0.8, "within a quarter"), (1.8, "Right order"), (0.6, "Right order"),
                                          (5, "5.00× high"), (0.2, "5.00× low")])
def test_feedback_is_a_ratio_and_never_a_mark(factor, word):
    """The words follow the ratio of guess and answer on both sides, and none of them says wrong."""
    answer = estimator.call("amdahl")
    said, ratio, _ = guess.feedback(asked(answer), answer.answer.value * factor)
    assert word in said and ratio == pytest.approx(factor) and "rong" not in said


@pytest.mark.parametrize("id", estimator.ids())
def test_the_ladder_holds_the_answer_and_does_not_point_at_it(id):
    """The guess slider spans decades around the answer, and starts at the middle of its ladder, which is not the answer's place for all."""
    view = asked(estimator.find(id)())
    if not guess.asks(view):
        pytest.skip("the answer is no number")
    rungs = guess.ladder(view)
    value = view.answer.answer.value / unit(view.answer.answer.unit)[0]
    assert rungs[0] <= value <= rungs[-1] and rungs == sorted(rungs)
    for rung in rungs:
        assert guess.read(view, guess.plain_number(rung)) == pytest.approx(rung * unit(view.answer.answer.unit)[0], rel=0.06)


def test_a_guess_travels_through_the_worker():
    """The reply to a guess holds the feedback, the ratio to remember, and the mark in the chart; a bad one is an error."""
    sent = {"fence": {"ask": True}, "guess": "1 s"}
    reply = json.loads(web.update("decode-step", json.dumps(sent)))
    assert reply["guess"]["ratio"] > 100 and "high" in reply["parts"]["guess"] and "diamond" in reply["parts"]["chart"]
    reply = json.loads(web.update("decode-step", json.dumps({**sent, "guess": "1 kWh"})))
    assert "guess" in reply["errors"] and "guess" not in reply["parts"]


def test_a_guess_is_judged_once():
    """After the verdict a moved input leaves what was said without it, and the announcement is the new answer alone."""
    sent = {"fence": {"ask": True}, "guess": "30 ms"}
    first = json.loads(web.update("decode-step", json.dumps({**sent, "judge": True})))
    later = json.loads(web.update("decode-step", json.dumps({**sent, "judge": False, "inputs": {"batch": "64"}})))
    assert "high" in first["parts"]["guess"] and "high" in first["announce"]
    assert "You said 30" in later["parts"]["guess"] and "high" not in later["parts"]["guess"]
    assert "You said" not in later["announce"] and "guess" not in later and "diamond" in later["parts"]["chart"]


def test_calibration_is_median_and_share():
    """Of 0.5, 1, 4 the median is 1 and two of three lie within a factor of two; junk in the store is left out."""
    said = web.calibration(json.dumps([{"ratio": 0.5}, {"ratio": 4}, {"ratio": 1}, {"ratio": "x"}, 7, {"ratio": -1}, {"ratio": True}]))
    assert "3 guesses" in said and "1.00×" in said and "67 %" in said
    assert "yet" in web.calibration("not json") and "yet" in web.calibration("{}")


def overlapped(n=Slider(1, 1, 8), accelerator=Pick(ACCELERATORS, "h100-sxm")):
    a = term("a", q(2, "s") * n, unit="s", name="First")
    b = term("b", q(1, "s") * n, unit="s", name="Second")
    held = term("held", q(10, "GB"), unit="GB", name="Held")
    limit("Fits", held, accelerator.memory)
    return term("t", largest(a, b), unit="s")


def test_an_overlapped_term_can_be_the_forgotten_one():
    """Of two terms that overlap, a guess of the shorter one means that the longer one was forgotten."""
    answer = made(overlapped, "overlapped")
    assert guess.feedback(asked(answer), 1.0)[2] == "First"
