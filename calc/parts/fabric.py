"""Fabrics: how many switches, links and hops join n devices, and what crosses the middle."""

from calc.quantity import ceil, floor, q, smallest


def leaf_ports(radix, oversubscription=1):
    """Ports of a leaf switch that go down to devices: ⌊k·r/(1 + r)⌋, r = 1 non-blocking (C. Clos, BSTJ 32 (1953) 406)."""
    return floor(radix * q(oversubscription) / (1 + q(oversubscription)))


def limit(radix, tiers, oversubscription=1):
    """Devices that a folded Clos fabric of k-port switches can join: k·d with 2 tiers, k·(k/2)·d with 3."""
    down = leaf_ports(radix, oversubscription)
    return radix * down if q(tiers).value == 2 else radix * (q(radix) / 2) * down


def leaves(devices, radix, oversubscription=1):
    """Leaf switches: one when all devices fit into it, else ⌈n/d⌉."""
    return q(1) if q(devices).value <= q(radix).value else ceil(q(devices) / leaf_ports(radix, oversubscription))


def uplinks(devices, radix, oversubscription=1):
    """Links from the leaves upwards: leaves × (k − d); 0 when one switch is enough."""
    if q(devices).value <= q(radix).value:
        return q(0)
    return leaves(devices, radix, oversubscription) * (radix - leaf_ports(radix, oversubscription))


def switches(devices, radix, tiers, oversubscription=1):
    """Switches in all: leaves, with 3 tiers ⌈U/(k/2)⌉ in the middle, and ⌈U/k⌉ at the top."""
    up = uplinks(devices, radix, oversubscription)
    top = ceil(up / radix)
    middle = ceil(up / (q(radix) / 2)) if q(tiers).value == 3 else q(0)
    return leaves(devices, radix, oversubscription) + middle + top


def bisection(devices, bandwidth, radix, oversubscription=1):
    """B/s one way across the worst balanced cut: half of the smaller of uplinks and device ports (all ports inside one switch)."""
    return _through(devices, radix, oversubscription) * bandwidth / 2


def share_off_leaf(devices, bandwidth, radix, oversubscription=1):
    """B/s per device when everything leaves its leaf, never above the device's own port."""
    return _through(devices, radix, oversubscription) * bandwidth / devices


def _through(devices, radix, oversubscription):
    n = q(devices)
    return n if n.value <= q(radix).value else smallest(uplinks(devices, radix, oversubscription), n)


def torus_hops(side):
    """Mean hops between two devices of a wrapped cube with k devices an edge, three dimensions: 3·(k/4) for even k, 3·(k² − 1)/(4k) for odd."""
    k = q(side)
    return q(3) * k / 4 if k.value % 2 == 0 else q(3) * (k * k - 1) / (4 * k)


def torus_all_to_all(message, hops, link_bandwidth, links):
    """Seconds in which each device sends `message` bytes to all others: every byte uses as many links as it makes hops, M·h/(l·b)."""
    return message * hops / (links * link_bandwidth)


def torus_bisection(devices, side):
    """Links cut when a wrapped cube is halved: 2·N/k (count)."""
    return 2 * q(devices) / side
