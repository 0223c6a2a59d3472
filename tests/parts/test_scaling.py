"""Scaling laws: the outlines' cases, the minimum found by search, and published points."""

import pytest

from calc.parts import roofline, scaling
from calc.quantity import q
from tests.parts.outline import agree, parametrize


def budget(accelerator, accelerators, duration, mfu, fit, size_fraction):
    """The terms of chapter 3's budget."""
    laws = scaling.fit(fit)
    compute = accelerators * duration * roofline.peak(accelerator) * mfu
    best = scaling.optimal_weights(laws, compute)
    tokens = scaling.tokens_for(compute, best)
    lowest = scaling.loss(laws, best, tokens)
    found = {"optimal_params": best, "compute": compute, "optimal_tokens": tokens, "tokens_per_param": tokens / best, "loss": lowest,
             "param_term": scaling.weights_term(laws, best), "data_term": scaling.tokens_term(laws, tokens), "small_params": best * size_fraction,
             "hours": accelerators * duration}
    if size_fraction.value != 1:
        small = best * size_fraction
        more = scaling.tokens_for_loss(laws, lowest, small)
        found["small_tokens"] = more
        found["extra_training"] = scaling.training_flops(small, more) / compute - 1
    return found


def critical_batch(noise_scale, batch_tokens, floor_tokens, **_):
    """The terms of chapter 10's batch that depend on the noise scale alone."""
    fewest = floor_tokens / noise_scale
    steps = scaling.steps_at_batch(fewest, noise_scale, batch_tokens)
    tokens = scaling.tokens_at_batch(floor_tokens, noise_scale, batch_tokens)
    return {"steps": steps, "tokens": tokens, "extra_tokens": tokens / floor_tokens - 1, "fewest_steps": fewest, "steps_over_floor": steps / fewest}


@parametrize((3, "scaling-law-budget", budget), (10, "critical-batch", critical_batch))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


@pytest.mark.parametrize("name", scaling.FITS)
def test_no_other_size_is_better(name):
    """Along the budget's curve, sizes on both sides of the optimum end at a higher loss."""
    laws, compute = scaling.fit(name), q(1e24, "FLOP")
    best = scaling.optimal_weights(laws, compute)
    losses = [scaling.loss(laws, best * f, scaling.tokens_for(compute, best * f)).value for f in (0.9, 0.99, 1, 1.01, 1.1)]
    assert min(losses) == losses[2] and losses[0] > losses[1] and losses[4] > losses[3]


def test_the_published_point_of_the_fits():
    """Chinchilla's budget gives the sizes that were computed by hand from each fit's printed constants."""
    for name, weights, tokens in (("besiroglu-2024", 72.2e9, 1.33e12), ("hoffmann-2022", 32.2e9, 2.98e12)):
        best = scaling.optimal_weights(scaling.fit(name), q(5.76e23, "FLOP"))
        assert best.value == pytest.approx(weights, rel=5e-3)
        assert scaling.tokens_for(q(5.76e23, "FLOP"), best).value == pytest.approx(tokens, rel=5e-3)


def test_a_loss_that_is_out_of_reach():
    """A model too small for the loss never reaches it, however many tokens it sees."""
    laws = scaling.fit("besiroglu-2024")
    assert scaling.tokens_for_loss(laws, q(1.9), q(1e8)).value is None
    reached = scaling.tokens_for_loss(laws, q(2.0), q(7e10))
    assert scaling.loss(laws, q(7e10), reached).value == pytest.approx(2.0)


def test_an_unknown_fit_is_refused():
    """A fit that is not known is refused, naming those that are."""
    with pytest.raises(KeyError, match="besiroglu-2024"):
        scaling.fit("kaplan")


def test_steps_and_tokens_trade():
    """Steps over their floor and tokens over theirs obey (S/S_min − 1)(E/E_min − 1) = 1 at every batch."""
    for batch in (1e5, 2e6, 3e7):
        steps, tokens = scaling.steps_at_batch(q(1e6), q(2e6), q(batch)), scaling.tokens_at_batch(q(2e12), q(2e6), q(batch))
        assert (steps.value / 1e6 - 1) * (tokens.value / 2e12 - 1) == pytest.approx(1)
