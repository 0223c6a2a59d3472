"""Reliability: simulated failures, listed states, and the outlines' cases."""

import itertools
import random

import pytest

from calc.parts import reliability, weights
from calc.quantity import q
from tests.parts.outline import agree, parametrize


def checkpoint(model, accelerators, device_mtbf, write_bandwidth, saved_per_param, restart_time, blocking, checkpoint_interval=None):
    """The terms of chapter 10's checkpoints."""
    held = weights.total_weights(model) * saved_per_param
    save = held / write_bandwidth * blocking
    between = reliability.mtbf(device_mtbf, accelerators)
    interval = reliability.young_interval(save, between) if checkpoint_interval is None else checkpoint_interval
    saving, redone = reliability.saving_share(save, interval), reliability.redone_share(interval, between)
    restarting = reliability.restart_share(restart_time, between)
    kept = reliability.goodput(saving, redone, restarting)
    return {"state_bytes": held, "save_time": save, "mtbf": between, "interval": interval, "saving": saving, "redone": redone,
            "restarting": restarting, "goodput": kept, "failures_per_day": reliability.rate(between),
            "device_days_lost_per_day": accelerators * (1 - kept)}


def blast_radius(group_size, spares, device_mtbf, repair_time, restart_time, accelerators):
    """The terms of chapter 6's group."""
    down = reliability.unavailable(device_mtbf, repair_time)
    found = {"card_unavailable": down, "group_mtbf": reliability.mtbf(device_mtbf, group_size),
             "fleet_failures": reliability.rate(reliability.mtbf(device_mtbf, accelerators))}
    if spares.value < group_size.value:
        up = reliability.group_up(group_size, spares, down)
        working = group_size - spares
        lost = reliability.restart_share(restart_time, reliability.mtbf(device_mtbf, working))
        found |= {"group_up": up, "restart_loss": lost, "useful_share": working / group_size * up * (1 - lost)}
    return found


@parametrize((10, "checkpoint-interval", checkpoint), (6, "failure-blast-radius", blast_radius))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def simulate(save, interval, between, restart, hours, seed):
    """Share of time that ends in a save, of a machine that fails at random, saves, and starts again from the last save."""
    dice, now, useful, end = random.Random(seed), 0.0, 0.0, hours * 3600
    fail = dice.expovariate(1 / between)
    while now < end:
        if now + interval + save <= fail:
            now, useful = now + interval + save, useful + interval
        else:
            now = fail + restart
            fail = now + dice.expovariate(1 / between)
    return useful / now


@pytest.mark.parametrize(("interval", "tolerance"), [(200, 0.005), (796, 0.006), (1500, 0.012)])
def test_goodput_simulated(interval, tolerance):
    """A simulation of 16,384 devices has the formula's goodput, within half a point up to the best interval."""
    between = q(3.094, "h")
    shares = (reliability.saving_share(q(28.4, "s"), q(interval, "s")), reliability.redone_share(q(interval, "s"), between),
              reliability.restart_share(q(600, "s"), between))
    assert simulate(28.4, interval, 3.094 * 3600, 600, 40_000, 1) == pytest.approx(reliability.goodput(*shares).value, abs=tolerance)


def test_no_interval_loses_less_than_the_root():
    """Around Young's interval, shorter and longer ones lose more in saving and redoing together."""
    save, between = q(28.4, "s"), q(3.094, "h")
    best = reliability.young_interval(save, between)

    def lost(interval):
        return (save / interval + reliability.redone_share(interval, between)).value

    assert lost(best) < min(lost(best * 0.9), lost(best * 1.1))


def test_dalys_interval_is_close_for_short_saves():
    """Daly's higher-order interval tends to Young's less the save, and is the time between failures when saves take twice that."""
    save, between = q(1, "s"), q(1e6, "s")
    assert reliability.daly_interval(save, between).value == pytest.approx(reliability.young_interval(save, between).value - 1, rel=1e-3)
    assert reliability.daly_interval(q(20, "s"), q(9, "s")).to("s") == 9


def test_group_up_by_listing():
    """Listing every state of five devices gives the share in which at most one is down."""
    down = 0.1
    share = sum(down ** sum(s) * (1 - down) ** (5 - sum(s)) for s in itertools.product((0, 1), repeat=5) if sum(s) <= 1)
    assert reliability.group_up(5, 1, down).value == pytest.approx(share)
    assert reliability.group_up(1, 0, down).value == pytest.approx(1 - down)


def test_goodput_is_never_negative():
    """Failures that leave no time for work leave a goodput of nothing."""
    assert reliability.goodput(q(0.1), q(0.7), q(0.6)).value == 0
