"""What the reader can ask of an answer: what moves it, what would flip its verdict, what if a term were left out."""

from calc import explain, format
from calc.render.view import contributors, shown
from calc.render.words import capital, esc, say, tag
from calc.what_if import flip, flip_text, replay, sensitivity

ROWS = 12


def moves(view):
    """The change of the answer for a tenth more of each input and each sourced value, largest first."""
    rows = [(n, c) for n, c in sensitivity(view.answer)][:ROWS]
    if not rows:
        return tag("p", say("moves_none"))
    most = max([abs(c) for _, c in rows if c is not None] or [1]) or 1
    out = []
    for name, change in rows:
        if change is None:
            text, bar = say("gone"), ""
        else:
            text = f"{change * 100:+.1f}".replace("-", format.MINUS) + " %" if abs(change) >= 5e-4 else "0 %"
            width = round(50 * abs(change) / most, 1)
            at = 50 if change >= 0 else 50 - width
            bar = f'<svg class="est-bar est-signed" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">' \
                  f'<path d="M50 0v8"/><rect x="{at}" width="{width}" height="8"/></svg>'
        out.append(tag("tr", "\n".join([tag("th", esc(capital(name)), scope="row"), tag("td", esc(text), class_="est-v"),
                                        tag("td", bar, aria_hidden="true")])))
    lead = say("moves_lead", step="10 %", answer=view.answer.answer.name.lower())
    return tag("p", esc(lead)) + _table([say("moves_what"), say("moves_change"), ""], out, "est-moves")


def _table(heads, rows, kind):
    head = "\n".join(tag("th", esc(h), scope="col") if h else tag("td", "", aria_hidden="true") for h in heads)
    return tag("table", tag("thead", tag("tr", head)) + tag("tbody", "\n".join(rows)), class_=kind)


def flips(view):
    """For each slider the value at which the verdict changes, or that nothing in its range does."""
    out = []
    for name, form in view.estimator.inputs.items():
        if form.kind != "slider":
            continue
        at = flip(view.estimator, name, view.answer.inputs)
        text, now = say("flips_none"), view.answer.inputs[name]
        if at is not None:
            beyond = at if at > now else view.estimator.inputs[name].below(at)
            change = changed(view.answer, view.estimator.run({**view.answer.inputs, name: beyond}))
            text = say("flip_up" if at > now else "flip_down", value=flip_text(form, at), change=change, now=shown(form, now))
        out.append(tag("tr", tag("th", esc(capital(form.label)), scope="row") + "\n" + tag("td", esc(text))))
    return tag("p", say("flips_lead")) + _table([say("flips_what"), say("flips_at")], out, "est-flips")


def changed(before, after):
    """What is different about the verdict, in words: a limit that stops or starts to hold, or what now decides."""
    for old, new in zip(before.limits, after.limits):
        if old.ok != new.ok:
            return say("change_holds", name=(new.name if new.ok else new.words).lower())
    found = explain.deciding(after.answer)
    if not found:
        return say("change_other")
    first, how, _ = found
    name = first.name or first.symbol or explain.formula(first)
    if first.name and not name[1:2].isupper():
        name = name[:1].lower() + name[1:]
    return say("change_share" if how == "share" else "change_won", name=name)


def leave(view):
    """A switch for every term that is added up or competes on the way to the answer."""
    found = view.answer
    lines = contributors(view)
    if not lines or not found.answer.value or isinstance(found.answer.value, (bool, str)):
        return tag("p", say("leave_none"))
    out = []
    for line in lines:
        value = replay(found.answer, {line: 0})
        text = say("leave_row", value=format.show(value, found.answer.unit, found.answer.label),
                   factor=format.show(value / found.answer.value, label="×") if value is not None else "-")
        id = view.id("leave", line.key)
        box = tag("input", type="checkbox", id=id, data_leave=line.key, checked=line.key not in view.out)
        out.append(tag("li", tag("label", f"{box} {esc(line.name)} " + tag("span", esc(text), class_="est-dim"), for_=id)))
    return tag("p", say("leave_lead")) + tag("ul", "".join(out), class_="est-leave")


def band(view):
    """Where an efficiency is an input: the bound, and the band that measured systems reach, with where that was measured."""
    from calc.catalog import read

    if view.out:
        return ""  # it speaks of the whole answer, and that is not what is shown
    found, out = view.answer, []
    for entry in read("bands").values():
        name = entry["input"]
        form = view.estimator.inputs.get(name)
        if form is None or view.estimator.id not in entry["estimators"]:
            continue
        values = [found.estimator.run({**found.inputs, name: v}).answer for v in (form.high, entry["high"], entry["low"])]
        if any(v.value is None for v in values) or values[0].value == values[2].value:
            continue
        bound, best, worst = (explain.format.text(v) for v in values)
        percents = [explain.percent(entry[k]) for k in ("low", "high")]
        sentence = say("bound", term=found.answer.name, bound=bound, input=form.label, low=percents[0], high=percents[1], from_=best, to=worst)
        source = tag("a", esc(entry["title"]), href=entry["url"])
        out.append(tag("p", esc(sentence) + " " + say("band_source", source=source), class_="est-band"))
    return "".join(out)
