"""The one number formatter: every number that a reader sees, on a page, in a terminal or in a browser, is made here.

Computed values have three significant figures, given ones (inputs, catalogue values, constants) up to six, counts are
printed whole, and the prefix is chosen so that the number reads well. Text only; `spoken` gives units in words.
"""

from contextlib import contextmanager

from calc.quantity import Q
from calc.units import PLAIN, unit

NARROW = "\u00a0"  # keeps a number and its unit on one line
MINUS = "\u2212"

_FAMILIES = [
    ["B", "kB", "MB", "GB", "TB", "PB", "EB"],
    ["B", "KiB", "MiB", "GiB", "TiB", "PiB"],
    ["bit", "kbit", "Mbit", "Gbit", "Tbit"],
    ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"],
    ["pJ", "nJ", "uJ", "mJ", "J", "kJ", "MJ", "GJ"],
    ["Wh", "kWh", "MWh", "GWh"],
    ["mW", "W", "kW", "MW"],
    ["Hz", "kHz", "MHz", "GHz"],
    ["nm", "mm", "m", "km"],
    ["ns", "us", "ms", "s"],
]
_DECIMAL_BYTES, _BINARY_BYTES, _TIMES = _FAMILIES[0], _FAMILIES[1], _FAMILIES[-1]
# Past these, seconds are read as minutes, hours, days or years.
_LONG_TIMES = [(2 * 365 * 86400, "year"), (2 * 86400, "day"), (2 * 3600, "h"), (120, "min")]
_COUNT_SUFFIXES = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")]

SPOKEN = {
    "B": "bytes", "kB": "kilobytes", "MB": "megabytes", "GB": "gigabytes", "TB": "terabytes", "PB": "petabytes",
    "EB": "exabytes", "KiB": "kibibytes", "MiB": "mebibytes", "GiB": "gibibytes", "TiB": "tebibytes",
    "PiB": "pebibytes", "bit": "bits", "kbit": "kilobits", "Mbit": "megabits", "Gbit": "gigabits", "Tbit": "terabits",
    "FLOP": "floating-point operations", "kFLOP": "thousand operations", "MFLOP": "million operations",
    "GFLOP": "billion operations", "TFLOP": "trillion operations", "PFLOP": "quadrillion operations",
    "EFLOP": "quintillion operations", "pJ": "picojoules", "nJ": "nanojoules", "µJ": "microjoules",
    "mJ": "millijoules", "J": "joules", "kJ": "kilojoules", "MJ": "megajoules", "GJ": "gigajoules",
    "Wh": "watt-hours", "kWh": "kilowatt-hours", "MWh": "megawatt-hours", "GWh": "gigawatt-hours",
    "mW": "milliwatts", "W": "watts", "kW": "kilowatts", "MW": "megawatts", "Hz": "hertz", "kHz": "kilohertz",
    "MHz": "megahertz", "GHz": "gigahertz", "ns": "nanoseconds", "µs": "microseconds", "ms": "milliseconds",
    "s": "seconds", "min": "minutes", "h": "hours", "day": "days", "days": "days", "year": "years", "years": "years",
    "nm": "nanometres", "mm": "millimetres", "m": "metres", "km": "kilometres", "M": "million", "G": "billion",
    "T": "trillion", "P": "quadrillion", "×": "times",
}

_binary = False


@contextmanager
def bytes_in(which):
    """Within this block amounts of bytes read in "GB" (decimal, the default) or "GiB" (binary); rates stay decimal."""
    global _binary
    before, _binary = _binary, which == "GiB"
    try:
        yield
    finally:
        _binary = before


def significant(x, digits=3, strip=False):
    """`x` with so many significant figures and thousands separators, without exponent."""
    if x == 0:
        return "0"
    exponent = int(f"{x:.{digits - 1}e}".split("e")[1])
    decimals = max(0, digits - 1 - exponent)
    text = f"{round(x, digits - 1 - exponent):,.{decimals}f}"
    if strip and "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", MINUS)


def _power_of_ten(x):
    mantissa, exponent = f"{x:.2e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa}{NARROW}×{NARROW}10{raised}".replace("-", MINUS)


def _rescaled(value, unit_name):
    """(number, unit) with the prefix of the unit's first part chosen anew; `value` is in base units."""
    first, slash, rest = unit_name.replace("µ", "u").partition("/")
    family = next((f for f in _FAMILIES if first in f), None)
    if first in _BINARY_BYTES[1:]:
        family = _BINARY_BYTES
    if family is _DECIMAL_BYTES and _binary and not slash:
        family = _BINARY_BYTES
    if first in ("min", "h", "day", "year") and not slash:
        family = _TIMES
    if family is None:
        return value / unit(unit_name)[0], unit_name
    if family is _TIMES and not slash:
        for least, name in _LONG_TIMES:
            if abs(value) >= least:
                return value / unit(name)[0], name
    best = family[0]
    if value == 0:
        return 0, unit_name
    for name in family:
        if float(f"{abs(value) / unit(name + slash + rest)[0]:.2e}") >= 1:
            best = name
    return value / unit(best + slash + rest)[0], best + slash + rest


def pieces(value, unit_name="", label="", given=False):
    """(number, unit words) of a value in base units, as `show` joins them."""
    if value is None:
        return "never", ""
    if isinstance(value, bool):
        return ("yes" if value else "no"), ""
    if isinstance(value, str):
        return value.replace("-", " "), ""
    scale, dim = unit(unit_name)
    if unit_name == "%":
        return significant(value * 100, 3, strip=True), "%"
    counted = dim == PLAIN and scale == 1
    if counted or unit_name == "1/s":
        word = label or {"x": "×", "1/s": "", "1": ""}.get(unit_name, unit_name)
        word = word or ("/s" if unit_name == "1/s" else "")
        if counted and value == int(value) and abs(value) < 1e7 and word != "×":
            return f"{int(value):,}".replace("-", MINUS), word[:-1] if abs(value) == 1 and word.endswith("s") else word
        for least, suffix in _COUNT_SUFFIXES:
            if abs(value) >= max(least, 1e7 if counted and value == int(value) else least):
                return significant(value / least, 6 if given else 3, given), f"{suffix} {word}".strip()
        if 0 < abs(value) < 1e-3:
            return _power_of_ten(value), word
        return significant(value, 6 if given else 3, given), word
    if label.endswith("-hours"):  # hours of many machines at once are counted, and never read as years
        return pieces(value / scale, "", label, given)
    number, name = value / scale, unit_name
    if not (given and 0.1 <= abs(number) < 10000) or (_binary and name in _DECIMAL_BYTES):
        number, name = _rescaled(value, unit_name)
    name = name.replace("u", "µ", 1) if name[:2] in ("us", "uJ") else name
    if name in ("day", "year") and number != 1:
        name += "s"
    if name == "EFLOP" and abs(number) >= 1000:
        text, name = _power_of_ten(value), "FLOP"
    elif 0 < abs(number) < 1e-3:
        text = _power_of_ten(number)
    else:
        text = significant(number, 6 if given else 3, given)
    return text, f"{name} {label}".strip()


def show(value, unit_name="", label="", given=False):
    """A value in base units as text: "14.7 ms", "131,072 tokens", "$0.361 per million tokens", "never"."""
    number, words = pieces(value, unit_name, label, given)
    first, space, rest = words.partition(" ")
    if first.startswith(("$", "k$", "M$")):
        big = {"$": "", "k$": NARROW + "k", "M$": NARROW + "M"}[first.split("/")[0]]
        over = first.partition("/")[1] + first.partition("/")[2]
        sign = MINUS if number.startswith(MINUS) else ""
        return f"{sign}${number.lstrip(MINUS)}{big}{over}{space}{rest}"
    if words in ("×", "/s"):
        return number + words
    if words.endswith("-hours"):
        return f"{number} {words}"  # too long to keep on one line
    return f"{number}{NARROW}{words}".rstrip(NARROW)


def text(x):
    """The text of a quantity; inputs, constants and catalogue values print as given."""
    given = x.op in ("input", "const", "leaf") or (x.op in ("term", "let") and x.args[0].op in ("input", "const", "leaf"))
    return show(x.value, x.unit or _unit_of(x), x.label, given)


_FALLBACK_UNITS = ("B", "FLOP", "s", "J", "W", "$", "B/s", "FLOP/s", "FLOP/B", "1/s", "$/h", "B/FLOP", "J/B", "J/FLOP", "s/B",
                   "$/J", "$/B", "s/FLOP", "m", "m/s", "mm2", "$/mm2", "1/B", "pixel", "B/$", "FLOP/$", "FLOP/J", "FLOP/W")


def _unit_of(x):
    """A unit for a quantity that declares none, from its dimension."""
    if x.dim == PLAIN:
        return ""
    for name in _FALLBACK_UNITS:
        if unit(name)[1] == x.dim:
            return name
    up = [b for b, p in zip(("B", "FLOP", "s", "J", "$", "m", "pixel"), x.dim) for _ in range(max(p, 0))]
    down = [b for b, p in zip(("B", "FLOP", "s", "J", "$", "m", "pixel"), x.dim) for _ in range(max(-p, 0))]
    return "/".join(["1" if not up else up[0], *down]) if len(up) < 2 else ""


def spoken(x):
    """The text of a quantity with its unit in words, for screen readers."""
    if not isinstance(x, Q) or x.op == "word":
        return pieces(x.value if isinstance(x, Q) else x)[0]
    number, words = pieces(x.value, x.unit or _unit_of(x), x.label, x.op == "input")
    out = []
    for word in words.replace("/", " per ").split():
        out.append(SPOKEN.get(word, "second" if out and out[-1] == "per" and word == "s" else word))
    if out[-2:] == ["per", "seconds"]:
        out[-1] = "second"
    if out and out[0] == "$":
        out[0] = "dollars"
    return f"{number} {' '.join(out)}".strip()
