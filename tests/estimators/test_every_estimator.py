"""Promises that hold for every estimator there is: the registry is enumerated, so a new one is tested the day it lands."""

import json
import math

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

from calc import estimator as estimators
from calc import explain
from calc.catalog import MissingValue
from calc.estimator import InputError
from calc.what_if import replay

IDS = estimators.ids()


def ends(found):
    """The defaults, and every input at its least and greatest (or each option) with the rest at defaults."""
    yield {}
    for name, form in found.inputs.items():
        if form.kind == "slider":
            yield {name: form.low}
            yield {name: form.high}
        elif form.kind == "choice":
            yield from ({name: option} for option in form.options)
        else:
            yield from ({name: id} for id in form.choices)


def check(answer):
    """What must be true of any ledger."""
    data = answer.to_dict()
    json.dumps(data, allow_nan=False)
    assert data["answer"] in answer.terms
    for row in data["terms"]:
        assert row["text"], row
        value = row["value"]
        assert value is None or isinstance(value, (bool, str)) or math.isfinite(value)
        assert "nan" not in row["text"].lower() and "inf" not in row["text"].split()
    assert explain.answer_text(answer)
    assert explain.as_text(answer)


@pytest.mark.parametrize("id", IDS)
def test_defaults_and_both_ends_of_every_input(id):
    """At its defaults and at the ends of each input an estimator answers, or refuses by naming an input or a missing value."""
    found = estimators.find(id)
    check(found())
    for given in ends(found):
        try:
            answer = found(**given)
        except (InputError, MissingValue) as refusal:
            assert given, f"{id} refuses its own defaults: {refusal}"
            assert str(refusal)
            continue
        check(answer)


@pytest.mark.parametrize("id", IDS)
def test_declaration_is_complete(id):
    """Question, exclusions, sweep input, drawn terms and help texts are there and name what exists."""
    found = estimators.find(id)
    assert found.id == id and found.title and found.question.endswith("?") and found.excludes and not found.excludes.endswith(".")
    assert found.sweep in found.inputs
    terms = found().terms
    assert set(found.draws) <= set(terms), set(found.draws) - set(terms)
    assert set(found.rising) | set(found.falling) <= set(found.inputs)
    for form in found.inputs.values():
        assert form.parse(form.default) == form.default
        if form.kind == "slider":
            assert form.help, f"{id}: {form.name} has no help"
            rungs = form.rungs()
            assert rungs[0] == form.low and rungs[-1] == form.high and rungs == sorted(set(rungs)) and len(rungs) <= 130
            assert all(form.parse(r) == r for r in rungs)


@pytest.mark.parametrize("id", IDS)
def test_declared_monotonicity(id):
    """The answer never falls in the inputs declared rising and never rises in those declared falling."""
    found = estimators.find(id)
    for name, sign in [(n, 1) for n in found.rising] + [(n, -1) for n in found.falling]:
        form = found.inputs[name]
        values = sorted(form.options) if form.kind == "choice" else form.rungs()
        answers = []
        for value in values:
            try:
                answers.append(found(**{name: value}).answer.value)
            except (InputError, MissingValue):
                continue
        answers = [math.inf if a is None else a for a in answers]
        for a, b in zip(answers, answers[1:]):
            assert sign * (b - a) >= -1e-9 * abs(a) if math.inf not in (a, b) else sign * b >= sign * a, f"{id} over {name}: {a} -> {b}"


@pytest.mark.parametrize("id", IDS)
def test_replaying_the_trace_unchanged_gives_every_term(id):
    """The trace is the arithmetic: replaying it reproduces each term to the last bit."""
    for line in estimators.find(id)().terms.values():
        if line.op == "term":
            assert replay(line, {}) == line.value


@pytest.mark.parametrize("id", IDS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@hypothesis_given(data=st.data())
def test_any_legal_inputs_give_a_ledger(id, data):
    """Whatever legal inputs are combined, the result is a ledger or a refusal in words."""
    found = estimators.find(id)
    given = {}
    for name, form in found.inputs.items():
        if form.kind == "slider":
            given[name] = data.draw(st.integers(form.low, form.high) if form.whole else st.floats(form.low, form.high), label=name)
        else:
            given[name] = data.draw(st.sampled_from(list(form.choices if form.kind == "pick" else form.options)), label=name)
    try:
        answer = found(**given)
    except (InputError, MissingValue) as refusal:
        assert str(refusal)
        return
    check(answer)


@pytest.mark.parametrize("bad", ["", "abc", "<script>alert(1)</script>", "1e999", "-1", "nan", "9" * 100, "1 furlong", "\x00"])
@pytest.mark.parametrize("id", IDS)
def test_bad_values_are_refused_by_name(id, bad):
    """A value that is not allowed raises InputError naming the input; nothing else escapes."""
    found = estimators.find(id)
    for name, form in found.inputs.items():
        try:
            found.parse({name: bad})
        except InputError as refusal:
            assert str(refusal).startswith(f"{name}: ")
        else:
            assert form.kind == "slider" and bad == "-1" and form.low <= -1


def test_unknown_names_point_to_the_nearest():
    """An unknown estimator, input or record is refused with the nearest known one."""
    with pytest.raises(InputError, match="nearest: decode-step"):
        estimators.find("decode-stap")
    with pytest.raises(InputError, match="inputs are model"):
        estimators.call("decode-step", batches=3)
    with pytest.raises(InputError, match="nearest: qwen3-8b"):
        estimators.call("decode-step", model="qwen3-9b")
