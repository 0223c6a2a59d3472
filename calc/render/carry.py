"""What a reader takes along: a command, a line of Python, a citation, the address's state, the chart and its numbers."""

from calc import __version__, explain
from calc.render.chart import Sweep, draw
from calc.render.view import bare, changed, inputs_line
from calc.render.words import esc, say, tag


def command(view):
    """The command that prints this answer in a terminal."""
    words = [f"--{n} {_quoted(bare(f, v))}" for n, f, v in _set(view)]
    return " ".join(["python -m calc show", view.estimator.id, *words])


def python(view):
    """The line of Python that gives this answer."""
    words = [f", {n}={repr(v)}" for n, f, v in _set(view)]
    return f'calc.show("{view.estimator.id}"{"".join(words)})'


def citation(view):
    """One sentence that names the estimator, its inputs, the answer and the version."""
    return say("cite", title=view.estimator.title, inputs=inputs_line(view), answer=explain.answer_text(view.answer),
               id=view.estimator.id, version=__version__)


def _set(view):
    defaults = view.estimator.parse({})
    return changed(view, view.answer.inputs, defaults)


def _quoted(text):
    return text if text.replace("-", "").replace(".", "").replace("_", "").isalnum() else f'"{text}"'


def panel(view):
    """The command, the Python and the citation with a copy button each, and the two downloads."""
    rows = []
    for what, text in (("command", command(view)), ("python", python(view)), ("citation", citation(view))):
        id = view.id("copy", what)
        rows.append(tag("p", tag("b", say(what)) + " " + tag("code", esc(text), id=id) + " "
                        + tag("button", say(f"copy_{what}"), type="button", data_do="copy", data_from=id)))
    rows.append(tag("p", tag("button", say("csv"), type="button", data_do="csv") + " " + tag("button", say("svg"), type="button", data_do="svg")))
    return "".join(rows)


def address(view):
    """[(key, value)] of this widget's state in the page's address: what differs from the fence, and the pinned A."""
    pairs = [(f"e.{view.name}.{n}", bare(f, v)) for n, f, v in changed(view, view.answer.inputs)]
    if view.a is not None:
        pinned = changed(view, view.a.inputs) or changed(view, view.a.inputs, view.answer.inputs)
        if not pinned:
            name = view.estimator.sweep
            pinned = [(name, view.estimator.inputs[name], view.a.inputs[name])]
        pairs += [(f"a.{view.name}.{n}", bare(f, v)) for n, f, v in pinned]
    return pairs


def csv(view):
    """The chart's numbers: one line per swept value, terms in their declared units."""
    sweep = Sweep(view)
    keys = list(view.answer.terms.values())
    unit = f" ({sweep.form.unit})" if sweep.form.unit else ""
    lines = [",".join([_cell(view.over + unit), *(_cell(t.key + (f" ({t.unit})" if t.unit else "")) for t in keys)])]
    for x, found in zip(sweep.xs, sweep.answers):
        values = [explain.in_unit(found.terms[t.key]) if t.key in found.terms else "" for t in keys]
        lines.append(",".join([_cell(x), *(_cell("" if v is None else v) for v in values)]))
    return "\n".join(lines) + "\n"


def _cell(value):
    text = repr(value) if isinstance(value, float) else str(value)
    # A cell that a spreadsheet would take for a formula is made text.
    if text[:1] in "=+@" and not isinstance(value, (int, float)):
        text = "'" + text
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(c in text for c in ',"\n') else text


_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.b{font-weight:600}.g{stroke:#bbb;fill:none}.line{fill:none;stroke:#222;"
    "stroke-width:2}.l0{stroke:#b3470b;stroke-width:3}text.l0{fill:#b3470b;stroke:none}.ghost{stroke:#777}text.b{stroke:none}"
    ".you{stroke:#888;stroke-dasharray:2 3}.dot{fill:#b3470b}.ring,.diamond{fill:#fff;stroke:#222}"
)


def svg(view):
    """The chart as a file of its own: with colours, its title and its description; "" when there is no line to draw."""
    sweep = Sweep(view)
    if sweep.empty:
        return ""
    text = draw(sweep, "wide")
    title = f"<title>{esc(citation(view))}</title><style>{_STYLE}</style>"
    start = text.index(">") + 1
    head = text[:start].replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"').replace(' aria-hidden="true" focusable="false"', "")
    return f'{head}{title}<rect width="100%" height="100%" fill="#fff"/>{text[start:]}'
