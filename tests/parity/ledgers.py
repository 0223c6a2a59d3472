"""The ledger text of every estimator at its defaults and at both ends of every input, as one JSON; runs in any Python."""

import json

from calc import estimator, explain


def states(found):
    """{name of the state: inputs}: the defaults, and every input alone at each end."""
    yield "defaults", {}
    for name, form in found.inputs.items():
        ends = (form.low, form.high) if form.kind == "slider" else (form.choices[0], form.choices[-1])
        for end in dict.fromkeys(ends):
            yield f"{name}={end}", {name: end}


def text(found, inputs):
    """The ledger as text, or the refusal's words."""
    try:
        return explain.as_text(found(**inputs))
    except (ValueError, LookupError) as problem:
        return f"{type(problem).__name__}: {problem}"


def report():
    """JSON of {estimator: {state: text}}."""
    return json.dumps({id: {name: text(estimator.find(id), inputs) for name, inputs in states(estimator.find(id))} for id in estimator.ids()})


if __name__ == "__main__":
    print(report())
