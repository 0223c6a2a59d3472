"""One declaration per question: the parameters are the form, the body is the arithmetic, `term(...)` is the ledger.

`@estimator` marks a plain function. The command line, the page, the browser form, the reference and the tests are
derived from the declaration; nothing is declared a second time.
"""

import math
import os

from calc import units
from calc.quantity import Ledger, Q


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
            raise InputError(self.name, f"{given!r} is not a number")
        if isinstance(given, Q):
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
            shown = given if isinstance(given, str) else plain(value)
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

    def rungs(self):
        """Round values from `low` to `high`, both included: the positions of the slider."""
        low, high = self.low, self.high
        if not self.log:
            span = high - low
            step = 10 ** math.floor(math.log10(span / 20)) if span else 1
            step = next(s * step for s in (1, 2, 5, 10) if span / (s * step) <= 100)
            if self.whole:
                step = max(1, round(step))
            count = math.floor(span / step + 1e-9)
            values = [round(low + i * step, 12) for i in range(count + 1)]
        else:
            ladder = self.ladder or ("2" if self.whole and self.default & (self.default - 1) == 0 else
                                     "125" if high / low >= 1e4 else "e12")
            if ladder == "2":
                values = [2**k for k in range(math.ceil(math.log2(low)), math.floor(math.log2(high) + 1e-9) + 1)]
            else:
                steps = (1, 2, 5) if ladder == "125" else (1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2)
                first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
                values = [float(f"{s * 10.0**e:.3g}") for e in range(first, last + 1) for s in steps]
                values = [v for v in values if low <= v <= high]
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
        raise InputError(self.name, f"{str(given)[:40]!r} is not one of {', '.join(map(plain_choice, self.options))}")

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
            return f"has no {missing.replace('_', ' ').replace('.', ' ')} in the catalogue"
        if self.where and not self.where(record):
            return self.why or "is not offered here"
        return None

    def parse(self, given):
        """The record's id; InputError names the nearest one that will do."""
        name = str(given).strip().lower()
        if name not in self.catalogue:
            raise InputError(self.name, f"unknown {name[:40]!r}; nearest: {nearest(name, self.choices)}")
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


class Estimator:
    """A declared question: `inputs` by name, the function that answers it, and how its chart is drawn."""

    def __init__(self, function, id, chapter, title, question, excludes, sweep, draws, per_rate, rising, falling):
        self.function, self.id, self.chapter, self.title = function, id, chapter, title
        self.question, self.excludes, self.sweep, self.draws = question, excludes, sweep, draws
        self.rates, self.rising, self.falling = per_rate, rising, falling
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        defaults = function.__defaults__ or ()
        if len(names) != len(defaults):
            raise TypeError(f"estimator {id}: every parameter must be a Slider, Pick or Choice")
        self.inputs = dict(zip(names, defaults))
        for name, form in self.inputs.items():
            form.name = name
            form.label = form.label or name.replace("_", " ")

    def parse(self, given):
        """All inputs in their own units (defaults filled in). InputError for an unknown name or a bad value."""
        values = {}
        for name, value in given.items():
            name = name.replace("-", "_")
            if name not in self.inputs:
                raise InputError(name, f"is no input of {self.id}; inputs are {', '.join(self.inputs)}")
            values[name] = self.inputs[name].parse(value)
        return {name: values.get(name, form.default) for name, form in self.inputs.items()}

    def run(self, values):
        """The `Answer` at parsed values."""
        with Ledger() as ledger:
            results = self.function(**{name: self.inputs[name].bind(value) for name, value in values.items()})
        results = results if isinstance(results, tuple) else (results,)
        return Answer(self, values, ledger, results[0])

    def __call__(self, **given):
        return self.run(self.parse(given))


REGISTRY = {}


def estimator(id, *, chapter, title, question, excludes, sweep, draws=(), rates=(), rising=(), falling=()):
    """Declare a plain function as an estimator.

    `excludes` is what is not counted, in words. `sweep` is the input the chart runs over at first, `draws` the keys of
    the terms it draws (default: the answer). `rates` are keys that print "-" when a limit fails, besides those per
    second or per money. `rising`/`falling` are inputs in which the answer never falls/never rises (tested).
    """

    def mark(function):
        made = Estimator(function, id, chapter, title, question, excludes, sweep, tuple(draws), tuple(rates),
                         tuple(rising), tuple(falling))
        if id in REGISTRY and REGISTRY[id].function.__code__ is not function.__code__:
            raise ValueError(f"two estimators are called {id!r}")
        REGISTRY[id] = made
        return made

    return mark


class Answer:
    """An estimator's ledger at given inputs: `.answer`, `.terms` by key, `.limits`, `.to_dict()` (the JSON of `show`)."""

    def __init__(self, estimator, inputs, ledger, answer):
        self.estimator, self.inputs, self.terms, self.limits = estimator, inputs, ledger.terms, ledger.limits
        if getattr(answer, "key", "") not in self.terms:
            raise ValueError(f"{estimator.id}: the first value returned must be a term")
        self.answer = answer

    @property
    def ok(self):
        """Whether every limit holds."""
        return all(limit.ok for limit in self.limits)

    def to_dict(self):
        """The ledger as plain data, as `show ID --format json` prints it."""
        from calc import explain

        return explain.ledger(self)

    def __repr__(self):
        from calc import explain

        return explain.as_text(self)


# ---------------------------------------------------------------- discovery: a file per estimator, found by its name
def _files():
    found = {}
    root = os.path.join(os.path.dirname(__file__), "estimators")
    for folder in sorted(os.listdir(root)):
        path = os.path.join(root, folder)
        if folder.startswith("ch") and os.path.isdir(path):
            for file in sorted(os.listdir(path)):
                stem, _, ending = file.partition(".")
                if ending in ("py", "pyc") and not stem.startswith("_"):
                    found[stem.replace("_", "-")] = f"calc.estimators.{folder}.{stem}"
    return found


def ids():
    """The id of every estimator, by chapter; nothing is imported."""
    return list(_files())


def find(id):
    """The estimator called `id`, imported when first asked for; InputError names the nearest one."""
    id = str(id).strip().lower().replace("_", "-")
    if id not in REGISTRY:
        files = _files()
        if id not in files:
            raise InputError("estimator", f"unknown {id[:40]!r}; nearest: {nearest(id, list(files))}")
        __import__(files[id])
        if id not in REGISTRY:
            raise RuntimeError(f"{files[id]} declares no estimator called {id!r}")
    return REGISTRY[id]


def call(id, **given):
    """The `Answer` of estimator `id`; inputs that are not given are at their defaults, texts may carry units."""
    return find(id)(**given)


def sweep_values(form, points=None, low=None, high=None):
    """The values at which a sweep evaluates an input, from `low` to `high` (in its own unit)."""
    if form.kind != "slider":
        return list(form.choices if form.kind == "pick" else form.options)
    low = form.low if low is None else form.parse(low)
    high = form.high if high is None else form.parse(high)
    if low > high:
        low, high = high, low
    if points is None:
        rungs = [v for v in form.rungs() if low < v < high]
        if len(rungs) >= 10:
            return [low, *rungs, high]
        points = 25
    log = form.log and low > 0
    values = []
    for i in range(points):
        share = i / (points - 1) if points > 1 else 0
        v = low * (high / low) ** share if log else low + (high - low) * share
        v = high if i and i == points - 1 else low if i == 0 else float(f"{v:.6g}")
        values.append(max(low, min(high, round(v))) if form.whole else v)
    return list(dict.fromkeys(values))


def sweep(id, over, points=None, low=None, high=None, **given):
    """`(values of input `over`, answers)` with everything else as given. InputError as for `call`."""
    found = find(id)
    over = over.replace("-", "_")
    if over not in found.inputs:
        raise InputError("over", f"{over!r} is no input of {found.id}; inputs are {', '.join(found.inputs)}")
    values = found.parse(given)
    xs = sweep_values(found.inputs[over], points, low, high)
    return xs, [found.run({**values, over: x}) for x in xs]


