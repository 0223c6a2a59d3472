"""The form: one control per input, made of native elements only."""

import math

from calc import explain, format
from calc.render.view import bare, nearest_rung, shown, spoken, typed
from calc.render.words import capital, esc, say, tag

VISIBLE = 6  # inputs that are seen at once; the others fold away under "More inputs"


def form(view):
    """The whole `<form>` of a view, controls at the answer's inputs."""
    seen, more = [], []
    for name, control in view.estimator.inputs.items():
        (more if control.more or len(seen) >= VISIBLE else seen).append(field(view, name, control))
    folded = tag("details", tag("summary", say("more")) + "".join(more), class_="est-more", id=view.id("more")) if more else ""
    mini = "" if view.ask else f"{view.answer.answer.name}: {explain.answer_text(view.answer)}"
    bar = tag("p", esc(mini), class_="est-mini", aria_hidden="true")
    return tag("form", "".join(seen) + folded + actions(view) + bar, class_="est-form",
               data_search_exclude=True, novalidate=True, autocomplete="off")


def field(view, name, control):
    """One control with its label, help text and the place for what is wrong with it."""
    value = view.answer.inputs[name]
    id, note = view.id(name), view.id(name, "n")
    label = esc(capital(control.label))
    if control.kind == "slider":
        return _slider(view, name, control, value, id, note, label)
    if control.kind == "choice" and isinstance(control.default, bool):
        body = tag("label", tag("input", type="checkbox", id=id, name=name, checked=value is True, aria_describedby=note) + " " + label,
                   for_=id, class_="est-check")
    elif control.kind == "choice" and len(control.options) <= 4:
        options = "".join(
            tag("label", tag("input", type="radio", id=view.id(name, str(n)), name=name, value=bare(control, o), checked=o == value)
                + " " + esc(shown(control, o)), for_=view.id(name, str(n))) for n, o in enumerate(control.options))
        return tag("fieldset", tag("legend", label) + tag("span", options, class_="est-radios") + _note(note, control),
                   class_="est-field", id=id, data_field=name, aria_describedby=note)
    elif control.kind == "choice":
        options = "".join(tag("option", esc(shown(control, o)), value=bare(control, o), selected=o == value) for o in control.options)
        body = tag("label", label, for_=id) + tag("select", options, id=id, name=name, aria_describedby=note)
    else:
        # The other records come from the one list that all pages share (calc.render.client).
        option = tag("option", esc(shown(control, value)), value=value, selected=True)
        body = tag("label", label, for_=id) + tag("select", option, id=id, name=name, aria_describedby=note,
                                                  data_offer=f"{view.estimator.id}.{name}")
    return tag("div", body + _note(note, control), class_="est-field", data_field=name)


def _slider(view, name, control, value, id, note, label):
    rungs = control.rungs()
    unit = control.unit.replace("us", "µs")
    text = label + (f' <span class="est-unit">{esc(unit)}</span>' if unit and unit != control.label.lower() else "")
    middle = rungs[(len(rungs) - 1) // 2]
    ends = [typed(control, v) if v < 1e7 else format.show(v, given=True) for v in (rungs[0], middle, rungs[-1])]
    track = tag("input", type="range", id=view.id(name, "r"), min=0, max=len(rungs) - 1, step=1, value=nearest_rung(control, value),
                aria_label=say("slider", label=capital(control.label)), aria_valuetext=spoken(control, value), aria_describedby=note,
                data_rungs="|".join(typed(control, v) for v in rungs), data_jump=_jump(control, rungs), data_say=_unit_word(control))
    box = tag("input", type="text", id=id, name=name, value=typed(control, value), inputmode="decimal", spellcheck="false",
              aria_describedby=note)
    ticks = tag("span", "".join(tag("span", esc(e)) for e in ends), class_="est-ticks", aria_hidden="true")
    return tag("div", tag("label", text, for_=id) + box + track + ticks + _note(note, control), class_="est-field est-slide",
               data_field=name)


def _unit_word(control):
    """The unit in words, as it follows a number that is read out while Python is not there yet."""
    return format.spoken(control.bind(2 if control.whole else control.high)).partition(" ")[2]


def _jump(control, rungs):
    """Rungs that Page Up and Page Down pass: about a decade on a logarithmic slider, a tenth of a linear one."""
    if control.log and rungs[0] > 0 and rungs[-1] > rungs[0]:
        return max(1, round((len(rungs) - 1) / math.log10(rungs[-1] / rungs[0])))
    return max(1, round((len(rungs) - 1) / 10))


def _note(id, control):
    return tag("p", esc(capital(control.help)), class_="est-note", id=id)


def actions(view):
    """The buttons below the inputs."""
    units = "".join(
        tag("label", tag("input", type="radio", id=view.id("units", u), name="est-units", value=u, checked=u == "GB") + " " + u,
            for_=view.id("units", u)) for u in ("GB", "GiB"))
    own = "model" in view.estimator.inputs or "accelerator" in view.estimator.inputs
    buttons = tag("button", say("reset"), type="reset") + tag("button", say("pin"), type="button", data_do="pin") \
        + tag("button", say("link"), type="button", data_do="link") \
        + (tag("button", say("own"), type="button", data_do="own") if own else "")
    units = tag("fieldset", tag("legend", say("units")) + tag("span", units, class_="est-radios"), class_="est-field est-units")
    return tag("div", buttons + units, class_="est-actions")


def states(view):
    """{input: {"text", "rung", "spoken", "a"}}: what the page's controls should show at the answer's inputs."""
    found = {}
    for name, control in view.estimator.inputs.items():
        value = view.answer.inputs[name]
        state = {"text": typed(control, value)}
        if control.kind == "slider":
            state["rung"] = nearest_rung(control, value)
            state["spoken"] = spoken(control, value)
            state["shown"] = shown(control, value)
        if view.a is not None and view.a.inputs[name] != value:
            state["a"] = say("a_was", value=shown(control, view.a.inputs[name]))
        found[name] = state
    return found
