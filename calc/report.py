"""Plain data for machines: the JSON of `list`, `sweep`, `compare` and the catalogue, as the command line prints it."""

from calc import estimator as estimators
from calc import explain
from calc.catalog import fields


def inputs_list(found):
    """The inputs of an estimator as data: name, kind, default, unit, range, choices."""
    rows = []
    for name, form in found.inputs.items():
        rows.append({"name": name, "kind": form.kind, "default": form.default, "unit": form.unit, "min": form.low,
                     "max": form.high, "log": form.log, "choices": list(form.choices) if form.choices else None, "help": form.help})
    return rows


def listing(chapter=None):
    """The JSON of `list`: every estimator with its inputs and term keys, optionally of one chapter."""
    rows = []
    for id in estimators.ids():
        found = estimators.find(id)
        if chapter is None or found.chapter == chapter:
            rows.append({"id": id, "chapter": found.chapter, "title": found.title, "question": found.question,
                         "inputs": inputs_list(found), "terms": list(found().terms)})
    return rows


def sweep_dict(id, over, points=None, low=None, high=None, inputs=None):
    """The JSON of `sweep`: {"id", "over", "unit", "inputs", "points": [{"x", "terms", "ok"}], "units"}."""
    return swept(id, over, points, low, high, inputs)[0]


def swept(id, over, points=None, low=None, high=None, inputs=None):
    """(the JSON of `sweep`, whether any of its answers has limits)."""
    over = str(over).replace("-", "_")
    xs, answers = estimators.sweep(id, over, points, low, high, **settings(inputs or {}, "inputs"))
    found = estimators.find(id)
    data = {"id": found.id, "over": over, "unit": found.inputs[over].unit,
            "inputs": {n: v for n, v in answers[0].inputs.items() if n != over},
            "points": [{"x": x, "terms": {k: explain.in_unit(t) for k, t in a.terms.items()}, "ok": a.ok} for x, a in zip(xs, answers)],
            "units": {k: t.unit for k, t in answers[0].terms.items()}}
    return data, any(a.limits for a in answers)


def settings(given, name):
    """The inputs that were given as a dict, checked to be one; InputError names the argument."""
    if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
        raise estimators.InputError(name, f"{estimators.echo(given)} is no dict of inputs, such as {{'batch': 8}}")
    return given


def compare_dict(id, a, b):
    """The JSON of `compare`: {"id", "a", "b", "terms": [{"key", "a", "b", "unit", "ratio", "difference"}]}."""
    found = estimators.find(id)
    first, second = found(**settings(a, "a")), found(**settings(b, "b"))
    rows = []
    for key, left in first.terms.items():
        right = second.terms.get(key)
        if right is None:
            continue
        x, y = explain.in_unit(left), explain.in_unit(right)
        numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (x, y))
        rows.append({"key": key, "a": x, "b": y, "unit": left.unit, "ratio": y / x if numbers and x else None,
                     "difference": y - x if numbers else None})
    return {"id": found.id, "a": dict(first.inputs), "b": dict(second.inputs), "terms": rows}


def record_dict(record):
    """A catalogue record as {"id", field: {"value", "unit", "source", "where"}}."""
    return {"id": record.id, **fields(record)}
