"""One declaration per question: the parameters are the form, the body is the arithmetic, `term(...)` is the ledger.

`@estimator` marks a plain function. The command line, the page, the browser form, the reference and the tests are
derived from the declaration; nothing is declared a second time.
"""

import os

from calc.inputs import Choice, InputError, Pick, Slider, echo, hint, nearest
from calc.quantity import Ledger

__all__ = ["Answer", "Choice", "Estimator", "InputError", "Pick", "Slider",
           "call", "echo", "estimator", "find", "hint", "ids", "nearest", "sweep", "sweep_values"]


# Words of input names that are not written in lower case.
SPELLED = {"kv": "KV", "gpu": "GPU", "cpu": "CPU", "pue": "PUE", "slo": "SLO", "lora": "LoRA", "ttft": "TTFT", "tpot": "TPOT", "id": "ID"}


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
            form.label = form.label or " ".join(SPELLED.get(word, word) for word in name.split("_"))

    def parse(self, given):
        """All inputs in their own units (defaults filled in). InputError for an unknown name or a bad value."""
        values = {}
        for name, value in given.items():
            name = name.replace("-", "_")
            if name not in self.inputs:
                raise InputError(name[:40], f"is no input of {self.id}; inputs are {', '.join(self.inputs)}")
            values[name] = self.inputs[name].parse(value)
        return {name: values.get(name, form.default) for name, form in self.inputs.items()}

    def run(self, values):
        """The `Answer` at parsed values."""
        with Ledger() as ledger:
            results = self.function(**{name: self.inputs[name].bind(value) for name, value in values.items()})
        results = results if isinstance(results, tuple) else (results,)
        return Answer(self, values, ledger, results[0])

    def __call__(self, /, **given):
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
    """An estimator's ledger at given inputs: `.answer`, `.terms` by key, `.limits`, `.to_dict()` (the JSON of `show`).

    `.answer` and the terms are quantities: `str()` is the text a reader sees, `.to("ms")` the number in a unit, `.value` the
    number in base units. Printed, the answer is its ledger as text; a notebook shows it as a table.
    """

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

        return explain.as_text(self).replace("\u00a0", " ")

    def _repr_markdown_(self):
        from calc import output

        return output.answer(self, "md")


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
            raise InputError("estimator", f"unknown {echo(id)}; {hint(id, list(files), 'calc list')}")
        __import__(files[id])
        if id not in REGISTRY:
            raise RuntimeError(f"{files[id]} declares no estimator called {id!r}")
    return REGISTRY[id]


def call(id, /, **given):
    """The `Answer` of estimator `id`; inputs that are not given are at their defaults, texts may carry units."""
    return find(id)(**given)


MOST_POINTS = 1000  # of one sweep


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


def sweep(id, over, points=None, low=None, high=None, /, **given):
    """`(values of input `over`, answers)` with everything else as given. InputError as for `call`."""
    found = find(id)
    over = str(over).replace("-", "_")
    if over not in found.inputs:
        raise InputError("over", f"{echo(over)} is no input of {found.id}; inputs are {', '.join(found.inputs)}")
    if over in (name.replace("-", "_") for name in given):
        raise InputError(over, "is swept; leave out its one value")
    if points is not None and (isinstance(points, bool) or not isinstance(points, int) or not 2 <= points <= MOST_POINTS):
        raise InputError("points", f"{echo(points) if isinstance(points, str) else points} is outside 2 to {MOST_POINTS}")
    for name, value in (("points", points), ("from", low), ("to", high)):
        if value is not None and found.inputs[over].kind != "slider":
            raise InputError(name, f"{over} is a choice, and a sweep takes all of its values")
    values = found.parse(given)
    xs = sweep_values(found.inputs[over], points, low, high)
    return xs, [found.run({**values, over: x}) for x in xs]


