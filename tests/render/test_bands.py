"""The band beside a bound is what the measured runs reach, and nothing else."""

import pytest

from calc import estimator
from calc.catalog import read
from calc.render import explore
from calc.render.view import View
from calc.site import settings


@pytest.mark.parametrize("name", list(read("bands")))
def test_a_band_spans_its_measured_runs(name):
    """Low and high are the least and greatest efficiency at which the estimator gives what was logged, and no run beats it."""
    band = read("bands")[name]
    shares = []
    for given, term, logged in band["runs"]:
        for id in band["estimators"]:
            made = estimator.find(id)
            assert band["input"] in made.inputs
            bound = made(**settings(given)).terms[term]
            share = logged / bound.to(bound.unit)
            reached = made(**settings(given), **{band["input"]: share}).terms[term]
            assert reached.to(reached.unit) == pytest.approx(logged, rel=1e-6)
            shares.append(share)
    assert max(shares) < 1
    assert band["low"] == pytest.approx(min(shares), abs=1e-3)
    assert band["high"] == pytest.approx(max(shares), abs=1e-3)


def test_the_answer_shows_bound_and_band():
    """A decode step shows its bound, and the slower times at the two ends of the band, with a link to the source."""
    text = explore.band(View(estimator.find("decode-step")()))
    made = estimator.find("decode-step")
    band = read("bands")["decode-bandwidth"]
    for share in (1, band["low"], band["high"]):
        assert f"{made(bandwidth_efficiency=share).answer.to('ms'):.3g}"[:4] in text
    assert "https://" in text and "bandwidth efficiency" in text
