"""Speed-up: the outlines' cases and the limits of Amdahl's law."""

import random

import pytest

from calc.parts import speedup
from calc.quantity import q
from tests.parts.outline import agree, parametrize


def amdahl(total_time, share, local_speedup, overhead):
    """The terms of chapter 1's stage."""
    found = {"ceiling": speedup.ceiling(share), "break_even_overhead": speedup.break_even_overhead(total_time, share, local_speedup)}
    return found | ({"overall_speedup": speedup.overall(share, local_speedup)} if overhead.value == 0 else {})


def specialization(share, local_speedup, cost_per_million, fixed_cost, token_rate, machines, busy_share, life):
    """The terms of chapter 4's special chip."""
    faster = speedup.overall(share, local_speedup)
    saving = cost_per_million * (1 - 1 / faster)
    needed = speedup.payback(fixed_cost, saving / 1_000_000)
    rate = token_rate * machines * busy_share
    return {"speedup": faster, "ceiling": speedup.ceiling(share), "saving_per_million": saving, "tokens_needed": needed,
            "payback_time": needed / rate}


@parametrize((1, "amdahl", amdahl), (4, "specialization-payback", specialization))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def test_no_factor_passes_the_ceiling():
    """However fast the part gets, the whole stays below its ceiling; with everything sped up there is none."""
    assert speedup.overall(0.8, 1e9).value == pytest.approx(speedup.ceiling(0.8).value)
    assert speedup.overall(0.8, 1e6).value < 5 and speedup.ceiling(1).value is None


def test_a_saving_of_nothing_never_pays():
    """A fixed cost is never paid back by what saves nothing."""
    assert speedup.payback(q(1, "$"), q(0, "$")).value is None


def test_tries_simulated():
    """Up to three attempts that succeed half of the time take 1.75 on average, and one success costs two attempts."""
    dice = random.Random(1)

    def one():
        return next((tried for tried in (1, 2) if dice.random() < 0.5), 3)

    assert sum(one() for _ in range(40_000)) / 40_000 == pytest.approx(speedup.tries(0.5, 3).value, rel=0.01)
    assert speedup.tries(0, 3).value == 3 and speedup.per_success(q(1, "$"), 0.5).to("$") == 2
