"""A reader's own accelerator (three typed numbers) or model (a Hugging Face config.json), for one visit."""

from calc import estimator as estimators
from calc.catalog import ACCELERATORS
from calc.inputs import InputError
from calc.render import chart
from calc.render.words import capital, esc, say, tag
from calc.units import UnitError, parse

FIELDS = {"peak": ("BF16 peak", "FLOP/s", "989 TFLOP/s"), "bandwidth": ("memory bandwidth", "B/s", "3.35 TB/s"),
          "memory": ("memory", "B", "80 GB")}
LONGEST_NAME = 40
SHORT = 1500  # characters of a config that still go into an address


def add(wanted):
    """Add the record that a request describes; returns what the page needs to offer it."""
    kind = wanted.get("kind")
    if kind == "accelerator":
        id, raw = accelerator(wanted)
        record = ACCELERATORS.add(id, raw)
        carried = {k: str(wanted[k]).strip() for k in ("name", *FIELDS)}
    elif kind == "model":
        record, carried = model(wanted)
    else:
        raise InputError("kind", "is model or accelerator")
    chart.forget()
    table = record.table
    offers = [f"{i}.{n}" for i in estimators.ids() for n, f in estimators.find(i).inputs.items()
              if f.kind == "pick" and f.catalogue is table and record.id in f.choices]
    return {"kind": kind, "id": record.id, "name": f"{record.name} ({say('own_mark')})", "offers": offers, "carried": carried}


def field(problem):
    """The name of the box that an error of `add` is about."""
    named = getattr(problem, "name", "")
    return "name" if named == "name" else next((f for f, (words, _, _) in FIELDS.items() if words == named), "config")


def _name(wanted, default):
    name = str(wanted.get("name") or default).strip()
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError("name", f"is at most {LONGEST_NAME} printable characters")
    return name


def _id(name):
    return "own-" + "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in name.lower()).split())


def accelerator(wanted):
    """(id, record) of an accelerator with the three typed numbers; InputError names the one that is not understood."""
    name, raw = _name(wanted, "accelerator"), {}
    for field, (words, unit, example) in FIELDS.items():
        text = str(wanted.get(field) or "").strip()
        try:
            value = parse(text, unit)
        except UnitError as problem:
            raise InputError(words, f"{problem}; write it like {example}") from None
        if not 0 < value < 1e24 or (text and text[-1].isdigit()):
            raise InputError(words, f"{text[:40]!r} needs a number above zero and a unit, like {example}")
        raw[field] = f"{value:.12g} {unit}" if isinstance(value, float) else f"{value} {unit}"
    own = ["own", "typed by the reader"]
    return _id(name), {"name": name, "vendor": say("own_mark"), "kind": "own", "peak": {"bf16": [raw["peak"], *own]},
                       "memory": [raw["memory"], *own], "memory_bandwidth": [raw["bandwidth"], *own]}


def model(wanted):
    """(record, what the address carries) of a pasted config.json, checked as the command line checks it."""
    import json

    from calc import config

    name, text = _name(wanted, "model"), wanted.get("config")
    if not isinstance(text, str) or not text.strip():
        raise InputError("config", "is empty; paste the text of a config.json")
    record = config.parse(text, name)
    short = json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)
    return record, {"name": name, "config": short} if len(short) <= SHORT else {}


def dialog():
    """The dialog in which a reader brings an own accelerator or model."""
    def line(name, label, example):
        return tag("label", esc(label) + " " + tag("input", type="text", name=name, placeholder=example, autocomplete="off", maxlength=64,
                                                   aria_describedby="est-own-note"))

    def group(kind, title, rows, add):
        return tag("form", tag("fieldset", tag("legend", say(title)) + rows + tag("button", say(add), type="submit")),
                   data_own=kind, novalidate=True)

    boxes = line("name", "Name", "my chip") + "".join(line(f, f"{capital(w)}, such as {e}", e) for f, (w, _, e) in FIELDS.items())
    chip = group("accelerator", "own_chip", boxes, "own_add_chip")
    paste = group("model", "own_model", line("name", "Name", "my model")
                + tag("label", "Its config.json (paste the text, or drop the file here) "
                      + tag("textarea", "", name="config", rows=6, spellcheck="false", aria_describedby="est-own-note")), "own_add_model")
    note = tag("p", "It joins the lists of every estimator for this visit and never leaves this browser, except in a link that you copy.")
    return tag("dialog", note + chip + paste + tag("p", "", role="alert", class_="est-note", id="est-own-note")
               + tag("button", "Close", type="button", data_do="close"),
               class_="est-own", aria_label="Bring your own model or accelerator")
