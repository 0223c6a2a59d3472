"""Units: a name such as "GB/s" or "FLOP/B" is a scale and a dimension.

A dimension is a tuple of integer powers of the bases in `BASES`; plain numbers and anything that is only counted
(tokens, layers, requests) have the dimension `PLAIN`. Bandwidth and labels are decimal, KiB to PiB are binary.
"""

BASES = ("B", "FLOP", "s", "J", "$", "m", "pixel")
PLAIN = (0,) * len(BASES)

# Words that say what is counted and carry no dimension.
COUNTED = frozenset(
    "token tok request req step sequence layer row load rollout task accelerator replica server slot weight "
    "parameter chip expert image frame session turn page bucket value pair call piece message packet device".split()
)
_SI = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
       "P": 10**15, "E": 10**18}
# The bare suffixes a reader may write after a number: 8k is 8,000, 8Ki is 8,192.
SUFFIXES = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


class UnitError(ValueError):
    """A unit that is not known, or that has another dimension than the one asked for."""


def _power(**powers):
    return tuple(powers.get(base.replace("$", "dollar"), 0) for base in BASES)


def _table():
    table = {"": (1, PLAIN), "%": (0.01, PLAIN), "x": (1, PLAIN), "×": (1, PLAIN)}

    def prefixed(name, scale, dim, prefixes):
        for prefix in prefixes:
            table[prefix + name] = (scale * _SI[prefix], dim)

    byte, second, joule, dollar, metre = _power(B=1), _power(s=1), _power(J=1), _power(dollar=1), _power(m=1)
    prefixed("B", 1, byte, ["", "k", "M", "G", "T", "P", "E"])
    prefixed("bit", 0.125, byte, ["", "k", "M", "G", "T"])
    for n, prefix in enumerate(["Ki", "Mi", "Gi", "Ti", "Pi"], 1):
        table[prefix + "B"] = (1024**n, byte)
    prefixed("FLOP", 1, _power(FLOP=1), ["", "k", "M", "G", "T", "P", "E"])
    prefixed("s", 1, second, ["n", "u", "m", ""])
    table.update({"min": (60, second), "h": (3600, second), "day": (86400, second), "year": (365 * 86400, second)})
    table.update({plural + "s": table[plural] for plural in ("day", "year")})
    prefixed("J", 1, joule, ["p", "n", "u", "m", "", "k", "M", "G"])
    table.update({"Wh": (3600, joule), "kWh": (3.6e6, joule), "MWh": (3.6e9, joule), "GWh": (3.6e12, joule)})
    prefixed("W", 1, _power(J=1, s=-1), ["m", "", "k", "M"])
    prefixed("Hz", 1, _power(s=-1), ["", "k", "M", "G"])
    table.update({"$": (1, dollar), "k$": (10**3, dollar), "M$": (10**6, dollar)})
    table.update({"nm": (1e-9, metre), "mm": (1e-3, metre), "cm": (1e-2, metre), "m": (1, metre), "km": (1e3, metre),
                  "mm2": (1e-6, _power(m=2)), "cm2": (1e-4, _power(m=2)), "pixel": (1, _power(pixel=1))})
    return table


UNITS = _table()
_known = {}


def unit(text):
    """(scale, dimension) of a unit such as "GB/s", "$/GB/h" or "1/s"; UnitError when a part of it is unknown."""
    found = _known.get(text)
    if found:
        return found
    scale, dim = 1, PLAIN
    for place, name in enumerate((text or "").replace("µ", "u").strip().split("/")):
        name = name.strip()
        if place == 0 and name == "1":
            continue
        if name not in UNITS and (name in COUNTED or name.removesuffix("s") in COUNTED):
            name = ""
        if name not in UNITS:
            raise UnitError(f"unknown unit {text!r}")
        one, powers = UNITS[name]
        if place == 0:
            scale, dim = scale * one, tuple(a + b for a, b in zip(dim, powers))
        else:
            scale, dim = scale / one, tuple(a - b for a, b in zip(dim, powers))
    _known[text] = (scale, dim)
    return scale, dim


def dimension_name(dim):
    """A dimension in words for messages: "bytes", "FLOP/s", "a plain number"."""
    words = {"B": "bytes", "FLOP": "FLOP", "s": "seconds", "J": "joules", "$": "dollars", "m": "metres", "pixel": "pixels"}
    up = [words[b] if p == 1 else f"{words[b]}^{p}" for b, p in zip(BASES, dim) if p > 0]
    down = [b if p == -1 else f"{b}^{-p}" for b, p in zip(BASES, dim) if p < 0]
    if not up and not down:
        return "a plain number"
    return "·".join(up or ["1"]) + "".join("/" + d for d in down)


LONGEST = 64  # characters of a typed quantity; more is not a number anybody means


def parse(text, own=""):
    """The number in base units that `text` means; a bare number is in the unit `own`. UnitError says what is wrong.

    Accepts "64 MiB", "400 Gbit/s", "8k", "8Ki", "128k tokens", "1,024", "1e9", "30 %", "$2.95/h". Returns an int where the value is whole.
    """
    own_scale, own_dim = unit(own)
    raw = str(text).strip().replace("\u00a0", " ").replace("\u202f", " ").replace("−", "-")
    if len(raw) > LONGEST:
        raise UnitError(f"{raw[:20]!r}... is longer than {LONGEST} characters")
    dollars = raw.startswith("$")
    raw, given = raw[dollars:], raw
    end = 0
    while end < len(raw) and (raw[end].isdecimal() or raw[end] in "+-.,_" or (
            raw[end] in "eE" and end + 1 < len(raw) and (raw[end + 1].isdecimal() or raw[end + 1] in "+-") and end)):
        end += 1
    digits, word = raw[:end], raw[end:].strip()
    word = "$" + word if dollars else word
    raw = given
    if "," in digits:
        head, *groups = digits.split(".")[0].split(",")
        if not head.lstrip("+-") or any(len(g) != 3 for g in groups):
            raise UnitError(f"{raw!r} is not a number")
        digits = digits.replace(",", "")
    try:
        number = float(digits)
    except ValueError:
        raise UnitError(f"{raw!r} is not a number") from None
    if number in (float("inf"), float("-inf")) or number != number:
        raise UnitError(f"{raw!r} is not a finite number")
    if number.is_integer() and abs(number) < 2**53:
        number = int(number)
    suffix, _, counted = word.partition(" ")
    if suffix in SUFFIXES and counted.strip().removesuffix("s") in COUNTED and own_dim == PLAIN and own_scale == 1:
        word = suffix
    if not word:
        value = number * own_scale
    elif word in SUFFIXES:
        value = number * SUFFIXES[word] * own_scale
    else:
        counts = f"; a count takes {', '.join(SUFFIXES)} or nothing" if own_dim == PLAIN else ""
        if word not in UNITS and "/" not in word and counts and word.removesuffix("s") not in COUNTED:
            raise UnitError(f"{raw!r} ends in {word!r}, which is not known{counts}")
        scale, dim = unit(word)
        if dim != own_dim:
            raise UnitError(f"{raw!r} is {dimension_name(dim)}, not {dimension_name(own_dim)}{counts}")
        value = number * scale
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return value
