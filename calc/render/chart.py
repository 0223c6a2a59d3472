"""The chart: one input swept, up to three terms drawn, as an SVG string. Colours come from the page, identity from dashes.

Two drawings are made, one for a wide column and one for a narrow one; the style sheet shows one of them.
"""

import math

from calc import explain, format
from calc.estimator import sweep_values
from calc.render.ledger import out_names
from calc.render.view import shown, typed
from calc.render.words import capital, esc, say, tag
from calc.what_if import boundary, flip_text

DASHES = ("", "7 4", "2 4")
SIZES = {"wide": (680, 300, 168), "narrow": (296, 250, 8)}
POINTS = 40  # of a curve at most: more are not seen, and each is a run of the estimator
_TIMES = [60, 600, 3600, 36000, 86400, 864000, 8640000, 31536000]


_curves = {}  # the last few curves: while one input moves, everything else of its own chart stays as it was


def answer_at(made, inputs, over, x):
    """The answer with input `over` at `x`, remembered while the other inputs stay the same."""
    key = made, over, tuple((n, v) for n, v in inputs.items() if n != over)
    if key not in _curves:
        while len(_curves) >= 4:
            del _curves[next(iter(_curves))]
        _curves[key] = {}
    curve = _curves[key]
    if x not in curve:
        curve[x] = made.run({**inputs, over: x})
    return curve[x]


def forget():
    """Drop the remembered curves: a record of the catalogue has changed."""
    _curves.clear()


class Sweep:
    """The numbers behind a chart: `xs` of one input, and of each drawn term the values (None where it never happens)."""

    def __init__(self, view):
        made, here = view.estimator, view.answer
        self.view, self.form = view, made.inputs[view.over]
        xs = sweep_values(self.form, low=view.low, high=view.high) if self.form.kind == "slider" else sweep_values(self.form)
        xs = [*xs[: -1: math.ceil(len(xs) / POINTS)], xs[-1]]
        own = here.inputs[view.over]
        if self.form.kind == "slider":
            places = [own] if view.a is None else [own, view.a.inputs[view.over]]
            xs = sorted({*xs, *(x for x in places if xs[0] <= x <= xs[-1])})
        keys = [k for k in made.draws if k in here.terms] or [here.answer.key]
        keys = list(dict.fromkeys([*(k for k in keys if k == here.answer.key), *keys]))[:3]
        self.lines = [here.terms[k] for k in keys if here.terms[k].op == "term"]
        self.xs, self.own = xs, own
        self.answers = [here if x == own else answer_at(made, here.inputs, view.over, x) for x in xs]
        self.ys = {t.key: [self._value(a, t.key) for a in self.answers] for t in self.lines}
        self.ghost = []
        if view.a is not None and self.lines:
            self.ghost = [self._value(answer_at(made, view.a.inputs, view.over, x), self.lines[0].key) for x in xs]

    @staticmethod
    def _value(answer, key):
        line = answer.terms.get(key)
        return None if line is None or isinstance(line.value, (bool, str)) or explain.hidden(answer, line) else line.value

    def text(self, line, i):
        """A value of the table; where a limit fails there and the value with it, the limit's words ("does not fit")."""
        value, broken = self.ys[line.key][i], explain.failed(self.answers[i])
        return broken.words if value is None and broken else text_of(line, value)

    @property
    def empty(self):
        """Whether there is nothing to draw a line through."""
        return not self.lines or self.form.kind != "slider" or sum(y is not None for ys in self.ys.values() for y in ys) < 2


def text_of(line, value):
    """A value of a term's kind as text."""
    return format.show(value, line.unit, line.label)


def figure(view):
    """The chart as a `<figure>` with its description and its table, or "" when there is no line to draw."""
    sweep = Sweep(view)
    if sweep.empty:
        return ""
    over = capital(sweep.form.label)
    title = say("chart", drawn=", ".join(t.name for t in sweep.lines), over=sweep.form.label)
    described = describe(sweep)
    svgs = "".join(draw(sweep, size) for size in SIZES)
    heads = [over, *(t.name for t in sweep.lines), *([say("a")] if sweep.ghost else [])]
    head = tag("tr", "\n".join(tag("th", esc(h), scope="col") for h in heads))
    step = max(1, len(sweep.xs) // 10)
    body = []
    for i, x in enumerate(sweep.xs):
        if i % step and i != len(sweep.xs) - 1 and x != sweep.own:
            continue
        cells = [tag("th", esc(shown(sweep.form, x)) + (f" ({say('you')})" if x == sweep.own else ""), scope="row")]
        cells += [tag("td", esc(sweep.text(t, i))) for t in sweep.lines]
        cells += [tag("td", esc(text_of(sweep.lines[0], sweep.ghost[i])))] if sweep.ghost else []
        body.append(tag("tr", "\n".join(cells)))
    caption = tag("caption", esc(title), class_="visually-hidden")
    table = tag("table", caption + tag("thead", head) + tag("tbody", "\n".join(body)), class_="est-data")
    table = tag("div", table, class_="est-scroll", tabindex=0, role="group", aria_label=title)
    table = tag("details", tag("summary", say("table")) + table, id=view.id("table"), data_search_exclude=True)
    return tag("figure", tag("div", svgs, role="img", aria_label=f"{title}. {described}", class_="est-plots")
               + tag("figcaption", esc(described)) + table, class_="est-chart")


def describe(sweep):
    """What the chart shows, in sentences made from its values: the trend, who takes over, where the reader stands."""
    form, line = sweep.form, sweep.lines[0]
    points = [(x, y) for x, y in zip(sweep.xs, sweep.ys[line.key]) if y is not None]
    (low, first), (high, last) = points[0], points[-1]
    a, b = text_of(line, first), text_of(line, last)
    said = [say("flat", name=line.name, first=a, low=shown(form, low), high=shown(form, high)) if a == b else
            say("rises", name=line.name, first=a, last=b, low=shown(form, low), high=shown(form, high))]
    if len(points) < len(sweep.xs):
        said.append(say("never_there", name=line.name))
    names = [_decides(found) for found in sweep.answers]
    there = [i for i, name in enumerate(names) if name]
    change = next(((i, k) for i, k in zip(there, there[1:]) if names[i] != names[k]), None)
    if change:
        i, k = change
        at = sweep.xs[k]
        if form.kind == "slider" and k == i + 1:
            view = sweep.view
            at = boundary(form, sweep.xs[i], at, lambda x: _decides(answer_at(view.estimator, view.answer.inputs, view.over, x)) == names[i])
        said.append(say("takes_over", x=flip_text(form, at) if form.kind == "slider" else shown(form, at), name=names[k].lower()))
    here = sweep.view.answer.terms[line.key]
    if here.value is not None:
        said.append(say("here", x=shown(form, sweep.own), y=explain.term_text(sweep.view.answer, here)))
    ghost = [y for y in sweep.ghost if y is not None]
    if ghost:
        first, last = (text_of(line, y) for y in (ghost[0], ghost[-1]))
        said.append(say("ghost_flat" if first == last else "ghost", first=first, last=last))
    names = out_names(sweep.view)
    if names:
        said.append(say("chart_out", names=names))
    return " ".join(said)


def _decides(answer):
    """The name of the term that decides an answer, or None where the terms add up."""
    found = explain.deciding(answer.answer)
    return (found[0].name or found[0].symbol) if found and found[1] != "share" else None


def _scale(values, log, length, start=0.0):
    """(function from a value to a position, least, greatest) over the values; the other way round when length < 0."""
    low, high = min(values), max(values)
    if log:
        a, b = math.log(low), math.log(high)
        if b - a < 1e-9:
            a, b = a - 0.5, b + 0.5
        return lambda v: start + length * (math.log(v) - a) / (b - a)
    if high == low:
        low, high = low - 0.5, high + 0.5
    return lambda v: start + length * (v - low) / (high - low)


def _ticks(low, high, log, unit="", most=6):
    """Round values between low and high (base units), at most `most`."""
    if log and high / low >= 8:
        if unit in ("s", "ms", "us", "ns", "min", "h", "day") and high > 100:
            found = [10.0**e for e in range(math.floor(math.log10(low)), 2)] + _TIMES
        else:
            found = [m * 10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                     for m in ((1,) if high / low >= 80 else (1, 3))]
        found = [v for v in found if low * 0.999 <= v <= high * 1.001]
        return found[:: math.ceil(len(found) / most)] if len(found) > 1 else [low, high]
    span = high - low
    if not span:
        return [low]
    step = 10 ** math.floor(math.log10(span / 3))
    step = next(s * step for s in (1, 2, 5, 10) if span / (s * step) <= most - 1)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def draw(sweep, size):
    """One SVG. Its accessible name stands on the element around it."""
    view, form = sweep.view, sweep.form
    width, height, right = SIZES[size]
    left, top, bottom = 66, 14, 40
    values = [y for ys in [*sweep.ys.values(), sweep.ghost] for y in ys if y is not None]
    base = sweep.lines[0]
    marks = list(values)
    guess = view.guess if view.guess and view.guess > 0 else None
    log_y = min(values) > 0 and max(values) / min(values) >= 3
    if guess and (not log_y or 1e-3 <= guess / max(values) <= 1e3):
        marks.append(guess)
    if not log_y:
        marks.append(0 if min(values) > 0 and min(values) < 0.5 * max(values) else min(values))
    log_x = form.log and sweep.xs[0] > 0
    x_at = _scale(sweep.xs, log_x, width - left - right, left)
    y_at = _scale(marks, log_y, -(height - top - bottom), height - bottom)
    out = []
    for v in _ticks(min(marks), max(marks), log_y, base.unit):
        y = round(y_at(v))
        out.append(f'<path class="g" d="M{left} {y}H{width - right}"/><text x="{left - 6}" y="{y + 4}" text-anchor="end">'
                   f"{esc(format.show(v, base.unit, given=True))}</text>")
    for v in _x_ticks(sweep, log_x, 5 if size == "narrow" else 7):
        x = round(x_at(v))
        out.append(f'<path class="g" d="M{x} {height - bottom}v4"/><text x="{x}" y="{height - bottom + 17}" text-anchor="middle">'
                   f"{esc(typed(form, v) if v < 1e6 else format.show(v))}</text>")
    unit = form.unit.replace("us", "µs")
    axis = capital(form.label) + (f" ({unit})" if unit else "")
    out.append(f'<text class="axis" x="{(left + width - right) / 2}" y="{height - 5}" text-anchor="middle">{esc(axis)}</text>')
    labels = []
    for n, line in enumerate(sweep.lines):
        out.append(_path(sweep.xs, sweep.ys[line.key], x_at, y_at, f"l{n}", DASHES[n], line.key))
        labels.append((_end(sweep.ys[line.key], y_at), line.name, f"l{n}", line.key))
    if sweep.ghost:
        out.append(_path(sweep.xs, sweep.ghost, x_at, y_at, "ghost", "9 3 2 3", ""))
        if sweep.ghost != sweep.ys[base.key]:
            labels.append((_end(sweep.ghost, y_at), say("a"), "ghost", ""))
    out += _labels([x for x in labels if x[0] is not None], size, width, right, top, height - bottom)
    if sweep.ghost and view.a.inputs[view.over] in sweep.xs:
        n = sweep.xs.index(view.a.inputs[view.over])
        if sweep.ghost[n] is not None:
            x, y = round(x_at(sweep.xs[n])), round(y_at(sweep.ghost[n]))
            out.append(f'<circle class="ring" cx="{x}" cy="{y}" r="5"/><text class="b" x="{x + 8}" y="{y + 14}">{say("a")}</text>')
    here = view.answer.terms[base.key].value
    if here is not None and sweep.own in sweep.xs:
        x, y = round(x_at(sweep.own)), round(y_at(here))
        out.append(f'<path class="you" d="M{x} {top}V{height - bottom}"/><circle class="dot" cx="{x}" cy="{y}" r="5"/>'
                   f'<text class="b" x="{x + (8 if x < width / 2 else -8)}" y="{max(top + 10, y - 9)}" '
                   f'text-anchor="{"start" if x < width / 2 else "end"}">{say("you")}</text>')
        if guess and guess in marks:
            y = round(y_at(guess))
            out.append(f'<path class="diamond" d="M{x} {y - 6}l6 6l-6 6l-6 -6z"/>'
                       f'<text class="b" x="{x + 10}" y="{y + 4}">{say("guess")}</text>')
    return f'<svg class="est-{size}" viewBox="0 0 {width} {height}" aria-hidden="true" focusable="false">{"".join(out)}</svg>'


def _x_ticks(sweep, log, most):
    if not log:
        return _ticks(sweep.xs[0], sweep.xs[-1], False, most=most)
    rungs = [v for v in sweep.form.rungs() if sweep.xs[0] <= v <= sweep.xs[-1]]
    if len(rungs) < 2:
        rungs = [sweep.xs[0], sweep.xs[-1]]
    return rungs[:: math.ceil(len(rungs) / most)]


def _path(xs, ys, x_at, y_at, kind, dash, key):
    out, run = [], []
    for x, y in [*zip(xs, ys), (None, None)]:
        if y is not None:
            run.append((x_at(x), y_at(y)))
        elif run:
            out.append("M" + " ".join(f"{px:.0f} {py:.0f}" for px, py in _bends(run)))
            run = []
    extra = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path class="line {kind}" data-term="{esc(key)}"{extra} d="{"".join(out)}"/>'


def _bends(points):
    """The points that a line needs: one that lies on the way between its neighbours, to half a pixel, is left out."""
    kept, start = [points[0]], 0
    for end in range(2, len(points)):
        (x0, y0), (x1, y1) = points[start], points[end]
        slope = (y1 - y0) / (x1 - x0) if x1 != x0 else 0
        if any(abs(y0 + slope * (x - x0) - y) > 0.5 for x, y in points[start + 1:end]):
            start = end - 1
            kept.append(points[start])
    return kept + points[1:][-1:]


def _end(ys, y_at):
    there = [y for y in ys if y is not None]
    return y_at(there[-1]) if there else None


def _labels(labels, size, width, right, top, bottom):
    """Names at the ends of the lines, moved apart so that none covers another."""
    labels = sorted(labels, key=lambda entry: entry[0])
    placed, least = [], top + 8
    for y, *rest in labels:
        y = max(least, min(y + 4, bottom - 2))
        placed.append([y, *rest])
        least = y + 15
    most = bottom - 2
    for entry in reversed(placed):
        entry[0] = min(entry[0], most)
        most = entry[0] - 15
    if size == "narrow":
        return [f'<text class="b {kind}" x="{width - right - 2}" y="{y - 6:.0f}" text-anchor="end" data-term="{esc(key)}">{esc(name)}</text>'
                for y, name, kind, key in placed]
    return [f'<text class="b {kind}" x="{width - right + 8}" y="{y:.0f}" data-term="{esc(key)}">{esc(_fit(name))}</text>'
            for y, name, kind, key in placed]


def _fit(name):
    return name if len(name) <= 24 else name[:22].rstrip() + " …"
