"""Fabrics: hops counted one by one, and the outlines' cases."""

import itertools

import pytest

from calc.parts import collectives, fabric
from calc.quantity import q
from tests.parts.outline import agree, parametrize


def clos(accelerators, radix, tiers, oversubscription, link, optic_price, port_price, endpoint_ends):
    """The terms of chapter 7's fabric."""
    up = fabric.uplinks(accelerators, radix, oversubscription)
    switches = fabric.switches(accelerators, radix, tiers, oversubscription)
    links = up * (tiers - 1)
    optics = endpoint_ends * accelerators + 2 * links
    money = switches * radix * port_price + optics * optic_price
    return {"leaves": fabric.leaves(accelerators, radix, oversubscription), "uplinks": up, "switches": switches, "fabric_links": links,
            "transceivers": optics, "network_cost": money, "cost_per_accelerator": money / accelerators,
            "bisection": fabric.bisection(accelerators, link.bandwidth, radix, oversubscription),
            "share_when_all_leave_the_leaf": fabric.share_off_leaf(accelerators, link.bandwidth, radix, oversubscription)}


def torus(accelerators, topology, pattern, message, link_bandwidth, hop_latency, links_per_accelerator, **_):
    """The terms of chapter 6's cube."""
    side = accelerators ** (1 / q(3))
    hops = fabric.torus_hops(q(round(side.value)))
    found = {"side": q(round(side.value))}
    if topology == "torus":
        found |= {"mean_hops": hops, "bisection": fabric.torus_bisection(accelerators, round(side.value))}
    if pattern == "all-to-all":
        found["wire_time"] = fabric.torus_all_to_all(message, hops if topology == "torus" else q(1), link_bandwidth, links_per_accelerator)
    if pattern == "all-reduce":
        found["wire_time"] = collectives.wire_bytes("all-reduce", "ring", message, accelerators) / (links_per_accelerator * link_bandwidth)
    return found


@parametrize((7, "clos-sizing", clos), (6, "torus-or-switch", torus))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


@pytest.mark.parametrize("side", [2, 3, 4, 5, 8])
def test_torus_hops_counted(side):
    """Counting the shortest way to every device of a wrapped cube gives the mean."""
    one = [min(d, side - d) for d in range(side)]
    every = [sum(w) for w in itertools.product(one, repeat=3)]
    assert fabric.torus_hops(side).value == pytest.approx(sum(every) / len(every))


def test_full_fabrics_have_known_sizes():
    """k-port switches join k²/2 devices in two tiers and k³/4 in three; a full two-tier fabric has 3k/2 switches."""
    for k in (32, 64, 128):
        assert fabric.limit(k, 2).value == k * k // 2 and fabric.limit(k, 3).value == k**3 // 4
        assert fabric.switches(k * k // 2, k, 2).value == 3 * k // 2
        assert fabric.switches(k**3 // 4, k, 3).value == 5 * k * k // 4


def test_one_switch_needs_no_fabric():
    """Up to k devices one switch is enough, and each keeps its own rate."""
    assert fabric.switches(100, 128, 2, 3).value == 1 and fabric.uplinks(128, 128, 3).value == 0
    assert fabric.share_off_leaf(100, q(50, "GB/s"), 128).to("GB/s") == 50
