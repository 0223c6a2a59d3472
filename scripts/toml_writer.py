"""Write catalogue tables as TOML: one table per record id, `[value, source, where]` on one line, no digit lost."""
import re
from decimal import Decimal
from fractions import Fraction

STEPS = {
    "B": [("B", 1), ("kB", 10**3), ("MB", 10**6), ("GB", 10**9), ("TB", 10**12)],
    "B/s": [("B/s", 1), ("kB/s", 10**3), ("MB/s", 10**6), ("GB/s", 10**9), ("TB/s", 10**12), ("PB/s", 10**15)],
    "s": [("ns", Fraction(1, 10**9)), ("us", Fraction(1, 10**6)), ("ms", Fraction(1, 10**3)), ("s", 1)],
    "m/s": [("m/s", 1), ("km/s", 10**3)],
}


def decimal(number):
    """The shortest exact decimal of a fraction, or None when there is none."""
    number = Fraction(number)
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return None
    text = format(Decimal(number.numerator) / Decimal(number.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity(number, unit):
    """'3.35 TB/s' for 3350000000000 and 'B/s': the largest unit in which the number is at least 1 and has the fewest digits."""
    exact = Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
    if unit == "B in MiB":
        return f"{decimal(exact / 2**20)} MiB"
    if unit not in STEPS:
        return f"{decimal(exact)} {unit}"
    best = None
    for name, scale in STEPS[unit]:
        text = decimal(exact / scale)
        if exact >= scale or best is None:
            if best is None or len(text.replace(".", "")) <= 6 or len(text) <= len(best[0]):
                best = (text, name)
    return " ".join(best)


def value(x):
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, str):
        return '"' + x.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(x, float):
        return repr(int(x)) if x.is_integer() else repr(x)
    if isinstance(x, int):
        return str(x)
    if isinstance(x, list):
        return "[" + ", ".join(map(value, x)) + "]"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{key(k)} = {value(v)}" for k, v in x.items()) + "}"
    raise TypeError(f"no TOML for {x!r}")


def key(text):
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else value(text)


def write(records, heading=()):
    """The text of a TOML file: comment lines, then records in the given order, plain fields first; empty sub-tables are left out."""
    lines = ["# " + line for line in heading]

    def table(path, fields):
        lines.append("[" + ".".join(path) + "]")
        lines.extend(f"{key(k)} = {value(v)}" for k, v in fields.items() if not isinstance(v, dict))
        lines.append("")
        for k, v in fields.items():
            if isinstance(v, dict) and v:
                table([*path, key(k)], v)

    for name, fields in records.items():
        table([key(name)], fields)
    return "\n".join(lines)
