"""Questions put to an answer: what if a value were other, where does the verdict flip, what moves it, what was forgotten."""

import math

from calc import explain, format
from calc.estimator import InputError, sweep_values
from calc.quantity import _NEVER_OK, OPERATIONS, Q, _finite, walk
from calc.units import parse, unit


def replay(root, changes):
    """The value of `root` when some quantities of its trace had other values: `changes` maps a `Q` to a base-unit value."""
    forced = {id(node): value for node, value in changes.items()}
    values = {}
    for node in walk(root):
        if id(node) in forced:
            values[id(node)] = forced[id(node)]
        elif not node.args:
            values[id(node)] = node.value
        else:
            operands = [values[id(a)] for a in node.args]
            if None in operands and node.op not in _NEVER_OK:
                values[id(node)] = None
                continue
            try:
                values[id(node)] = _finite((node.function or OPERATIONS[node.op])(*operands))
            except (ZeroDivisionError, OverflowError, ValueError):
                values[id(node)] = None
    return values[id(root)]


def _signature(answer):
    """What a reader would call the verdict: the deciding term and which limits hold."""
    found = explain.deciding(answer.answer)
    return (explain.symbol(found[0]) if found else "", answer.answer.value is None, *[m.ok for m in answer.limits])


def boundary(form, low, high, before):
    """The value of an input between `low` and `high` from which on `before(value)`, true at `low`, no longer holds."""
    for _ in range(200):
        middle = (low + high) // 2 if form.whole else (low * high) ** 0.5 if form.log and low > 0 else (low + high) / 2
        if middle in (low, high) or (not form.whole and abs(high - low) <= 1e-9 * max(abs(high), abs(low))):
            break
        if before(middle):
            low = middle
        else:
            high = middle
    return high


def flip(estimator, over, given=None, where=None):
    """The value of input `over` (in its own unit) at which the verdict changes, or None if it does not in its range.

    Without `where`: the change nearest to the present value of the answer's deciding term or of a limit. `where` is
    `(left, right)`: the first value from the low end at which term `left` reaches `right`, another term's key, an amount
    such as "1 $", or a quantity. For whole-number inputs it is the least whole number above the change.
    """
    values = estimator.parse(given or {})
    over = over.replace("-", "_")
    form = estimator.inputs.get(over)
    if form is None:
        raise InputError("flip", f"{over!r} is no input of {estimator.id}; inputs are {', '.join(estimator.inputs)}")
    if form.kind != "slider":
        raise InputError("flip", f"{over} is not a slider; sliders are {', '.join(n for n, f in estimator.inputs.items() if f.kind == 'slider')}")

    def at(x):
        return estimator.run({**values, over: x})

    side = _side(where, at(values[over])) if where else _signature
    xs = sorted(set(sweep_values(form, 41)) | set(sweep_values(form)) | {values[over]})
    sides = [side(at(x)) for x in xs]
    here = 0 if where else xs.index(values[over])
    pairs = [i for i in range(len(xs) - 1) if sides[i] != sides[i + 1] and None not in (sides[i], sides[i + 1])]
    if not pairs:
        return None
    if where:
        i = pairs[0]
    else:
        above = [i for i in pairs if i >= here]
        below = [i for i in pairs if i < here]
        upward = bool(above) and (not below or _apart(form, xs[here], xs[above[0]]) <= _apart(form, xs[here], xs[below[-1]]))
        i = above[0] if upward else below[-1]
    low, high, near = xs[i], xs[i + 1], sides[i]
    return boundary(form, low, high, lambda x: side(at(x)) == near)


def flip_text(form, at, equation=False):
    """A flip for readers: whole numbers as they are, others with three figures.

    A change of verdict is rounded to its upper side, so that the printed value lies beyond it; the solution of an
    `equation` (two terms meet) is rounded to the nearest.
    """
    if at is None:
        return "never in range"
    if not form.whole and not equation:
        near = float(f"{at:.2e}")
        step = 10.0 ** (math.floor(math.log10(abs(at))) - 2) if at else 0
        at = near if near >= at or abs(near - at) <= 1e-6 * abs(at) else near + step
    return format.show(form.bind(at).value, form.unit, given=form.whole)


def _apart(form, a, b):
    return abs(b / a) if form.log and a > 0 and b >= a else abs(a / b) if form.log and b > 0 else abs(a - b)


def _side(where, answer):
    left, right = where
    keys = [left, right] if isinstance(right, str) and right in answer.terms else [left]
    for key in keys:
        if key not in answer.terms:
            raise InputError("where", f"{key!r} is no term of {answer.estimator.id}; terms are {', '.join(answer.terms)}")
    level = None
    if isinstance(right, Q):
        level = right.value
    elif len(keys) == 1:
        level = parse(right, answer.terms[left].unit)

    def side(other):
        a = other.terms[left].value
        b = level if len(keys) == 1 else other.terms[right].value
        if b is None or isinstance(a, (bool, str)):
            return None
        return a is None or a >= b  # never is beyond any amount

    return side


def sensitivity(answer, step=0.1):
    """[(name, relative change of the answer for `step` more of it)], largest first: every slider and every sourced value.

    A whole-number input moves by at least one; None where the changed answer never happens.
    """
    base = answer.answer.value
    if not base or isinstance(base, (bool, str)):
        return []
    rows = []
    for name, form in answer.estimator.inputs.items():
        if form.kind != "slider" or not answer.inputs[name]:
            continue
        x = answer.inputs[name] * (1 + step)
        x = max(round(x), answer.inputs[name] + 1) if form.whole else x
        if x > form.high:
            continue
        other = answer.estimator.run({**answer.inputs, name: x}).answer.value
        scale = (x / answer.inputs[name] - 1) / step
        rows.append((form.label, None if other is None else (other / base - 1) / scale))
    leaves = [n for n in walk(answer.answer) if n.op == "leaf" and isinstance(n.value, (int, float)) and n.value]
    for leaf in leaves:
        other = replay(answer.answer, {leaf: leaf.value * (1 + step)})
        rows.append((leaf.name, None if other is None else other / base - 1))
    return sorted(rows, key=lambda row: -abs(row[1] if row[1] is not None else 1e9))


def without(answer, line):
    """The answer's value (base units) with one term left out of every sum and maximum that it is part of."""
    return replay(answer.answer, {line: 0})


def forgotten(answer, guess):
    """The term whose omission gives about `guess` (in the answer's unit) instead of the answer, or None.

    A term counts as the forgotten one when the answer without it is within 12 % of the guess and the answer with it is
    further off than that.
    """
    base, wanted = answer.answer.value, guess * unit(answer.answer.unit)[0]
    if not base or not wanted or abs(wanted / base - 1) <= 0.12:
        return None
    best = None
    for line in answer.terms.values():
        if line.op != "term" or line is answer.answer or line.value in (None, 0):
            continue
        other = without(answer, line)
        if other and abs(wanted / other - 1) <= 0.12 and (best is None or abs(wanted / other - 1) < best[0]):
            best = (abs(wanted / other - 1), line)
    return best[1] if best else None
