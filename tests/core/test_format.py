"""The one formatter, as a table."""

import pytest

from calc.explain import formula
from calc.format import bytes_in, show, spoken
from calc.quantity import q

TABLE = [
    (0.0147, "ms", "", "14.7 ms"), (7.04471e-3, "ms", "", "7.04 ms"), (1.5616e-4, "ms", "", "156 µs"), (999.6e-6, "us", "", "1.00 ms"),
    (0.9994e-3, "us", "", "999 µs"), (1.479, "s", "", "1.48 s"), (90, "s", "", "90.0 s"), (150, "s", "", "2.50 min"), (3 * 3600, "s", "", "3.00 h"),
    (5 * 86400, "day", "", "5.00 days"), (3 * 365 * 86400, "s", "", "3.00 years"), (2e-9, "s", "", "2.00 ns"), (0, "ms", "", "0 ms"),
    (15.0098e9, "GB", "", "15.0 GB"), (67.1e6, "GB", "", "67.1 MB"), (2.472e12, "TB", "", "2.47 TB"), (131072, "B", "", "131 kB"), (630000, "KiB", "", "615 KiB"),
    (65.708 * 2**30, "GiB", "", "65.7 GiB"), (3.35e12, "TB/s", "", "3.35 TB/s"), (50e9, "Gbit/s", "", "400 Gbit/s"), (989e12, "TFLOP/s", "", "989 TFLOP/s"),
    (1.05067e9, "GFLOP", "", "1.05 GFLOP"), (295.2, "FLOP/B", "", "295 FLOP/B"), (490, "W", "", "490 W"), (0.140234, "J", "per token", "140 mJ per token"),
    (140234.0, "kWh", "", "39.0 Wh"), (0.360797, "$", "per million tokens", "$0.361 per million tokens"), (12345.6, "$", "", "$12,300"), (2.95 / 3600, "$/h", "", "$2.95/h"),
    (-1.922e9, "GB", "", "−1.92 GB"), (-5.0, "$", "", "−$5.00"),
    (131072, "", "tokens", "131,072 tokens"), (1, "", "requests", "1 request"), (1, "tokens", "", "1 token"), (13.979, "", "", "14.0"), (393.223, "tokens", "", "393 tokens"), (70553706496, "", "", "70.6 G"),
    (12345678, "", "", "12.3 M"), (45.112, "", "×", "45.1×"), (2, "", "×", "2.00×"), (1135.6, "1/s", "tokens/s", "1,140 tokens/s"), (0.5, "1/s", "", "0.500/s"), (0.00002, "", "", "2.00 × 10⁻⁵"),
    (0.3, "%", "", "30 %"), (None, "ms", "", "never"), (True, "", "", "yes"), (False, "", "", "no"), ("stay-local", "", "", "stay local"),
]


@pytest.mark.parametrize(("value", "unit", "label", "text"), TABLE)
def test_show(value, unit, label, text):
    """A value in base units prints as a person would write it."""
    assert text == show(value, unit, label).replace("\u00a0", " ")


def test_given_values_keep_their_digits():
    """Inputs and catalogue values print as given, up to six figures and in their own unit."""
    assert show(0.5, "s", given=True) == "0.5\u00a0s"
    assert show(3.35e12, "TB/s", given=True) == "3.35\u00a0TB/s"
    assert show(81559 * 2**20, "MiB", given=True) == "79.6475\u00a0GiB"


def test_binary_bytes_are_a_choice_of_presentation():
    """With GiB chosen, amounts read in binary units and rates stay decimal."""
    with bytes_in("GiB"):
        assert show(15.0098e9, "GB") == "14.0\u00a0GiB"
        assert show(3.35e12, "TB/s") == "3.35\u00a0TB/s"
    assert show(15.0098e9, "GB") == "15.0\u00a0GB"


def test_spoken_units_are_words():
    """A screen reader hears milliseconds, not ms."""
    assert spoken(q(0.0147, "s", )) == "14.7 milliseconds"
    assert spoken(q(3.35, "TB/s")) == "3.35 terabytes per second"


def test_formula_brackets():
    """A formula prints the brackets that its meaning needs and no others."""
    a, b, c = (q(n, symbol=s) for n, s in ((2, "a"), (3, "b"), (4, "c")))
    for x, s in ((a, "a"), (b, "b"), (c, "c")):
        x.op, x.symbol = "input", s
    assert formula((a + b) * c) == "(a + b) × c"
    assert formula(a + b * c) == "a + b × c"
    assert formula(a / (b * c)) == "a / (b × c)"
    assert formula(a - (b - c)) == "a − (b − c)"
    assert formula((a + b) ** 2) == "(a + b)^2"
    assert formula((a + b) * c, numbers=True) == "(2 + 3) × 4"
