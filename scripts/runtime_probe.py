"""Run every estimator and every error path through `calc.web`, as the browser would, and report what was imported.

The same file runs in CPython and in Pyodide (through runtime_probe.mjs), so its `answers` can also be compared.
"""

import json
import sys

from calc import estimator, web
from calc.render import html

CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "torch_dtype": "bfloat16",
    "max_position_embeddings": 128, "tie_word_embeddings": False,
}
NOT_REQUESTS = ("", "{", "[]", "null", "7", '{"inputs": 3}', '{"inputs": {"no_such_input": 1}}', "[" * 100_000)
NOT_VALUES = ("", "x", "<b>1</b>", "-1e400", "1 parsec", "1 kWh", "nan", "8k", "1,0", None, True, [], {}, -1e300)


def attempt(call, *arguments):
    """What the call returns, or the name of the error it raises (which it should not)."""
    try:
        return call(*arguments)
    except Exception as error:
        return type(error).__name__


def requests(found, extent):
    """What a reader or a tampered address could send to an estimator; only the first of it when `extent` is "brief"."""
    yield "{}"
    if extent == "brief":
        return
    yield from NOT_REQUESTS
    yield json.dumps({"open": list(html.SLOW), "guess": "5", "pin": {}, "units": "GiB"})
    forms, terms = found.inputs.items(), list(found().terms)
    yield json.dumps({"fence": {"ask": True}, "guess": "1 parsec", "out": terms[:1], "pin": {"no_such_input": "1"}})
    for end in (0, -1):
        ends = {name: (form.low, form.high)[end] if form.kind == "slider" else form.choices[end] for name, form in forms}
        yield json.dumps({"inputs": ends, "over": list(ends)[end], "address": ends})
    # Inputs of a kind read their text with the same code: one of each kind stands for them.
    for name, form in {form.kind: (name, form) for name, form in forms}.values():
        past = [form.low - 1, form.high * 10] if form.kind == "slider" else ["no-such"]
        for value in (*NOT_VALUES, *past):
            yield json.dumps({"inputs": {name: value}})


def answers(extent):
    """Estimator id (or "" for what belongs to none) -> the texts of every reply."""
    given = {}
    for name in estimator.ids():
        texts = [attempt(web.form, name)]
        texts += [attempt(web.update, name, request) for request in requests(estimator.find(name), extent)]
        if extent != "brief":
            texts += [attempt(web.export, name, json.dumps({"what": what})) for what in ("csv", "svg", "")]
        given[name] = texts
    nothing = [attempt(call, name, "{}") for name in ("no-such-estimator", "<script>") for call in (web.update, web.export)]
    nothing += [attempt(web.calibration, text) for text in ("[]", "{", '[{"id": "decode-step", "ratio": 1.5}]')]
    chip = {"kind": "accelerator", "name": "mine", "peak": "1 PFLOP/s", "bandwidth": "2 TB/s", "memory": "80 GB"}
    for own in ({}, chip, {**chip, "peak": "fast"}, {"kind": "model", "name": "mine", "config": json.dumps(CONFIG)},
                {"kind": "model", "config": "{}"}, {"kind": "model", "config": "{"}):
        nothing.append(attempt(web.own, json.dumps(own)))
    return {**given, "": nothing}


def report(extent="full"):
    """JSON: `answers`, the files of all modules loaded by now, and the names of those inside the interpreter itself."""
    given, loaded = answers(extent), dict(sys.modules)
    frozen = {name for name, module in loaded.items() if getattr(module.__spec__, "origin", "") == "frozen"}
    files = sorted({getattr(loaded[name], "__file__", None) or "" for name in loaded.keys() - frozen})
    return json.dumps({"answers": given, "files": files, "builtin": [*sys.builtin_module_names, *frozen]})


if __name__ == "__main__":
    print(report())
