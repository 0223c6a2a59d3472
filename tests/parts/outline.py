"""The outlines' cases, computed from parts alone: expressions that a chapter's estimators will be made of, against every case."""

import functools
import json
import pathlib
import sys

import pytest

from calc.catalog import ACCELERATORS, LINKS, MODELS
from calc.quantity import q

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "tools"))
from check_cases import check_one  # noqa: E402

TABLES = {"model": MODELS, "accelerator": ACCELERATORS, "decode_accelerator": ACCELERATORS, "link": LINKS, "local_link": LINKS,
          "source": LINKS, "storage": LINKS}


@functools.cache
def _cases(chapter):
    return json.loads((TESTS / "cases" / "outline" / f"ch{chapter:02d}.json").read_text())


def given(name, value):
    """An input as an estimator's body receives it: a quantity, a record, a slug or a truth value."""
    if name in TABLES and value in TABLES[name]:
        return TABLES[name][value]
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return q(value, "bit" if name.endswith("_bits") else "")
    number, _, unit = value.partition(" ")
    try:
        return q(json.loads(number), unit)
    except ValueError:
        return value


def cases(chapter, estimator):
    """The cases of one estimator as pytest parameters."""
    found = [(i, case) for i, case in enumerate(_cases(chapter)) if case["estimator"] == estimator]
    assert found, f"chapter {chapter} has no case of {estimator}"
    return found


def parametrize(*those):
    """One test per case; each of `those` is (chapter, estimator, expression), an expression takes the inputs by name."""
    return pytest.mark.parametrize(("case", "expression"), [
        pytest.param(case, expression, id=f"{estimator}-{i}") for chapter, estimator, expression in those for i, case in cases(chapter, estimator)])


def agree(case, expression):
    """Compare the terms that `expression` gives with the case: same unit, and within the case's tolerance (0.5 % unless stated)."""
    terms = expression(**{name: given(name, value) for name, value in case["inputs"].items()})
    unknown = set(terms) - set(case["expected"])
    assert not unknown, f"no such terms: {unknown}"
    lines = []
    for key, x in terms.items():
        expected = case["expected"][key]
        unit = expected.get("unit", "") if expected else ""
        lines.append({"key": key, "value": q(x).to(unit) if expected or q(x).value is not None else None, "unit": unit})
    part = {**case, "expected": {key: case["expected"][key] for key in terms}}
    verdict = check_one(part, {"terms": lines})
    assert verdict["whole"], verdict
