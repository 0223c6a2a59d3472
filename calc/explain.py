"""Views of an answer, each a walk over its trace: formula, formula with numbers, shares, verdict, sources, JSON, text."""

from calc import format
from calc.quantity import walk
from calc.units import PLAIN

_PRECEDENCE = {"add": 1, "sub": 1, "mul": 2, "div": 2, "quotient": 2, "neg": 2, "pow": 3}
_NAMED = ("term", "let", "input", "leaf")
_FUNCTIONS = {"largest": "max", "smallest": "min", "positive": "max(0, {})"}


def symbol(x):
    """What a formula prints for a named quantity."""
    return x.symbol or (x.name or x.key).lower()


def _number(x):
    """A value inside a formula: counts without the word for what is counted."""
    return format.show(x.value, given=x.op in ("const", "input", "leaf")) if x.dim == PLAIN else format.text(x)


def _is(x, value):
    """Whether `x` is a plain constant that changes nothing where it stands."""
    return x.op == "const" and x.dim == PLAIN and x.value == value


def _flat(x, op):
    if x.op == op:
        return _flat(x.args[0], op) + [x.args[1]]
    return [x]


def _write(x, numbers, top=False):
    """(text, precedence) of a quantity; named ones stop the walk unless they are the `top`."""
    if x.op in _NAMED and not top:
        return (_number(x) if numbers else symbol(x)), 9
    if x.op in ("term", "let"):
        return _write(x.args[0], numbers, top=x.args[0].op not in _NAMED)
    if x.op in ("const", "input", "leaf"):
        return (_number(x) if numbers or x.op == "const" else symbol(x)), 9

    def inner(a, least):
        text, level = _write(a, numbers)
        return text if level >= least else f"({text})"

    if x.op == "add":
        first, *rest = [a for a in x.args if not _is(a, 0)] or x.args
        if not rest:
            return _write(first, numbers)
        text = inner(first, 1)
        for a in rest:
            text += f" − {inner(a.args[0], 2)}" if a.op == "neg" else f" + {inner(a, 1)}"
        return text, 1
    if x.op == "sub":
        return f"{inner(x.args[0], 1)} − {inner(x.args[1], 2)}", 1
    if x.op == "mul":
        factors = [a for a in _flat(x, "mul") if not _is(a, 1)] or [x.args[0]]
        return _write(factors[0], numbers) if len(factors) == 1 else (" × ".join(inner(a, 2) for a in factors), 2)
    if x.op in ("div", "quotient"):
        return f"{inner(x.args[0], 2)} / {inner(x.args[1], 3)}", 2
    if x.op == "pow":
        return f"{inner(x.args[0], 4)}^{inner(x.args[1], 4)}", 3
    if x.op == "neg":
        return f"−{inner(x.args[0], 3)}", 2
    arguments = ", ".join(_write(a, numbers)[0] for a in x.args)
    name = x.name if x.op == "apply" else _FUNCTIONS.get(x.op, x.op)
    return (name.format(arguments) if "{}" in name else f"{name}({arguments})"), 9


def formula(x, numbers=False):
    """How `x` was made, one step of names deep: "W + K", or with today's numbers "15.0 GB + 8.59 GB"; "" for a given."""
    if x.op in ("word", "input", "leaf", "const"):
        return ""
    made = _inside(x)
    plain = made.op in ("input", "const") or (made.op == "leaf" and symbol(made) == symbol(x))
    return "" if plain else _write(x, numbers, top=True)[0]


def symbols(x):
    """The named quantities in the formula of `x`, in order of appearance."""
    found, stack = {}, list(reversed(x.args))
    if x.op in ("term", "let") and x.args[0].op not in _NAMED:
        stack = list(reversed(x.args[0].args))
    while stack:
        a = stack.pop()
        if a.op in _NAMED:
            found.setdefault(id(a), a)
        else:
            stack.extend(reversed(a.args))
    return list(found.values())


def _inside(x):
    """The first operation that is not just a name."""
    while x.op in ("term", "let"):
        x = x.args[0]
    return x


def winner(x):
    """The operand that decided a maximum or minimum, or None."""
    made = _inside(x)
    if made.op not in ("largest", "smallest") or made.value is None:
        return None
    return next(a for a in made.args if a.value == made.value)


def _sum_in(x):
    """The sum that a quantity is, or is proportional to (bytes added up, over a bandwidth); None if there is none."""
    made = _inside(x)
    while made.op in ("mul", "div", "quotient"):
        factors = made.args if made.op == "mul" else made.args[:1]
        made = next((a for a in factors if a.op in ("add", "mul", "div", "quotient")), None)
        if made is None:
            return None
    return made if made.op == "add" else None


def shares(answer):
    """{term key: (parent's key, share)} for terms that are added up to another term; shares are between 0 and 1."""
    found = {}
    for parent in answer.terms.values():
        if parent.op != "term" or not parent.value:
            continue
        made = _sum_in(parent)
        if made is not None and made.value and all(a.value is not None and a.value >= 0 for a in made.args):
            for part in made.args:
                if part.op == "term":
                    found.setdefault(part.key, (parent.key, part.value / made.value))
    return found


def deciding(x):
    """(name-carrying quantity that decides `x`, how, runner-up): how is "largest", "smallest" or "share"; None if nothing does."""
    queue, seen = [x], set()
    while queue:
        node = _inside(queue.pop(0))
        if id(node) in seen or node.value is None:
            continue
        seen.add(id(node))
        if node.op in ("largest", "smallest") and len(node.args) > 1:
            order = sorted((a for a in node.args if a.value is not None), key=lambda a: a.value, reverse=node.op == "largest")
            return order[0], node.op, order[1] if len(order) > 1 else None
        if node.op == "add" and all(a.op != "const" for a in node.args) and any(a.op == "term" for a in node.args):
            order = sorted(node.args, key=lambda a: a.value or 0, reverse=True)
            return order[0], "share", node
        queue.extend(a for a in node.args if a.op not in ("input", "leaf", "const"))
    return None


def _called(x):
    return x.name or x.symbol or formula(x)


def percent(share):
    """A share in words: "63 %", and "under 1 %" for what is there but small."""
    return "under 1 %" if 0 < share < 0.005 else f"{share:.0%}".replace("%", f"{format.NARROW}%")


def failed(answer):
    """The first limit that does not hold, or None."""
    return next((limit for limit in answer.limits if not limit.ok), None)


def limit_sentence(limit):
    """A limit in a reader's words: "Fits: 50.4 of 80 GB (63 %)." or "Does not fit: needs 92 GB, has 80 GB, 12 GB short."."""
    need, have = format.text(limit.need), format.text(limit.have)
    if not limit.ok:
        words = limit.words[:1].upper() + limit.words[1:]
        if limit.need.value is None or limit.have.value is None:
            return f"{words}."
        if not limit.meter:
            return f"{words}: {need} against {have}."
        short = format.show(limit.need.value - limit.have.value, limit.need.unit or format._unit_of(limit.need))
        return f"{words}: needs {need}, has {have}, {short} short."
    if not limit.meter:
        return f"{limit.name}: {need} against {have}."
    if need.split(format.NARROW)[1:] == have.split(format.NARROW)[1:]:
        need = need.split(format.NARROW)[0]
    share = f" ({percent(limit.need.value / limit.have.value)})" if limit.have.value else ""
    return f"{limit.name}: {need} of {have}{share}."


def verdict(answer):
    """One sentence that says what decides the answer; the failed limit's words when one fails."""
    broken = failed(answer)
    if broken:
        return limit_sentence(broken)
    found = deciding(answer.answer)
    if not found:
        return ""
    first, how, other = found
    name = _called(first)
    name = name[:1].upper() + name[1:]
    if how == "share":
        return f"Largest part: {name[:1].lower() + name[1:]}, {percent(first.value / other.value)}." if other.value else ""
    if other is None or not other.value or not first.value:
        return f"{name} decides it."
    ratio = first.value / other.value if how == "largest" else other.value / first.value
    if ratio > 1e6:
        return f"{name} decides it."
    return f"{name} decides it: {format.show(ratio, '×')} {_called(other).lower()}."


def sources(*roots):
    """[{"id", "title", "url", "where"}] of every sourced value that the roots rest on, in order of use."""
    from calc.catalog import SOURCES

    found = {}
    for node in walk(*roots):
        if node.source:
            places = found.setdefault(node.source, [])
            place = f"{node.name}: {node.where}" if node.where else node.name
            if place and place not in places:
                places.append(place)
    return [{"id": i, "title": SOURCES[i].get("title", i) if i in SOURCES else i,
             "url": SOURCES[i].get("url", "") if i in SOURCES else "", "where": "; ".join(places)} for i, places in found.items()]


def hidden(answer, line):
    """Whether a term prints "-": a rate (per second, per money, or money per something) while a limit fails."""
    rate = line.unit.endswith(("/s", "/h", "/$")) or (line.unit.startswith("$") and (line.label or "/" in line.unit))
    return not answer.ok and (rate or line.key in answer.estimator.rates)


def term_text(answer, line):
    """What a reader sees as a term's value."""
    if line.op == "word":
        return format.pieces(line.value)[0] + (f" {line.label}" if line.label else "")
    return "-" if hidden(answer, line) and line.value is not None else format.text(line)


def answer_text(answer):
    """The big number, or the failed limit's own words."""
    broken = failed(answer)
    if broken:
        return broken.words[:1].upper() + broken.words[1:]
    return term_text(answer, answer.answer)


def in_unit(line):
    """A term's value in its declared unit, as JSON carries it."""
    return line.value if line.op == "word" else line.to(line.unit)


def ledger(answer):
    """The JSON of `show`: values in declared units, text, formulas, limits, what is not counted, sources."""
    terms = []
    for line in answer.terms.values():
        first = winner(line) if line.op == "term" else None
        terms.append({
            "key": line.key, "name": line.name, "symbol": line.symbol, "value": in_unit(line), "unit": line.unit,
            "text": term_text(answer, line), "formula": formula(line), "numbers": formula(line, numbers=True),
            "why": line.why, "won": (first.key or symbol(first) or formula(first)) if first is not None else None,
        })
    limits = []
    for limit in answer.limits:
        unit = limit.need.unit or limit.have.unit or format._unit_of(limit.need)
        limits.append({"name": limit.name, "need": limit.need.to(unit), "have": limit.have.to(unit), "unit": unit, "ok": limit.ok})
    roots = list(answer.terms.values()) + [x for m in answer.limits for x in (m.need, m.have)]
    return {"id": answer.estimator.id, "inputs": dict(answer.inputs), "answer": answer.answer.key, "terms": terms,
            "limits": limits, "excludes": answer.estimator.excludes, "sources": sources(*roots)}


def inputs_text(answer):
    """[(label, text)] of the inputs: ("batch", "8 sequences")."""
    rows = []
    for name, value in answer.inputs.items():
        form = answer.estimator.inputs[name]
        if form.kind == "pick":
            shown = form.catalogue[value].name
        elif form.kind == "choice":
            shown = form.labels.get(value) or format.pieces(value)[0] + (f"{format.NARROW}{form.unit}" if form.unit else "")
            if isinstance(value, (int, float)) and not isinstance(value, bool) and not form.labels.get(value):
                shown = format.text(form.bind(value))
        else:
            shown = format.text(form.bind(value))
        rows.append((form.label, shown))
    return rows


def as_text(answer):
    """The ledger as plain text for a terminal or a notebook."""
    made = answer.estimator
    lines = [f"{made.title} ({made.id})", made.question, "",
             "  " + ", ".join(f"{label} {shown}" for label, shown in inputs_text(answer)), "",
             f"  {answer.answer.name}: {answer_text(answer)}"]
    if verdict(answer):
        lines.append(f"  {verdict(answer)}")
    lines += [f"  {limit_sentence(m)}" for m in answer.limits if m is not failed(answer)]
    lines.append("")
    width = max(len(t.name) for t in answer.terms.values())
    parts = shares(answer)
    for line in answer.terms.values():
        won = winner(line) if line.op == "term" else None
        row = f"  {line.name:<{width}}  {term_text(answer, line):>14}"
        how = formula(line)
        if how:
            row += f"   {line.symbol} = {how}".replace("    = ", "   = ") + (f" = {formula(line, True)}" if formula(line, True) != how else "")
        if line.key in parts:
            row += f"   ({percent(parts[line.key][1])} of {answer.terms[parts[line.key][0]].name.lower()})"
        if won is not None:
            row += f"   <- {_called(won)}"
        lines.append(row)
    lines += ["", f"  Not counted: {made.excludes}."]
    return "\n".join(lines)


