"""The answer line, the limits and the ledger table."""

from calc import explain, format
from calc.quantity import Q
from calc.render.view import contributors, inputs_line
from calc.render.words import capital, esc, say, tag
from calc.what_if import replay


def answer(view):
    """The big number, the sentence that says what decided it, and every limit with its fill level."""
    found = view.answer
    left = left_out(view)
    number = left[0] if left else explain.answer_text(found)
    name = tag("span", esc(found.answer.name), class_="est-name")
    # The big number may wrap before its unit: a long unit is wider than a phone.
    output = tag("output", esc(number.replace(format.NARROW, " ")), class_="est-big" + ("" if found.ok else " est-words"),
                 id=view.id("answer"), aria_live="off",
                 for_=" ".join(view.id(n) for n in view.estimator.inputs))
    lines = [tag("p", f"{name} {output}", class_="est-answer")]
    if left:
        lines.append(tag("p", esc(left[1]), class_="est-left"))
    verdict = explain.verdict(found)
    broken = explain.failed(found)
    if verdict and not left:
        lines.append(tag("p", esc(verdict), class_="est-verdict" + (" est-fails" if broken else "")))
    lines += [_limit(limit, limit is broken) for limit in found.limits]
    return "\n".join(lines)


def _limit(limit, said):
    sentence = "" if said else tag("span", ("✓ " if limit.ok else "✗ ") + esc(explain.limit_sentence(limit)))
    meter = ""
    if limit.meter and limit.need.value is not None and limit.have.value:
        share = limit.need.value / limit.have.value
        width = round(min(share, 1) * 100, 1)
        text = f"{format.spoken(limit.need)} of {format.spoken(limit.have)}"
        bar = f'<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width="{width}" height="6"/></svg>'
        meter = tag("span", bar, role="meter", class_="est-meter" + ("" if limit.ok else " est-over"), aria_label=limit.name,
                    aria_valuemin=0, aria_valuemax=100, aria_valuenow=min(100, round(share * 100)), aria_valuetext=text)
    return tag("p", sentence + meter, class_="est-limit") if sentence or meter else ""


def out_names(view):
    """The terms left out by choice, named in one line; "" when there is none, or nothing can be left out."""
    if isinstance(view.answer.answer.value, (bool, str)):
        return ""
    return ", ".join(t.name.lower() for t in contributors(view) if t.key in view.out)


def left_out(view):
    """(text of the answer without the terms left out by choice, sentence about it, the same spoken), or None."""
    found = view.answer
    names = out_names(view)
    if not names:
        return None
    value = replay(found.answer, {t: 0 for t in contributors(view) if t.key in view.out})
    if value is None or not value or not found.answer.value:
        never = say("left_out_never", names=names)
        return format.show(value, found.answer.unit, found.answer.label), never, never
    ratio = max(value / found.answer.value, found.answer.value / value)
    text = format.show(value, found.answer.unit, found.answer.label)
    factor = format.show(ratio)
    spoken = say("left_out_spoken", names=names, value=format.spoken(Q(value, found.answer.dim, unit=found.answer.unit, label=found.answer.label)),
                 factor=factor)
    return text, say("left_out", names=names, value=text, factor=factor), spoken


def ledger(view):
    """The ledger as a table: name, formula, the same with numbers, value, share; a row of explanation after each."""
    found = view.answer
    compare = view.a is not None
    shares = {} if compare else explain.shares(found)
    sources = {s["id"]: n for n, s in enumerate(all_sources(view), 1)}
    values = ("b", "a", "times") if compare else ("value",)
    heads = [say(key) for key in ("term", "how", *values, *(["share"] if shares else []))]
    head = tag("thead", tag("tr", "\n".join(tag("th", esc(h), scope="col") for h in heads)))
    rows = []
    users = _users(found)
    for line in found.terms.values():
        rows.append(_row(view, line, shares, compare))
        rows.append(_why(view, line, users, sources, len(heads)))
    inputs = say("ledger_out", inputs=inputs_line(view), names=out_names(view)) if out_names(view) else inputs_line(view)
    caption = tag("caption", tag("span", say("ledger") + ": ", class_="est-cap") + esc(inputs))
    return tag("table", caption + head + tag("tbody", "\n".join(rows)), class_="est-ledger" + (" est-two" if compare else ""))


def _row(view, line, shares, compare):
    found = view.answer
    out = line.key in view.out
    won = explain.winner(line) if line.op == "term" else None
    name = esc(line.name)
    if line is found.answer:
        name = tag("strong", name)
    button = tag("button", f'<span aria-hidden="true">▸</span> {name}', type="button", class_="est-ask", data_do="explain",
                 aria_expanded="false", aria_controls=view.id("why", line.key), id=view.id("ask", line.key))
    formula = explain.formula(line)
    how = ""
    if formula:
        numbers = explain.formula(line, numbers=True)
        how = tag("span", _breaks(f"{line.symbol} = {formula}".strip()), class_="est-f")
        if numbers and numbers != formula:
            how += " " + tag("span", _breaks(f"= {numbers}"), class_="est-n")
    if won is not None:
        how += " " + tag("strong", f'<span aria-hidden="true">←</span> {_hidden(say("won"))} '
                         + esc(capital(won.name) or won.symbol or explain.formula(won)), class_="est-won")
    if out:
        button += " " + tag("span", say("out"), class_="est-tag")
    cells = [tag("th", button, scope="row"), tag("td", how, class_="est-how"),
             tag("td", esc(explain.term_text(found, line)), class_="est-v")]
    if compare:
        cells += _compared(view, line)
    share = ""
    if line.key in shares:
        parent, part = shares[line.key]
        percent = explain.percent(part)
        bar = f'<svg class="est-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">' \
              f'<rect width="{round(part * 100, 1)}" height="8"/></svg>'
        share = bar + " " + tag("span", esc(say("share_of", percent=percent, whole=found.terms[parent].name.lower())))
    if shares:
        cells.append(tag("td", share, class_="est-s"))
    return tag("tr", "\n".join(cells), data_term=line.key, class_="est-out-row" if out else None)


def _hidden(text):
    """Words that are read out and not seen."""
    return tag("span", esc(text), class_="visually-hidden")


def _breaks(formula):
    """A formula as markup that may wrap at its signs, not inside them."""
    return esc(formula).replace(" × ", " ×<wbr> ").replace(" / ", " /<wbr> ")


def _compared(view, line):
    other = view.a.terms.get(line.key)
    ratio = ""
    if other is not None and all(isinstance(x.value, (int, float)) and not isinstance(x.value, bool) for x in (line, other)) and other.value:
        ratio = format.show(line.value / other.value, label="×")
    return [tag("td", esc(explain.term_text(view.a, other)) if other is not None else "", class_="est-v"),
            tag("td", esc(ratio), class_="est-v")]


def _users(found):
    """{id of a term: terms whose formula names it}."""
    users = {}
    for line in found.terms.values():
        for part in explain.symbols(line):
            users.setdefault(id(part), []).append(line)
    return users


def _why(view, line, users, sources, columns):
    parts = []
    if line.why:
        parts.append(tag("p", tag("b", say("why")) + " " + esc(line.why)))
    named = explain.symbols(line)
    if named:
        items = "; ".join(f"<i>{esc(explain.symbol(x))}</i> {esc(x.name or x.key)}, {esc(format.text(x))}"
                          if explain.symbol(x) != (x.name or "").lower() else f"{esc(x.name)}, {esc(format.text(x))}" for x in named)
        parts.append(tag("p", tag("b", say("symbols")) + " " + items))
    used = users.get(id(line), ())
    if used:
        parts.append(tag("p", tag("b", say("used_by")) + " " + ", ".join(esc(u.name.lower()) for u in used)))
    own = explain.sources(*([line] if line.op == "term" else []))
    if own:
        items = "; ".join(f'<a href="#{esc(view.id("source", str(sources[s["id"]])))}">{sources[s["id"]]}</a>'
                          + (f" {esc(_short(s['where']))}" if s["where"] else "") for s in own if s["id"] in sources)
        parts.append(tag("p", tag("b", say("from")) + " " + items))
    body = "".join(parts) or tag("p", say("given"))
    return tag("tr", tag("td", body, colspan=columns), class_="est-why", id=view.id("why", line.key), hidden=True,
               data_search_exclude=True)


def _short(where):
    return where if len(where) <= 90 else where[:88].rsplit(" ", 1)[0] + " …"


def all_sources(view):
    """The sources of everything in the ledger and its limits, numbered in this order."""
    found = view.answer
    roots = [*found.terms.values(), *(x for m in found.limits for x in (m.need, m.have))]
    return explain.sources(*[r for r in roots if r.op != "word"])
