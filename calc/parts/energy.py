"""Energy: rated power, the share of it that is drawn, and what the building adds."""

from calc.quantity import positive, q, smallest


def power_drawn(accelerator, share):
    """W drawn on average: rated power × share."""
    return accelerator.tdp * share


def facility(energy, pue):
    """J at the building's meter: the machine's energy × power usage effectiveness."""
    return energy * pue


def per_million(energy_per_token):
    """J of a million tokens."""
    return energy_per_token * q(1_000_000)


def moving(bytes_moved, per_byte):
    """J of moving bytes: V·ε_B (per-byte energies are of one memory in one process; use their ratios)."""
    return bytes_moved * per_byte


def arithmetic(flop, per_flop):
    """J of arithmetic: F·ε_F."""
    return flop * per_flop


def standing(power, time):
    """J that leakage, clocks and fans take whether or not there is work: P₀·t."""
    return power * time


# ---------------------------------------------------------------- a power cap
def left_for_arithmetic(cap, memory_power, idle_power):
    """W under a cap that memory traffic and standing power leave: max(0, P_cap − P_mem − P₀)."""
    return positive(cap - memory_power - idle_power)


def budget_per_flop(power, peak):
    """J that each FLOP may take at the peak rate: P/Π."""
    return power / peak


def clock_share(budget, per_flop, voltage="scales"):
    """Share of the rated clock that the budget sustains: min(1, b/ε) at "fixed" voltage, its cube root where voltage "scales".

    Dynamic power goes with f·V² and V with f; the cube ends at the lowest voltage that works, which is not modelled.
    """
    if voltage not in ("scales", "fixed"):
        raise ValueError(f"unknown voltage {voltage!r}; known: scales, fixed")
    ratio = budget / per_flop
    return smallest(1, ratio if voltage == "fixed" else ratio ** (1 / 3))


def wire_power(bandwidth, per_bit):
    """W of sending: bits per second × J per bit."""
    return bandwidth / q(1, "bit") * per_bit
