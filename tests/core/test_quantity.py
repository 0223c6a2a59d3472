"""Traced quantities: dimensions, never, and the graph."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calc.quantity import DimensionError, Ledger, apply, ceil, floor, largest, let, limit, positive, q, quotient, smallest, term, total, walk
from calc.what_if import replay


def test_adding_bytes_to_seconds_is_refused():
    """Quantities of two dimensions cannot be added, subtracted or compared by largest()."""
    for operation in (lambda a, b: a + b, lambda a, b: a - b, largest, smallest):
        with pytest.raises(DimensionError, match="bytes.*seconds"):
            operation(q(1, "B"), q(1, "s"))


def test_a_term_declared_in_a_foreign_unit_is_refused():
    """A ledger line cannot be declared in a unit of another dimension."""
    with pytest.raises(DimensionError):
        term("time", q(1, "B"), unit="ms")


def test_a_limit_between_dimensions_is_refused():
    """A limit compares like with like."""
    with pytest.raises(DimensionError):
        limit("Fits", q(1, "B"), q(1, "s"))


@pytest.mark.parametrize("compare", [lambda a: a < a, lambda a: a == 1, bool, lambda a: a >= 2])
def test_branching_on_a_quantity_is_refused(compare):
    """A comparison would hide a choice from the ledger, so it raises and says what to use."""
    with pytest.raises(TypeError, match="largest"):
        compare(q(1))


def test_dimensions_multiply_and_divide():
    """Bytes over bytes per second are seconds."""
    assert (q(6, "GB") / q(2, "GB/s")).to("s") == 3
    assert (q(3, "W") * q(2, "h")).to("Wh") == 6


def test_whole_numbers_stay_exact():
    """Counts beyond 2^53 keep every digit through products, sums and exact division."""
    n = 2**60 + 1
    assert (q(n) * 3 / 3).value == n
    assert total([q(n), q(1)]).value == n + 1


def test_never_passes_through():
    """What never happens stays never, except that something else can come first."""
    never = quotient(q(1), q(0))
    assert never.value is None
    assert (never + 1).value is None and (2 * never).value is None and largest(never, q(1)).value is None
    assert smallest(never, q(5)).value == 5


def test_no_infinity_and_no_nan():
    """Overflow and division by zero become never."""
    assert (q(1e300) * 1e300).value is None
    assert (q(1) / q(0)).value is None
    assert (q(0.0) / 0).value is None


def test_floor_and_ceil_forgive_rounding():
    """A quotient that misses a whole number by 1e-12 counts as that number."""
    assert floor(q(2.9999999999999)).value == 3
    assert ceil(q(3.0000000000001)).value == 3
    assert positive(q(-3)).value == 0


def test_a_term_cannot_be_named_twice():
    """Two lines of one ledger cannot share a key."""
    with Ledger(), pytest.raises(ValueError, match="twice"):
        term("a", q(1))
        term("a", q(2))


def test_walk_visits_operands_first():
    """Every node comes after what it is made of, and once."""
    a, b = q(2), q(3)
    root = let("x", a * b + a)
    order = walk(root)
    assert order[-1] is root and len({id(n) for n in order}) == len(order)
    place = {id(n): i for i, n in enumerate(order)}
    assert all(place[id(x)] < place[id(n)] for n in order for x in n.args)


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.floats(-1e6, 1e6))
def test_replay_equals_recomputing(values, other):
    """Replaying the trace with another value gives what computing anew with it gives."""
    def build(x, y, z):
        return largest(x * y + z, apply("hypot", math.hypot, x, z)) - total([x, y, z]) / 7

    x, y, z = map(q, values)
    assert replay(build(x, y, z), {y: other}) == build(x, q(other), z).value
