"""What MkDocs calls: the `estimate` fence and the inline number, both answered when the page is built.

A wrong id, input, term or unit fails the build: pymdownx swallows ordinary exceptions and would print a code block, so
everything here ends in the exception that it lets through.

Inline forms (`#!calc FORM`):
    decode-step batch=64 -> step_time               a term at these inputs (others at their defaults)
    decode-step -> weights_read in TB               in a given unit
    decode-step batch=8 / batch=1 -> step_time      a term at two settings, as a ratio; the second keeps what it does not name
    decode-step -> memory_time / compute_time       two terms at one setting: ratio (/), difference (-) or sum (+)
    batch-crossover -> flip context                 the input's value at which the verdict changes
    one-generation -> flip output where decode_time = prefill_time      ... at which a term reaches another, or an amount,
    energy-per-token -> flip batch where energy = energy-per-token accelerator=l4 batch=16 -> energy      or one elsewhere
    model llama-3.1-8b -> layers                    a field of a model, accelerator or link of the catalogue
    scrub decode-step.batch                         an input of the page's widget, to drag (`calc.render.prose`)
    live decode-step -> step_time                   a result that follows the page's widget
"""

import functools
import html
import shlex

from calc import explain, format
from calc.catalog import CATALOGUES, MissingValue
from calc.estimator import InputError, find, nearest
from calc.quantity import DimensionError, Q, q
from calc.units import PLAIN, UnitError
from calc.what_if import flip, flip_text

PRESENTATION = ("id", "as", "sweep", "ask", "pin")


def _words(problem):
    """An exception as a writer should see it: its message, or its kind when it was not meant for them."""
    meant = isinstance(problem, (InputError, UnitError, MissingValue, DimensionError)) or type(problem) is ValueError
    return str(problem.args[0] if problem.args else problem) if meant else f"{type(problem).__name__}: {problem}"


def settings(text):
    """{name: value} of `NAME=VALUE ...`, split as a shell would."""
    found = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r} is not NAME=VALUE")
        found[name.replace("-", "_")] = value
    return found


@functools.lru_cache(maxsize=4096)
def _answer(id, items):
    return find(id)(**dict(items))


def answer(id, given):
    """The answer of estimator `id`, remembered for the rest of the build."""
    return _answer(id, tuple(sorted(given.items())))


def _term(found, key):
    if key not in found.terms:
        raise ValueError(f"{found.estimator.id} has no term {key!r}; nearest: {nearest(key, list(found.terms))}")
    return found.terms[key]


def _in_unit(x, unit_name):
    """The text of a quantity in exactly that unit, with three significant figures."""
    number = x.to(unit_name)
    if number is None:
        return "never"
    whole = x.dim == PLAIN and number == int(number)
    return f"{int(number):,}" if whole else f"{format.significant(number)}{format.NARROW}{unit_name.replace('us', 'µs')}".strip()


def _elsewhere(left, key):
    """The term of another setting or estimator that a flip is to reach: `ID [NAME=VALUE ...] -> TERM`."""
    id, _, given = left.strip().partition(" ")
    return _term(answer(id, settings(given)), key.strip())


def _flip(id, given, text):
    over, _, condition = text.partition(" where ")
    where = None
    if condition:
        left, equals, right = condition.partition("=")
        if not equals:
            raise ValueError(f"{condition!r} is not TERM = VALUE")
        other, arrow, key = right.partition("->")
        where = (left.strip(), _elsewhere(other, key) if arrow else right.strip())
    found = find(id)
    over = over.strip().replace("-", "_")
    return flip_text(found.inputs[over], flip(found, over, given, where), equation=where is not None)


def _field(kind, id, path):
    table = CATALOGUES[kind]
    if id not in table:
        raise ValueError(f"unknown {kind} {id!r}; nearest: {nearest(id, list(table))}")
    if kind == "model" and path in ("parameters", "active"):
        from calc.parts import weights

        return weights.total_weights(table[id]) if path == "parameters" else weights.active(table[id])
    return table[id].get(path)


def number(form):
    """The text of one inline form; ValueError (or a relation of it) says what is wrong with it."""
    left, arrow, right = form.partition("->")
    if not arrow:
        raise ValueError(f"{form!r} has no '-> TERM'")
    id, _, given = left.strip().partition(" ")
    right, _, wanted = right.strip().partition(" in ") if not right.strip().startswith("flip ") else (right.strip(), "", "")
    if id in CATALOGUES:
        value = _field(id, given.strip(), right.strip())
        if not isinstance(value, Q):
            return str(value)
        return _in_unit(value, wanted.strip()) if wanted else format.text(value)
    first, slash, second = given.partition(" / ") if not given.startswith("/ ") else ("", "/", given[2:])
    a = settings(first)
    if right.startswith("flip "):
        return _flip(id, a, right[5:])
    found = answer(id, a)
    key, operation, other_key = next(((x.strip(), op, y.strip()) for op in (" / ", " - ", " + ")
                                      for x, hit, y in [right.partition(op)] if hit), (right.strip(), "", ""))
    one = _term(found, key)
    if operation:
        two = _term(found, other_key)
        made = {" / ": lambda: one / two, " - ": lambda: one - two, " + ": lambda: one + two}[operation]()
        made.unit = made.unit or ("" if operation == " / " else one.unit)
        if operation == " / " and made.dim == PLAIN and not wanted:
            return format.show(made.value, label="×")
        return _in_unit(made, wanted.strip()) if wanted else format.text(made)
    if slash:
        other = _term(answer(id, {**a, **settings(second)}), key)
        return format.show((q(one) / other).value, label="×")
    if wanted:
        return _in_unit(one, wanted.strip())
    return explain.term_text(found, one)


def inline(source, language, class_name, md):
    """The formatter of inline numbers for `pymdownx.inlinehilite`."""
    from pymdownx.inlinehilite import InlineHiliteException

    from calc.render.prose import FORMS

    first, _, rest = source.strip().partition(" ")
    try:
        if first in FORMS:
            return FORMS[first](rest)
        return f'<span class="est-number">{html.escape(number(source.strip()))}</span>'
    except Exception as problem:  # pymdownx would swallow any other and print a code block
        raise InlineHiliteException(f"#!calc {source}: {_words(problem)}") from problem


def read_fence(source):
    """(id, given inputs, presentation) of a fence's body, `name: value` lines; ValueError when a line is not understood."""
    given, shown = {}, {}
    for line in source.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, colon, value = line.partition(":")
        name, value = name.strip().replace("-", "_"), value.strip()
        if not colon or not value:
            raise ValueError(f"{line!r} is not 'name: value'")
        if name in given or name in shown:
            raise ValueError(f"{name!r} is set twice")
        if name in PRESENTATION:
            shown[name] = value
        else:
            given[name] = value
    if "id" not in shown:
        raise ValueError("no 'id:' line")
    return shown.pop("id"), given, shown


def widget(source, md=None):
    """The HTML of one fence, answered at its inputs."""
    from calc.render.html import widget as render

    id, given, shown = read_fence(source)
    found = find(id)
    name = shown.get("as", found.id)
    if md is not None:
        taken = md.__dict__.setdefault("_estimates", set())
        if name in taken:
            raise ValueError(f"{name!r} is on this page already; give the second one a name with 'as:'")
        taken.add(name)
    options = {"as": name}
    if "sweep" in shown:
        over, _, span = shown["sweep"].partition(" ")
        form = found.inputs.get(over.replace("-", "_"))
        if form is None:
            raise ValueError(f"sweep: {over!r} is no input of {id}; inputs are {', '.join(found.inputs)}")
        options["sweep"] = form.name
        if span:
            low, to, high = span.partition(" to ")
            if not to:
                raise ValueError(f"sweep: {span!r} is not 'LOW to HIGH'")
            options["sweep_from"], options["sweep_to"] = form.parse(low.strip()), form.parse(high.strip())
    if "ask" in shown and shown["ask"].lower() != "false":
        options["ask"] = True if shown["ask"].lower() == "true" else shown["ask"]
    if "pin" in shown:
        options["pin"] = settings(shown["pin"])
        found.parse({**given, **options["pin"]})
    return render(answer(id, given), options)


def validate(language, inputs, options, attrs, md):
    """Accept the fence; its settings stand in its body, and a header option is refused by `fence`."""
    options.update(inputs)
    return True


def fence(source, language, class_name, options, md, **kwargs):
    """The formatter of `estimate` fences for `pymdownx.superfences`."""
    from pymdownx.superfences import SuperFencesException

    try:
        if options:
            raise ValueError(f"settings belong into the fence's body, not its first line: {', '.join(options)}")
        return widget(source, md)
    except Exception as problem:  # pymdownx would swallow any other and print a code block
        raise SuperFencesException(f"estimate fence: {_words(problem)}\n{source}") from problem


__all__ = ["fence", "inline", "number", "validate", "widget"]
