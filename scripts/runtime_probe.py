"""Run every estimator and every error path through `calc.web`, as the browser would, and report what was imported.

The same file runs in CPython and in Pyodide (through runtime_probe.mjs), so its `answers` can also be compared.
"""

import json
import sys

from calc import estimator, web


def attempt(call, *arguments):
    """What the call returns, or the error it raises, as text."""
    try:
        return call(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def bad_values(form):
    """Inputs that a reader or a tampered address could send."""
    yield from ("", "x", "<b>1</b>", "-1e400", "1 parsec", "1 kWh", "nan", None, True, [], {})
    if form.kind == "slider":
        yield from (form.low, form.high, f"{form.high}", f"{form.low - 1}", f"{form.high * 10}")
    else:
        # The catalogue's hundreds of records take one path through the code; the ends stand for them.
        yield from dict.fromkeys((form.choices[0], form.choices[-1]))


def answers():
    """Estimator id -> the texts of form, of the default answer, of both ends and of every mistake."""
    given = {}
    for name in [*estimator.ids(), "no-such-estimator", "<script>"]:
        texts = [attempt(web.form, name), attempt(web.update, name, "{}")]
        for broken in ("", "{", "[]", "null", '{"no_such_input": 1}', '{"inputs": 3}'):
            texts.append(attempt(web.update, name, broken))
        if name in estimator.ids():
            for field, form in estimator.find(name).inputs.items():
                for value in bad_values(form):
                    for request in ({field: value}, {"inputs": {field: value}}):
                        texts.append(attempt(web.update, name, json.dumps(request)))
        given[name] = texts
    return given


def report():
    """JSON: `answers`, the files of all modules loaded by now, and the names of those inside the interpreter itself."""
    given, loaded = answers(), dict(sys.modules)
    frozen = {name for name, module in loaded.items() if getattr(module.__spec__, "origin", "") == "frozen"}
    files = sorted({getattr(loaded[name], "__file__", None) or "" for name in loaded.keys() - frozen})
    return json.dumps({"answers": given, "files": files, "builtin": [*sys.builtin_module_names, *frozen]})


if __name__ == "__main__":
    print(report())
