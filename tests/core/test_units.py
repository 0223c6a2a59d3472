"""Units and typed quantities."""

import pytest

from calc.units import PLAIN, UnitError, parse, unit


@pytest.mark.parametrize(("text", "own", "value"), [
    ("8k", "tokens", 8000), ("128k tokens", "tokens", 128_000), ("8Ki token", "", 8192), ("8Ki", "", 8192), ("1.5M", "", 1_500_000), ("64 MiB", "GB", 64 * 2**20), ("400 Gbit/s", "GB/s", 50e9),
    ("10", "us", 10e-6), ("10 us", "s", 10e-6), ("10 µs", "s", 10e-6), ("2.95 $/h", "$/h", 2.95 / 3600), ("1,024", "", 1024), ("1e9", "B", 10**9),
    ("$2.95/h", "$/h", 2.95 / 3600), ("$0.5", "$", 0.5), ("3 days", "s", 259_200), ("1 year", "s", 365 * 86400),
    ("30 %", "", 0.3), ("8 1/s", "1/s", 8), ("0.1 $/kWh", "$/kWh", 0.1 / 3.6e6), ("-3", "", -3), ("8192 tokens", "tokens", 8192),
])
def test_typed_quantities(text, own, value):
    """A typed number means what a reader would say it means, in base units."""
    assert parse(text, own) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("text", ["", "abc", "1e999", "nan", "inf", "1,0", "10 furlongs", "5 GB", "1" * 100, "1__0 x y", "<b>1</b>", "--3", "1e", "$", "$3", "$$3/h", "٣ quux", "8k tokens"])
def test_what_is_no_number_is_refused(text):
    """Whatever is not a finite number of seconds is refused with a UnitError, never another exception."""
    with pytest.raises(UnitError):
        parse(text, "s")


def test_counted_words_carry_no_dimension():
    """Tokens, layers and requests are plain numbers, alone and under a slash."""
    assert unit("tokens/s") == unit("1/s")
    assert unit("layers")[1] == PLAIN


def test_bits_are_an_eighth_of_a_byte():
    """400 Gbit/s is 50 GB/s."""
    assert unit("Gbit/s")[0] * 400 == unit("GB/s")[0] * 50
