"""Estimates of what AI systems hold, move, compute and cost, each with the ledger it was added up from.

    >>> import calc
    >>> calc.show("decode-step", batch=64).answer.value      # in the term's own unit
    >>> calc.sweep("decode-step", "batch")

Importing the package imports no estimator; each is loaded when it is first asked for.
"""

__version__ = "0.1.0"


def show(id, **inputs):
    """The answer of estimator `id`: `.answer`, `.terms`, `.limits`, `.to_dict()`; texts may carry units ("64 GiB")."""
    from calc.estimator import call

    return call(id, **inputs)


def sweep(id, over, points=None, low=None, high=None, **inputs):
    """The JSON of `sweep`: the answer and terms of `id` while input `over` runs from `low` to `high`."""
    from calc.report import sweep_dict

    return sweep_dict(id, over, points, low, high, inputs)


def compare(id, a, b):
    """The JSON of `compare`: the terms of `id` at inputs `a` and at inputs `b` (two dicts)."""
    from calc.report import compare_dict

    return compare_dict(id, a, b)


def __getattr__(name):
    if name in ("models", "accelerators", "links", "workloads"):
        from calc import catalog

        return getattr(catalog, name.upper())
    raise AttributeError(f"module 'calc' has no attribute {name!r}")
