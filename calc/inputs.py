"""The inputs of an estimator, declared as its parameters' defaults: `Slider`, `Choice` and `Pick`.

Each parses what a person typed (`parse`, into the input's own unit), says what is allowed, and hands the estimator's
body a traced quantity, a record or a plain word (`bind`).
"""

import math

from calc import units
from calc.quantity import Q


class InputError(ValueError):
    """An input that is not allowed. The message names the input, what was given and what is allowed."""

    def __init__(self, name, message):
        super().__init__(f"{name}: {message}")
        self.name, self.message = name, message


def plain(x):
    """A number as a person would type it: 64, 0.05, 1.5e-07."""
    return str(int(x)) if isinstance(x, float) and x.is_integer() and abs(x) < 1e16 else f"{x:.12g}" if isinstance(x, float) else str(x)


class Slider:
    """A number between `low` and `high` in the input's own unit.

    Whole numbers only when default, ends and unit are counts (or `whole=True`). A logarithmic slider moves on a ladder
    of round values (`rungs`); the box beside it takes any legal value.
    """

    kind = "slider"

    def __init__(self, default, low, high, unit="", log=False, help="", symbol="", name="", whole=None, more=False, ladder=None):
        self.default, self.low, self.high, self.unit, self.log = default, low, high, unit, log
        self.help, self.symbol, self.label, self.more, self.ladder = help, symbol, name, more, ladder
        self.scale, self.dim = units.unit(unit)
        counts = all(isinstance(x, int) for x in (default, low, high)) and self.dim == units.PLAIN and self.scale == 1
        self.whole = counts if whole is None else whole
        self.choices = None

    def parse(self, given):
        """The number in the input's own unit; InputError says what is allowed."""
        if isinstance(given, bool) or not isinstance(given, (int, float, str, Q)):
            raise InputError(self.name, f"{echo(given)} is not a number")
        if isinstance(given, Q):
            if given.dim != self.dim or given.value is None:
                raise InputError(self.name, f"{echo(given)} is not in {self.unit or 'plain numbers'}; allowed is {self.range()}")
            value = given.to(self.unit)
        elif isinstance(given, str):
            try:
                base = units.parse(given, self.unit)
            except units.UnitError as problem:
                raise InputError(self.name, f"{problem}; allowed is {self.range()}") from None
            value = base // self.scale if isinstance(base, int) and isinstance(self.scale, int) and base % self.scale == 0 else base / self.scale
        else:
            value = given
        if value != value or value in (math.inf, -math.inf) or not self.low <= value <= self.high:
            shown = given.strip() if isinstance(given, str) else plain(value)
            raise InputError(self.name, f"{shown} is outside {self.range()}")
        if isinstance(value, float) and value.is_integer() and (self.whole or isinstance(self.default, int)):
            value = int(value)
        if self.whole and not isinstance(value, int):
            raise InputError(self.name, f"{given} is not a whole number; allowed is {self.range()}")
        return value

    def range(self):
        """The allowed range as text: "1 to 1024", "0.1 us to 20000 us"."""
        unit = f" {self.unit}" if self.dim != units.PLAIN else ""
        return f"{plain(self.low)}{unit} to {plain(self.high)}{unit}"

    def bind(self, value):
        """The traced quantity that the estimator's body receives."""
        base = value * self.scale
        if isinstance(base, float) and base.is_integer() and abs(base) < 2**53:
            base = int(base)
        return Q(base, self.dim, "input", symbol=self.symbol, name=self.label, unit=self.unit, input=self.name)

    def below(self, value):
        """A legal value just below `value`."""
        return max(self.low, value - 1 if self.whole else value * (1 - 1e-6))

    def rungs(self):
        """Round values from `low` to `high`, both included: the positions of the slider.

        A linear slider with a `ladder` has the ladder's values (from a ten-thousandth of `high` where `low` is zero).
        """
        low, high = self.low, self.high
        if not self.log and not self.ladder:
            span = high - low
            step = 10 ** math.floor(math.log10(span / 20)) if span else 1
            step = next(s * step for s in (1, 2, 5, 10) if span / (s * step) <= 100)
            if self.whole:
                step = max(1, round(step))
            count = math.floor(span / step + 1e-9)
            values = [round(low + i * step, 12) for i in range(count + 1)]
        else:
            least = low if low > 0 else high / 1e4
            ladder = self.ladder or ("2" if self.whole and self.default & (self.default - 1) == 0 else
                                     "125" if high / least >= 1e4 else "e12")
            if ladder == "2":
                values = [2**k for k in range(math.ceil(math.log2(least)), math.floor(math.log2(high) + 1e-9) + 1)]
            else:
                steps = (1, 2, 5) if ladder == "125" else (1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2)
                first, last = math.floor(math.log10(least)), math.ceil(math.log10(high))
                values = [float(f"{s * 10.0**e:.3g}") for e in range(first, last + 1) for s in steps]
                values = [v for v in values if least <= v <= high]
        values = [v for v in values if low < v < high]
        if self.whole:
            values = [v for v in values if v == int(v)]
        tidy = [int(v) if isinstance(v, float) and v.is_integer() else v for v in [low, *values, high]]
        return list(dict.fromkeys(tidy))


class Choice:
    """One of two to about eight options: numbers (bits), slugs, or True/False. `labels` maps an option to its words."""

    kind = "choice"

    def __init__(self, default, options=None, labels=None, unit="", help="", symbol="", name="", more=False):
        self.default = default
        self.options = tuple(options) if options else (True, False)
        self.labels = {True: "yes", False: "no"} if isinstance(default, bool) else {}
        self.labels.update(labels or {})
        self.unit, self.help, self.symbol, self.label, self.more = unit, help, symbol, name, more
        self.low = self.high = None
        self.log = self.whole = False

    @property
    def choices(self):
        """The options as the command line writes them."""
        return [str(o).lower() if isinstance(o, bool) else o for o in self.options]

    def parse(self, given):
        """The option that was meant; InputError lists the options."""
        text = str(given).strip().lower()
        for option in self.options:
            if text == str(option).lower():
                return option
            if isinstance(option, (int, float)) and not isinstance(option, bool):
                try:
                    if units.parse(text.removesuffix("bits").removesuffix("bit")) == option:
                        return option
                except units.UnitError:
                    pass
        if isinstance(self.default, bool) and text in ("yes", "no", "on", "off", "1", "0"):
            return text in ("yes", "on", "1")
        raise InputError(self.name, f"{echo(given)} is not one of {', '.join(map(plain_choice, self.options))}")

    def bind(self, value):
        """A traced quantity for a number; the bare value for a slug or a truth value."""
        if isinstance(value, (bool, str)):
            return value
        scale, dim = units.unit(self.unit)
        return Q(value * scale, dim, "input", symbol=self.symbol, name=self.label, unit=self.unit, input=self.name)


def plain_choice(option):
    """An option as it is typed: true, 16, ring."""
    return str(option).lower() if isinstance(option, bool) else plain(option)


class Pick:
    """A record of a catalogue. `needs` are fields it must have; `where` narrows what is offered, for the reason `why`."""

    kind = "pick"

    def __init__(self, catalogue, default, needs=(), where=None, why="", help="", symbol="", name="", more=False):
        self.catalogue, self.default, self.needs, self.where, self.why = catalogue, default, needs, where, why
        self.help, self.symbol, self.label, self.more = help, symbol, name, more
        self.unit, self.low, self.high, self.log, self.whole = "", None, None, False, False
        self._offered = None

    @property
    def choices(self):
        """The ids on offer, in the catalogue's order."""
        if self._offered is None or self._offered[0] != len(self.catalogue):
            self._offered = len(self.catalogue), [i for i in self.catalogue if self._refusal(self.catalogue[i]) is None]
        return self._offered[1]

    def _refusal(self, record):
        missing = next((n for n in self.needs if not record.has(n)), None)
        if missing:
            return f"has no {in_words(missing)} in the catalogue"
        if self.where and not self.where(record):
            return self.why or "is not offered here"
        return None

    def parse(self, given):
        """The record's id; a record of the catalogue is taken for its id. InputError names the nearest one that will do."""
        name = getattr(given, "id", given)
        name = str(name).strip().lower()
        if name not in self.catalogue:
            raise InputError(self.name, f"unknown {echo(name)}; {hint(name, self.choices, f'calc {self.catalogue.name}')}")
        refusal = self._refusal(self.catalogue[name])
        if refusal:
            raise InputError(self.name, f"{name!r} {refusal}; nearest that will do: {nearest(name, self.choices)}")
        return name

    def bind(self, value):
        """The record itself."""
        return self.catalogue[value]


def nearest(name, names):
    """The most similar of `names`, for messages."""
    import difflib

    close = difflib.get_close_matches(name[:64], names, 1, 0.0)
    return close[0] if close else "none"


def hint(name, names, command):
    """What to say after an unknown name: the nearest of `names` when one is similar, else the `command` that lists them."""
    import difflib

    close = difflib.get_close_matches(str(name).lower()[:64], names, 1, 0.5)
    return f"nearest: {close[0]}" if close else f"`{command}` lists what there is"


def echo(given):
    """What was given as a message repeats it: quoted, on one line, at most forty characters of it."""
    shown = str(given)
    return repr(shown[:40]) + ("..." if len(shown) > 40 else "")


def in_words(path):
    """A field of the catalogue for readers: "memory bandwidth", "bf16 or fp16 peak"."""
    ways = [way.split(".") for way in path.split("|")]
    if all(way[0] == "peak" and len(way) == 2 for way in ways):
        return " or ".join(way[1] for way in ways) + " peak"
    return " or ".join(" ".join(way).replace("_", " ") for way in ways)
