"""Chapter 1 against its independently computed cases, and what its pages claim."""

import pathlib
import sys

import pytest

import calc
from calc.estimator import find
from calc.what_if import flip, forgotten

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "tools"))
from check_cases import check, load  # noqa: E402

CASES = load([TESTS / "cases" / "outline" / "ch01.json"])


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['estimator']}-{c['index']}")
def test_outline_case(case):
    """Every term of every case is right, and the answer is the term that the contract names."""
    [result] = check([case], lambda id, inputs: calc.show(id, **inputs).to_dict())
    assert result["whole"] and result["answer_named"], result


@pytest.mark.parametrize(("id", "over", "given", "where", "value"), [
    ("one-generation", "output", {}, ("decode_time", "prefill_time"), 131),
    ("one-generation", "output", {"prompt": 8192}, ("decode_time", "prefill_time"), 29),
    ("one-generation", "output", {"prompt": 2048}, ("decode_time", "prefill_time"), 8),
    ("prefill-time", "prompt", {}, None, 316), ("prefill-time", "prompt", {"accelerator": "rtx-4090"}, None, 176),
    ("prefill-time", "prompt", {"accelerator": "h200-sxm"}, None, 221), ("prefill-time", "prompt", {"accelerator": "mi300x"}, None, 264),
    ("prefill-time", "prompt", {"accelerator": "b200-sxm"}, None, 301), ("prefill-time", "prompt", {"compute_efficiency": 0.5}, None, 159),
    ("prefill-time", "prompt", {}, ("attention", "linear"), 53250),
    ("decode-step", "batch", {}, ("state_read", "weights_read"), 14), ("decode-step", "context", {}, ("state_read", "weights_read"), 14315),
    ("batch-crossover", "context", {}, None, 394), ("cost-per-million-tokens", "batch", {}, ("cost", "1 $"), 9),
    ("does-it-fit", "context", {}, None, 10518), ("does-it-fit", "batch", {}, None, 2),
])
def test_flips_of_the_outline(id, over, given, where, value):
    """The verdict changes at the input value that was worked out by hand."""
    assert flip(find(id), over, given, where) == value


def test_flips_of_real_valued_inputs():
    """Shares and overheads flip where the algebra says."""
    assert flip(find("does-it-fit"), "memory_share") == pytest.approx(0.9405, abs=2e-4)
    assert flip(find("amdahl"), "overhead", where=("overall_speedup", "1")) == pytest.approx(2.4, rel=1e-6)


@pytest.mark.parametrize(("id", "guess", "key"), [
    ("decode-step", 4.48, "state_read"), ("decode-step", 0.156, "memory_time"), ("does-it-fit", 70.6, None),
])
def test_the_forgotten_term_is_named(id, guess, key):
    """A guess that equals the answer without one term names that term."""
    found = forgotten(calc.show(id), guess)
    assert (found.key if found is not None else None) == key


def test_a_failed_limit_prints_its_words_and_no_rates():
    """When the batch does not exist the answer says so; when memory is short, rates and prices print a dash."""
    from calc import explain

    never = calc.show("batch-crossover", context=512)
    assert explain.answer_text(never) == "No such batch" and not never.to_dict()["limits"][0]["ok"]
    short = calc.show("cost-per-million-tokens", batch=1024)
    texts = {t["key"]: t for t in short.to_dict()["terms"]}
    assert texts["cost"]["text"] == "-" and texts["rate"]["text"] == "-" and texts["memory"]["text"] != "-"
    assert texts["cost"]["value"] > 0


def test_the_inverted_amdahl_is_not_what_we_print():
    """A published calculator once printed the new time as the speed-up; ours prints old over new."""
    answer = calc.show("amdahl", share=0.8, overhead="0 s")
    assert answer.answer.value == pytest.approx(1 / (0.2 + 0.8 / 5)) and answer.answer.value > 1
