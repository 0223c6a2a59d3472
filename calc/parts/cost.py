"""Cost: what is paid by the hour, divided by what is made in it. The one cost line of the book."""

import math

from calc.quantity import q, sqrt

MILLION = 1_000_000


def per_million(price_per_hour, seconds_per_token, busy_share=1):
    """$ per million tokens at a price in $/s, seconds of machine time per token and the share of paid time that is used."""
    return price_per_hour * (seconds_per_token / busy_share) * q(MILLION)


def machine_time(price_per_hour, time):
    """$ of paying for a machine for `time` seconds."""
    return price_per_hour * time


# ---------------------------------------------------------------- owning
def depreciation(purchase, resale_share, life):
    """$ per second that a machine loses in value: purchase × (1 − resale share)/life, in equal parts."""
    return purchase * (1 - q(resale_share)) / life


def break_even_use(own_per_second, rent_per_second):
    """Share of time that an owned machine must be used so that owning costs what renting only the used time would."""
    return own_per_second / rent_per_second


# ---------------------------------------------------------------- silicon
def dies_per_wafer(die_area, diameter=None):
    """Whole dies on a round wafer (count): πr²/A − 2πr/√(2A), 300 mm unless given (D. K. de Vries, IEEE TSM 18 (2005)
    136); 3 % below what a grid holds at 100 mm², 8 % at 814 mm²."""
    radius = (q(300, "mm") if diameter is None else diameter) / 2
    square = radius * radius / die_area
    return math.pi * square - 2 * math.pi * sqrt(square / 2)


def die_yield(defect_density, die_area, clustering, repairable=0):
    """Share of dies that work: (1 + D·A·(1 − r)/κ)^(−κ), negative binomial with clustering κ; r is the share of area that may
    be switched off (C. H. Stapper, IBM J. Res. Dev. 27 (1983) 549)."""
    hit = defect_density * die_area
    if hasattr(repairable, "op") or repairable:
        hit = hit * (1 - q(repairable))
    return (1 + hit / clustering) ** (-q(clustering))


def die(wafer_price, dies, good):
    """$ of one good die: wafer price/(dies × yield)."""
    return wafer_price / (dies * good)
