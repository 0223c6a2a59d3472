"""Quantities that remember how they were made.

A `Q` is a number in base units with a dimension, the operation that made it and that operation's operands.
Formulas, sources, shares, sensitivities and verdicts are walks over this graph (`calc.explain`), so none of them
can disagree with the arithmetic. The value `None` means "never happens" and passes through every operation.
"""

import math

from calc.units import PLAIN, dimension_name, unit


class DimensionError(TypeError):
    """Two quantities were combined whose dimensions do not allow it."""


def _finite(x):
    return None if x is None or x != x or x in (math.inf, -math.inf) else x


def _largest(*xs):
    return None if None in xs else max(xs)


def _smallest(*xs):
    # "Never" is later than anything that happens.
    happening = [x for x in xs if x is not None]
    return min(happening) if happening else None


def _sum(*xs):
    return sum(xs) if all(isinstance(x, int) for x in xs) else math.fsum(xs)


def _divide(a, b):
    if b == 0:
        return None
    if isinstance(a, int) and isinstance(b, int) and a % b == 0:
        return a // b
    return a / b


# operation -> function of the operands' values; `apply` carries its own function in the node
OPERATIONS = {
    "add": _sum, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": _divide, "pow": lambda a, b: a**b,
    "neg": lambda a: -a, "largest": _largest, "smallest": _smallest,
    "ceil": lambda a: math.ceil(a - 1e-9 * abs(a)), "floor": lambda a: math.floor(a + 1e-9 * abs(a)),
    "sqrt": math.sqrt, "log2": math.log2, "log": math.log, "exp": math.exp,
    "positive": lambda a: a if a > 0 else 0,
    "quotient": lambda a, b: a / b if b > 0 else None,
    "term": lambda a: a, "let": lambda a: a,
}
_NEVER_OK = {"smallest"}


class Q:
    """A traced quantity. `value` is in base units (B, FLOP, s, J, $), int where exact, None where it never happens."""

    __slots__ = ("value", "dim", "op", "args", "function", "symbol", "name", "unit", "label", "key", "why", "source",
                 "where", "input")

    def __init__(self, value, dim=PLAIN, op="const", args=(), function=None, symbol="", name="", unit="", label="",
                 key="", why="", source="", where="", input=""):
        self.value, self.dim, self.op, self.args, self.function = value, dim, op, args, function
        self.symbol, self.name, self.unit, self.label, self.key, self.why = symbol, name, unit, label, key, why
        self.source, self.where, self.input = source, where, input

    def to(self, unit_name):
        """The value as a plain number in `unit_name`; DimensionError when that is another dimension."""
        scale, dim = unit(unit_name)
        if dim != self.dim:
            raise DimensionError(f"{self} is {dimension_name(self.dim)}, not {unit_name!r}")
        return None if self.value is None else _divide(self.value, scale)

    def __repr__(self):
        return f"<Q {self.key or self.symbol or self.op}: {self}>"

    def __str__(self):
        """The value as a reader sees it; a number of the catalogue with its name and its source."""
        from calc import format

        shown = format.text(self) if self.op != "word" else format.pieces(self.value)[0]
        shown = shown.replace(format.NARROW, " ")
        return f"{shown} ({self.name}; {self.source}: {self.where})" if self.source else shown

    def __add__(self, other):
        return total([self, other])

    def __radd__(self, other):
        if isinstance(other, int) and other == 0:  # sum() starts at 0
            return self
        return total([other, self])

    def __sub__(self, other):
        return _same("sub", self, other)

    def __rsub__(self, other):
        return _same("sub", other, self)

    def __mul__(self, other):
        other = q(other)
        return _node("mul", (self, other), tuple(a + b for a, b in zip(self.dim, other.dim)))

    def __rmul__(self, other):
        return q(other) * self

    def __truediv__(self, other):
        other = q(other)
        return _node("div", (self, other), tuple(a - b for a, b in zip(self.dim, other.dim)))

    def __rtruediv__(self, other):
        return q(other) / self

    def __pow__(self, power):
        power = q(power)
        if power.dim != PLAIN:
            raise DimensionError(f"a power must be a plain number, not {dimension_name(power.dim)}")
        if self.dim == PLAIN:
            return _node("pow", (self, power), PLAIN)
        if power.op != "const" or power.value != int(power.value):
            raise DimensionError(f"{dimension_name(self.dim)} can only be raised to a whole constant")
        return _node("pow", (self, power), tuple(a * int(power.value) for a in self.dim))

    def __neg__(self):
        return _node("neg", (self,), self.dim)

    def _no_branching(self, *_):
        raise TypeError("a quantity cannot be compared: use largest(), smallest(), limit() or quotient(), "
                        "so that the ledger can show the choice; `.value` is the bare number")

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __eq__ = _no_branching
    __hash__ = object.__hash__


def q(x, unit_name="", **about):
    """A quantity: `q(3.35, "TB/s")`; a `Q` is handed back as it is, a plain number becomes a constant."""
    if isinstance(x, Q):
        return x
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        raise TypeError(f"not a number: {x!r}")
    scale, dim = unit(unit_name)
    value = x * scale
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return Q(value, dim, unit=unit_name, **about)


def _node(op, args, dim, function=None, **about):
    values = [a.value for a in args]
    if None in values and op not in _NEVER_OK:
        value = None
    else:
        try:
            value = _finite((function or OPERATIONS[op])(*values))
        except (ZeroDivisionError, OverflowError, ValueError):
            value = None
    return Q(value, dim, op, args, function, **about)


def _same(op, *operands):
    operands = tuple(q(x) for x in operands)
    for other in operands[1:]:
        if other.dim != operands[0].dim:
            raise DimensionError(f"cannot {op} {dimension_name(operands[0].dim)} and {dimension_name(other.dim)}"
                                 f" ({_called(operands[0])} and {_called(other)})")
    return _node(op, operands, operands[0].dim)


def _called(x):
    return x.name or x.symbol or x.key or str(x.value)


def total(parts):
    """The sum of quantities of one dimension, added with `math.fsum`; parts are shown in the given order."""
    flat = []
    for part in parts:
        part = q(part)
        flat.extend(part.args if part.op == "add" else [part])
    return flat[0] if len(flat) == 1 else _same("add", *flat)


def largest(*parts):
    """The largest of quantities that overlap in time (or compete); the ledger says which one won."""
    return _same("largest", *parts)


def smallest(*parts):
    """The smallest of quantities of one dimension; a part that never happens does not count."""
    return _same("smallest", *parts)


def ceil(x):
    """The next whole number; within 1e-9 of a whole number counts as that number."""
    return _node("ceil", (q(x),), q(x).dim)


def floor(x):
    """The whole number below; within 1e-9 of a whole number counts as that number."""
    return _node("floor", (q(x),), q(x).dim)


def positive(x):
    """`x`, or 0 where it is negative: a capacity cannot be less than nothing."""
    return _node("positive", (q(x),), q(x).dim)


def quotient(a, b):
    """`a / b` where `b` is above zero, else never (None)."""
    a, b = q(a), q(b)
    return _node("quotient", (a, b), tuple(x - y for x, y in zip(a.dim, b.dim)))


def _plain(op, x):
    x = q(x)
    if x.dim != PLAIN:
        raise DimensionError(f"{op} needs a plain number, not {dimension_name(x.dim)}")
    return _node(op, (x,), PLAIN)


def sqrt(x):
    """The square root of a plain number."""
    return _plain("sqrt", x)


def log2(x):
    """The logarithm to base 2 of a plain number."""
    return _plain("log2", x)


def log(x):
    """The natural logarithm of a plain number."""
    return _plain("log", x)


def exp(x):
    """The exponential of a plain number."""
    return _plain("exp", x)


def apply(name, function, *args, unit_name=""):
    """`function` of the bare values in base units as one step of the trace, shown as `name(...)`.

    For what is no short formula (Erlang C, a sum over layers, a seeded simulation). The result is in base units of the
    dimension of `unit_name`. The function must be pure: `replay` calls it again with other values.
    """
    return _node("apply", tuple(q(a) for a in args), unit(unit_name)[1], function, name=name)


def let(symbol, x, name="", unit="", why=""):
    """`x` under a symbol: formulas stop there and print the symbol; it is explained, and is no line of the ledger."""
    x = q(x)
    return Q(x.value, x.dim, "let", (x,), symbol=symbol, name=name or symbol, unit=unit or x.unit, why=why)


# ---------------------------------------------------------------- the ledger that is being written
_open = []


class Ledger:
    """What one run of an estimator names: its terms in order and its limits. Used as a context manager."""

    def __init__(self):
        self.terms, self.limits = {}, []

    def __enter__(self):
        _open.append(self)
        return self

    def __exit__(self, *_):
        _open.pop()


def term(key, x, symbol="", unit="", name="", why="", label=""):
    """Name `x` as a line of the ledger and hand it back.

    `key` is snake_case; `name` is for readers (default: the key in words); `unit` is the declared unit of the printed
    value; `label` are words after the value ("per token", "tokens/s"). `x` is a quantity, a boolean, a slug or a `Limit`.
    """
    name = name or key.replace("_", " ").capitalize()
    if isinstance(x, Limit):
        x = x.ok
    if x is None or isinstance(x, (bool, str)):
        line = Q(x, None, "word", symbol=symbol, name=name, key=key, why=why, label=label)
    else:
        x = q(x)
        unit = unit or x.unit
        if unit in ("×", "x"):  # a ratio is a plain number that reads with a times sign
            unit, label = "", "×"
        x.to(unit)
        line = Q(x.value, x.dim, "term", (x,), symbol=symbol, name=name, unit=unit, label=label, key=key, why=why)
    if _open:
        if key in _open[-1].terms:
            raise ValueError(f"term {key!r} is named twice")
        _open[-1].terms[key] = line
    return line


class Limit:
    """A condition `need <= have` (or `<` when strict). When it fails the answer reads `words` and prints no rates."""

    def __init__(self, name, need, have, words, strict, meter):
        self.name, self.need, self.have, self.words, self.meter = name, need, have, words, meter
        never = need.value is None or have.value is None
        self.ok = not never and (need.value < have.value if strict else need.value <= have.value)

    def __repr__(self):
        return f"<Limit {self.name}: {self.need} of {self.have}, {'ok' if self.ok else self.words}>"


def limit(name, need, have, words="does not fit", strict=False, meter=True):
    """Check `need` against `have` and note the result in the ledger; returns the `Limit` (its `ok` is a bool).

    `words` are what a reader sees when it fails ("does not fit", "no such batch"); `meter` says whether a fill level
    (need of have) is worth drawing.
    """
    need, have = q(need), q(have)
    if need.dim != have.dim:
        raise DimensionError(f"limit {name!r} compares {dimension_name(need.dim)} with {dimension_name(have.dim)}")
    found = Limit(name, need, have, words, strict, meter)
    if _open:
        _open[-1].limits.append(found)
    return found


def walk(*roots):
    """Every quantity that the roots are made of, operands before results, each once."""
    seen, order, stack = set(), [], [(r, False) for r in reversed(roots)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(node.args))
    return order
