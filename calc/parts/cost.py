"""Cost: what is paid by the hour, divided by what is made in it. The one cost line of the book."""

from calc.quantity import q

MILLION = 1_000_000


def per_million(price_per_hour, seconds_per_token, busy_share=1):
    """$ per million tokens at a price in $/s, seconds of machine time per token and the share of paid time that is used."""
    return price_per_hour * (seconds_per_token / busy_share) * q(MILLION)
