"""The chart says in marks, in words and in a table what the estimator computes."""

import re

import pytest

from calc import estimator, explain, what_if
from calc.render import chart
from calc.render.view import View

IDS = estimator.ids()


@pytest.mark.parametrize("id", IDS)
def test_every_line_stays_inside_its_drawing(id):
    """No point, mark or label of either drawing lies outside its view box."""
    sweep = chart.Sweep(View(estimator.find(id)()))
    if sweep.empty:
        pytest.skip("this estimator sweeps no slider")
    for size, (width, height, _) in chart.SIZES.items():
        text = chart.draw(sweep, size)
        points = [tuple(map(float, p)) for d in re.findall(r'class="line[^>]* d="M([^"]*)"', text) for p in re.findall(r"(-?\d+) (-?\d+)", d)]
        places = [tuple(map(float, p)) for p in re.findall(r'<(?:text|circle)[^>]*? c?x="([-\d.]+)" c?y="([-\d.]+)"', text)]
        assert points
        for x, y in points + places:
            assert 0 <= x <= width and 0 <= y <= height, (size, x, y)


def test_a_straight_law_is_a_straight_line_on_logarithmic_axes():
    """Compute time is proportional to the batch, so its points lie on one line between the first and the last."""
    view = View(estimator.find("decode-step")(context=1), over="batch")
    text = chart.draw(chart.Sweep(view), "wide")
    (path,) = re.findall(r'data-term="compute_time"[^>]* d="M([^"]*)"', text)
    points = [tuple(map(int, p)) for p in re.findall(r"(\d+) (\d+)", path)]
    (x0, y0), (x1, y1) = points[0], points[-1]
    for x, y in points:
        assert abs(y - (y0 + (y1 - y0) * (x - x0) / (x1 - x0))) <= 1.5


def test_the_description_names_trend_takeover_and_place():
    """The sentence under the chart gives both ends, who takes over from where, and where the reader stands."""
    view = View(estimator.find("prefill-time")(prompt=64), over="prompt")
    said = chart.describe(chart.Sweep(view))
    assert "goes from" in said and "decides" in said and "You are at 64" in said


def test_the_takeover_is_where_it_happens_not_the_next_drawn_point():
    """The value from which another term decides is the one that a search finds, which is no point of the drawing."""
    view = View(estimator.find("prefill-time")(prompt=64), over="prompt")
    sweep = chart.Sweep(view)
    at = what_if.flip(view.estimator, "prompt", view.answer.inputs)
    assert at not in sweep.xs and f"From {at:,}\u00a0tokens on" in chart.describe(sweep)


def test_the_description_mentions_a():
    """With A pinned the sentence under the chart says where A goes."""
    made = estimator.find("decode-step")
    said = chart.describe(chart.Sweep(View(made(), a=made(accelerator="a100-sxm-80gb"), over="batch")))
    a = explain.answer_text(made(accelerator="a100-sxm-80gb", batch=1))
    assert f"A, which is pinned, goes from {a} to " in said


def test_what_never_happens_leaves_a_gap():
    """Where there is no crossover the line ends, the table says why in the words of the limit, and nothing is drawn at zero."""
    view = View(estimator.find("batch-crossover")(), over="context")
    sweep = chart.Sweep(view)
    assert None in sweep.ys["crossover_batch"]
    figure = chart.figure(view)
    assert "no such batch" in figure and "does not exist over part of the range" in figure


def test_a_pinned_a_is_a_dashed_ghost():
    """With A pinned the chart has one more line, dashed, at A's values."""
    made = estimator.find("decode-step")
    view = View(made(), a=made(accelerator="a100-sxm-80gb"), over="batch")
    sweep = chart.Sweep(view)
    assert sweep.ghost[0] == made(accelerator="a100-sxm-80gb", batch=1).answer.value
    assert re.search(r'class="line ghost"[^>]*stroke-dasharray', chart.draw(sweep, "wide"))


def test_guess_and_answer_have_different_shapes():
    """The reader's place is a disc, the guess a diamond."""
    view = View(estimator.find("decode-step")(), guess=0.01)
    text = chart.draw(chart.Sweep(view), "wide")
    assert '<circle class="dot"' in text and 'class="diamond"' in text


def test_remembered_curves_are_those_of_fresh_runs():
    """Whatever was asked before, and in whatever order, a chart is the one that a fresh start draws."""
    made = estimator.find("decode-step")
    states = [{}, {"batch": 64}, {"context": 1024}, {"accelerator": "l4"}, {"batch": 64}, {}]

    def drawn(**inputs):
        return chart.figure(View(made(**inputs), over="batch"))

    remembered = [drawn(**state) for state in states]
    for state, figure in zip(states, remembered):
        chart.forget()
        assert drawn(**state) == figure
