"""Numbers in sentences that belong to the widget on the same page: an input to drag, and a result that follows.

Authors write `#!calc scrub decode-step.batch` and `#!calc live decode-step -> step_time` (with settings as in any inline
number). A widget with an `as` name is named by it, the estimator after a colon: `scrub measured-step:decode-step.batch`.
"""

from calc import explain
from calc.estimator import find
from calc.inputs import InputError
from calc.render.view import shown, typed
from calc.render.words import esc, tag


def _names(text):
    name, _, id = text.strip().partition(":")
    return name, find(id or name)


def scrub(text):
    """The markup of `WIDGET.INPUT [NAME=VALUE ...]`: the input's value, which the page's script makes draggable."""
    from calc.site import settings

    left, _, given = text.strip().partition(" ")
    left, dot, name = left.rpartition(".")
    if not dot:
        raise InputError("scrub", f"{text!r} is not WIDGET.INPUT")
    widget, found = _names(left)
    name = name.replace("-", "_")
    form = found.inputs.get(name)
    if form is None or form.kind != "slider":
        sliders = ", ".join(n for n, f in found.inputs.items() if f.kind == "slider")
        raise InputError("scrub", f"{name!r} is no slider of {found.id}; sliders are {sliders}")
    value = found.parse(settings(given))[name]
    words = shown(form, value)
    text = typed(form, value)
    _, _, rest = words.partition("\u00a0")
    return tag("span", tag("span", esc(text)) + (f"\u00a0{esc(rest)}" if rest else ""), class_="est-scrub",
               data_scrub=f"{widget}.{name}", data_label=form.label)


def live(text):
    """The markup of `WIDGET [NAME=VALUE ...] -> TERM`: the term's text, which follows the widget once that is live."""
    from calc.site import settings

    left, arrow, key = text.partition("->")
    id, _, given = left.strip().partition(" ")
    widget, found = _names(id)
    answer, key = found(**settings(given)), key.strip()
    if not arrow or key not in answer.terms:
        raise InputError("live", f"{found.id} has no term {key!r}; terms are {', '.join(answer.terms)}")
    return tag("output", esc(explain.term_text(answer, answer.terms[key])), class_="est-number", data_live=f"{widget}.{key}")


FORMS = {"scrub": scrub, "live": live}
