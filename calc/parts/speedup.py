"""Amdahl's law with the overhead that acceleration adds (G. M. Amdahl, AFIPS 1967)."""


def break_even_overhead(total_time, share, factor):
    """Seconds of added overhead that eat up the whole gain: f·T·(1 − 1/s)."""
    return share * total_time * (1 - 1 / factor)
