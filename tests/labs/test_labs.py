"""The labs run on an ordinary machine, and what is recorded in them is what they print."""

import re

import nbformat
import pytest

from scripts.run_labs import LABS, run

NOTEBOOKS = sorted(LABS.glob("*.ipynb"))
# Digits differ from run to run and from machine to machine; the words between them do not.
NUMBER = re.compile(r"[-−]?\d[\d,.]*(?:e[-+]?\d+)?|\s+")


def printed(notebook):
    """What each code cell prints, with numbers and white space masked."""
    texts = ["".join(o["text"] for o in c.outputs if o.output_type == "stream") for c in notebook.cells if c.cell_type == "code"]
    return [NUMBER.sub(" ", t).split() for t in texts]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_lab_runs_and_prints_what_is_recorded(path):
    """Each lab runs without an error in under a minute and prints the recorded lines, whatever the measured numbers."""
    recorded = nbformat.read(path, as_version=4)
    assert all(c.execution_count for c in recorded.cells if c.cell_type == "code"), "record the lab: python scripts/run_labs.py"
    executed, seconds = run(path)
    assert seconds < 60
    assert printed(executed) == printed(recorded)
