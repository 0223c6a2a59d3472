"""Amdahl's law with the overhead that acceleration adds (G. M. Amdahl, AFIPS 1967)."""

from calc.quantity import apply, q, quotient


def break_even_overhead(total_time, share, factor):
    """Seconds of added overhead that eat up the whole gain: f·T·(1 − 1/s)."""
    return share * total_time * (1 - 1 / factor)


def overall(share, factor):
    """How many times faster the whole gets when the share f of its time gets s times faster: 1/((1 − f) + f/s)."""
    return 1 / ((1 - q(share)) + share / factor)


def ceiling(share):
    """What no factor gets past, 1/(1 − f); never (no ceiling) where the share is everything."""
    return quotient(1, 1 - q(share))


def payback(fixed, saving):
    """How many units must be made until what each saves pays a fixed cost; never where nothing is saved."""
    return quotient(fixed, saving)


def per_success(cost, success):
    """Expected cost until one attempt succeeds, c/p: independent attempts, repeated until one does (a geometric number)."""
    return cost / success


def tries(success, attempts):
    """Mean number of attempts when at most k are made and one success ends it: (1 − (1 − p)^k)/p; k where none succeeds."""
    return apply("tries", lambda p, k: (1 - (1 - p) ** k) / p if p > 0 else k, success, attempts)
