"""The same ledger text in the Python of the build and in the Python of the browser."""

import json
import subprocess
from pathlib import Path

import pytest

from calc import estimator
from tests.parity import ledgers

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def reports():
    done = subprocess.run(["node", str(ROOT / "tests" / "parity" / "pyodide.mjs"), str(ROOT)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(ledgers.report()), json.loads(done.stdout)


@pytest.mark.parametrize("id", estimator.ids())
def test_ledgers_are_the_same_text(reports, id):
    """At the defaults and at both ends of every input, CPython and Pyodide print the same ledger, letter for letter."""
    here, there = reports
    assert here[id].keys() == there[id].keys()
    assert [state for state in here[id] if here[id][state] != there[id][state]] == []
