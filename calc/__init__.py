"""Estimates of what AI systems hold, move, compute and cost, each with the ledger it was added up from.

    >>> import calc
    >>> step = calc.show("decode-step", batch=64)
    >>> print(step)                      # the ledger
    >>> print(step.answer)               # as a reader sees it
    >>> step.answer.to("ms")             # a number in a unit; .value is in base units: B, FLOP, s, J, $
    >>> calc.sweep("decode-step", "batch")

What `calc memory` and `calc forward` print is `calc.memory.report(model, context)` and `calc.forward.table(model, tokens)`, with a
record such as `calc.models["qwen3-8b"]`, once `calc.memory` or `calc.forward` is imported.

Importing the package imports no estimator; each is loaded when it is first asked for.
"""

__version__ = "0.1.0"


def show(id, **inputs):
    """The `Answer` of estimator `id` at these inputs, unset ones at their defaults; texts may carry units ("64 GiB").

    `.answer` and each of `.terms` (by key) are quantities: `str(x)` is the text, `x.to("ms")` the number in a unit, and `x.value`
    the number in base units (B, FLOP, s, J, $). `.limits` is what has to fit, `.ok` whether it does, `.to_dict()` the JSON of
    `calc show`. A record of a catalogue may stand for its id. InputError says in one line what is not allowed.
    """
    from calc.estimator import call

    return call(id, **inputs)


def sweep(id, over, points=None, low=None, high=None, **inputs):
    """The JSON of `sweep`: the answer and terms of `id` while input `over` runs from `low` to `high`.

    `points` is 2 to 1000 and `low` and `high` are in the input's own unit or carry one; all three are for numbers only. InputError
    as for `show`.
    """
    from calc.report import sweep_dict

    return sweep_dict(id, over, points, low, high, inputs)


def compare(id, a, b):
    """The JSON of `compare`: the terms of `id` at inputs `a` and at inputs `b` (two dicts such as {"batch": 8})."""
    from calc.report import compare_dict

    return compare_dict(id, a, b)


CATALOGUES = ("models", "accelerators", "links", "workloads", "sources")


def __dir__():
    return sorted([*globals(), *CATALOGUES])


def __getattr__(name):
    if name in CATALOGUES:
        from calc import catalog

        return getattr(catalog, name.upper())
    raise AttributeError(f"module 'calc' has no attribute {name!r}")
