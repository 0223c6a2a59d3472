"""What a widget shows at one moment: the answer, the pinned one beside it, and everything else that the reader has set."""

from calc import explain, format
from calc.inputs import plain


class View:
    """The state of one widget; `calc.render` turns it into markup, the same when built and when live.

    `name` is the id on the page, `given` the fence's own inputs, `answer` the answer at the reader's inputs, `a` the
    pinned one or None, `over` the input the chart runs over (between `low` and `high`, None: its whole range), `out` the
    keys of terms left out by choice, `guess` the reader's guess in the answer's unit, `ask` whether (or what) the author
    asks, `heading` the level of the widget's heading.
    """

    def __init__(self, answer, name="", given=None, a=None, over="", low=None, high=None, out=(), guess=None, ask=None,
                 heading=3):
        self.answer, self.estimator = answer, answer.estimator
        self.name = name or self.estimator.id
        self.given = self.estimator.parse({}) if given is None else given
        self.a, self.out, self.guess, self.ask, self.heading = a, out, guess, ask, heading
        self.over = over or self.estimator.sweep
        self.low, self.high = low, high

    def id(self, *parts):
        """The id of a part of this widget in the page."""
        return ".".join((self.name, *parts)) if len(parts) == 1 else f"{self.name}.{parts[0]}-{'-'.join(parts[1:])}"


def typed(form, value):
    """A value as it stands in the input's box: what a reader could have typed, read back to the same value."""
    if form.kind == "slider":
        return f"{value:,}" if isinstance(value, int) else plain(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def bare(form, value):
    """A value as an address, a command and a fence write it."""
    return plain(value) if form.kind == "slider" else typed(form, value)


def shown(form, value):
    """A value as a sentence names it: "8 sequences", "H100 SXM", "16 bit"."""
    if form.kind == "pick":
        return form.catalogue[value].name
    if form.kind == "choice":
        if form.labels.get(value):
            return form.labels[value]
        return format.pieces(value)[0] if isinstance(value, str) else format.text(form.bind(value))
    return format.text(form.bind(value))


def spoken(form, value):
    """A slider's value with its unit in words."""
    return format.spoken(form.bind(value))


def nearest_rung(form, value):
    """The position on the slider's ladder that is closest to a value."""
    rungs = form.rungs()
    if form.log and value > 0:
        return min(range(len(rungs)), key=lambda i: max(rungs[i], value) / min(rungs[i], value) if rungs[i] > 0 else 1e300)
    return min(range(len(rungs)), key=lambda i: abs(rungs[i] - value))


def changed(view, values, against=None):
    """[(input name, its form, value)] of the inputs that differ from the fence's (or from `against`)."""
    base = view.given if against is None else against
    return [(n, view.estimator.inputs[n], v) for n, v in values.items() if v != base[n]]


def contributors(view):
    """The terms that are added up or compete on the way to the answer: those that can be left out."""
    from calc.quantity import walk

    found = []
    for node in walk(view.answer.answer):
        if node.op in ("add", "largest"):
            found.extend(a for a in node.args if a.op == "term" and a.value)
    return list(dict.fromkeys(found))


def inputs_line(view):
    """The inputs as one line of text."""
    return " · ".join(f"{label} {text}" for label, text in explain.inputs_text(view.answer))
