"""Cost: wafers cut by hand, yields by simulation, and the outlines' cases."""

import math
import random

import pytest

from calc.parts import cost
from calc.quantity import q
from tests.parts.outline import agree, parametrize


def die_yield_cost(die_area, dies, defect_density, repairable, wafer_price, memory_capacity, memory_price, package_price, test_price, clustering):
    """The terms of chapter 4's silicon."""
    wafer = cost.dies_per_wafer(die_area)
    good = cost.die_yield(defect_density, die_area, clustering, repairable)
    one = cost.die(wafer_price, wafer, good)
    silicon, memory = dies * one, memory_capacity * memory_price
    whole = silicon + memory + package_price + test_price
    return {"dies_per_wafer": wafer, "defects_per_die": defect_density * die_area,
            "yield_perfect": cost.die_yield(defect_density, die_area, clustering), "yield_with_repair": good, "cost_per_die": one,
            "silicon": silicon, "memory": memory, "accelerator_cost": whole, "silicon_share": silicon / whole, "cost_per_mm2": one / die_area}


def buy_vs_rent(busy_share, price_per_hour, purchase_price, life, running_cost, resale_share, accelerators, power, electricity_price, pue):
    """The terms of chapter 12's own server."""
    from calc.parts import energy

    loss = cost.depreciation(purchase_price, resale_share, life)
    electricity = energy.facility(power, pue) * electricity_price
    own, year = loss + running_cost + electricity, q(1, "year")
    use = cost.break_even_use(own, accelerators * price_per_hour)
    return {"break_even_utilization": use, "depreciation": loss * year, "energy": electricity * year, "own_per_year": own * year,
            "own_per_used_hour": own / (accelerators * busy_share), "rent_per_used_hour": price_per_hour,
            "sticker_break_even": cost.break_even_use(cost.depreciation(purchase_price, 0, life), accelerators * price_per_hour)}


@parametrize((4, "die-yield-cost", die_yield_cost), (12, "buy-vs-rent-breakeven", buy_vs_rent))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def dies_in_a_grid(area):
    """Whole square dies in the better of two grids on a 300 mm wafer."""
    side, best = math.sqrt(area), 0
    for shift in (0, side / 2):
        corners = [shift + i * side for i in range(-16, 16)]
        best = max(best, sum(math.hypot(max(abs(x), abs(x + side)), max(abs(y), abs(y + side))) <= 150 for x in corners for y in corners))
    return best


@pytest.mark.parametrize(("area", "low"), [(100, 0.03), (400, 0.06), (814, 0.09)])
def test_dies_on_a_wafer_counted(area, low):
    """The formula is a little below the dies of a grid that is cut by hand, by less the smaller they are, and never above."""
    assert (1 - low) * dies_in_a_grid(area) <= cost.dies_per_wafer(q(area, "mm2")).value <= dies_in_a_grid(area)


def test_yield_simulated():
    """Dies with a gamma-spread defect density and a repairable share survive as often as the formula says."""
    dice, good, tries = random.Random(2), 0, 60_000
    for _ in range(tries):
        fatal = dice.gammavariate(3, 0.814 * 0.4 / 3)
        good += dice.random() < math.exp(-fatal)
    assert good / tries == pytest.approx(cost.die_yield(q(0.1, "1/cm2"), q(814, "mm2"), 3, 0.6).value, rel=0.01)


def test_without_defects_every_die_works():
    """A process without defects yields every die, and each costs its share of the wafer."""
    assert cost.die_yield(q(0, "1/cm2"), q(814, "mm2"), 3).value == 1
    assert cost.die(q(16988, "$"), 64, 1).to("$") == pytest.approx(16988 / 64)


def test_money_by_time():
    """A machine at 3.60 $ an hour costs a cent for ten seconds, and a million tokens at a microsecond each cost its second."""
    assert cost.machine_time(q(3.6, "$/h"), q(10, "s")).to("$") == pytest.approx(0.01)
    assert cost.per_million(q(3.6, "$/h"), q(1, "us"), 0.5).to("$") == pytest.approx(0.002)
