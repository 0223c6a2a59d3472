"""Energy: rated power, the share of it that is drawn, and what the building adds."""

from calc.quantity import q


def power_drawn(accelerator, share):
    """W drawn on average: rated power × share."""
    return accelerator.tdp * share


def facility(energy, pue):
    """J at the building's meter: the machine's energy × power usage effectiveness."""
    return energy * pue


def per_million(energy_per_token):
    """J of a million tokens."""
    return energy_per_token * q(1_000_000)
