"""The band beside a bound is what the measured runs reach, and nothing else."""

import json
from pathlib import Path

import pytest

from calc import estimator
from calc.catalog import read
from calc.render import explore
from calc.render.view import View

CASES = {c["id"]: c for c in json.loads((Path(__file__).parents[1] / "cases" / "measured.json").read_text())["cases"]}


@pytest.mark.parametrize("name", list(read("bands")))
def test_a_band_spans_its_measured_runs(name):
    """Low and high are the least and greatest share of the bound among the runs that the band names."""
    band = read("bands")[name]
    shares = []
    for id in band["cases"]:
        ratio = CASES[id]["ratio"]
        shares.append(ratio if ratio < 1 else 1 / ratio)
    assert band["low"] == pytest.approx(min(shares), abs=1e-3)
    assert band["high"] == pytest.approx(max(shares), abs=1e-3)
    for id in band["estimators"]:
        assert band["input"] in estimator.find(id).inputs


def test_the_answer_shows_bound_and_band():
    """A decode step shows its bound, and the slower times at the two ends of the band, with a link to the source."""
    text = explore.band(View(estimator.find("decode-step")()))
    made = estimator.find("decode-step")
    for share in (1, 0.873, 0.596):
        assert made(bandwidth_efficiency=share).answer.to("ms") == pytest.approx(made().answer.to("ms") / share)
        assert f"{made().answer.to('ms') / share:.3g}"[:4] in text
    assert "https://" in text
