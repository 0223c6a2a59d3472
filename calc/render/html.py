"""The whole widget as HTML: what `calc.site` puts into a page, and the parts that `calc.web` sends to a live one.

`widget(answer, options)` renders a fence. `options` (all optional): `as` the widget's id on the page, `sweep` the input
its chart runs over, `sweep_from` and `sweep_to` values of it, `ask` True or the author's question, `pin` inputs of A,
`heading` the level of its heading (`level_headings` mends it once the whole page is known).
"""

import json

from calc import explain
from calc.render import carry, chart, explore, guess, ledger, records
from calc.render.form import form
from calc.render.view import View, bare, changed, shown
from calc.render.words import esc, say, tag

# Worked out only while the reader has them open: they take many runs of the estimator.
SLOW = {"moves": explore.moves, "flips": explore.flips, "leave": explore.leave, "records": records.cards}
# Not in the built page: the tables would weigh more than the rest of the widget, and the reference pages have them.
LIVE_ONLY = {"records"}


def widget(answer, options=None):
    """One `<section>`, answered: complete without a script, ready to become live."""
    options = dict(options or {})
    made = answer.estimator
    pin = options.get("pin")
    view = View(answer, name=options.get("as", ""), given=dict(answer.inputs), over=options.get("sweep", ""),
                low=options.get("sweep_from"), high=options.get("sweep_to"), ask=options.get("ask"), heading=options.get("heading", 3),
                a=made.run(made.parse({**answer.inputs, **pin})) if pin else None)
    return section(view, pin)


def section(view, pin=None):
    """The widget of a view."""
    made = view.estimator
    defaults = made.parse({})
    fence = {"given": {n: bare(f, v) for n, f, v in changed(view, view.answer.inputs, defaults)}, "over": view.over}
    if view.low is not None:
        fence["from"], fence["to"] = view.low, view.high
    if pin:
        fence["pin"] = {k: str(v) for k, v in pin.items()}
    if view.ask:
        fence["ask"] = view.ask
    pieces = parts(view, set(SLOW) - LIVE_ONLY)
    pieces.update((name, tag("p", say(f"{name}_static"))) for name in LIVE_ONLY)
    out = "\n".join(part(view, name, pieces[name]) for name in ("answer", "band", "ledger", "chart"))
    out += "\n".join(folded(view, name, pieces[name]) for name in (*SLOW, "excluded", "sources", "carry"))
    asked = guess.asks(view)
    if view.ask:
        body = tag("details", tag("summary", say("show_answer")) + tag("div", out, class_="est-out"), class_="est-fold", id=view.id("fold"))
        body = (guess.row(view) + part(view, "guess", "") if asked else "") + body
    else:
        body = tag("div", out, class_="est-out")
    title = tag(f"h{view.heading}", esc(made.title), class_="est-title", id=view.id("h"))
    # To the fold where the answer is folded: a link into what is closed leads nowhere.
    skip = tag("a", say("skip"), href="#" + view.id("fold" if view.ask else "answer"), class_="est-skip") \
        + tag("a", say("skip_past"), href="#" + view.id("end"), class_="est-skip")
    status = tag("p", tag("span", say("static"), class_="est-says") + tag("span", "", class_="est-buttons"), class_="est-status",
                 id=view.id("end"), tabindex=-1)
    return tag("section", "\n".join([
        skip, title, tag("p", esc(made.question), class_="est-q"), form(view), part(view, "pinned", pieces["pinned"]), body, status,
    ]), class_="est", id=view.name, data_est=made.id, data_fence=json.dumps(fence, ensure_ascii=False),
        **({"aria_labelledby": view.id("h")} if view.name == made.id else {"aria_label": f"{made.title} ({view.name})"}))


def part(view, name, markup):
    """The element that holds one part of the result and is filled anew by each answer."""
    return tag("div", markup, class_=f"est-part est-part-{name}", data_part=name)


def folded(view, name, markup):
    """A part behind a disclosure."""
    title = say("sources", count=len(ledger.all_sources(view))) if name == "sources" else say(name)
    return tag("details", tag("summary", title, data_title=name) + part(view, name, markup), class_="est-more", id=view.id(name))


def parts(view, opened=()):
    """{part: markup} of everything that depends on the inputs; the slow ones only when opened."""
    found = {
        "answer": ledger.answer(view), "band": explore.band(view), "ledger": ledger.ledger(view), "chart": chart.figure(view),
        "pinned": pinned(view), "excluded": tag("p", esc(view.estimator.excludes) + "."), "sources": sources(view), "carry": carry.panel(view),
    }
    for name, make in SLOW.items():
        if name in opened:
            found[name] = make(view)
    return found


def sources(view):
    """The documents behind the numbers, numbered as the ledger's explanations name them."""
    items = []
    for n, source in enumerate(ledger.all_sources(view), 1):
        title = tag("a", esc(source["title"]), href=source["url"]) if source["url"].startswith(("https://", "http://")) else esc(source["title"])
        items.append(tag("li", title + (f". {esc(source['where'])}." if source["where"] else ""), id=view.id("source", str(n))))
    return tag("ol", "".join(items)) if items else tag("p", say("sources_none"))


def ratio_to_a(view):
    """The answer over the pinned one, or None where that says nothing."""
    a, b = view.a.answer.value, view.answer.answer.value
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b))
    return b / a if numbers and a and view.answer.ok and view.a.ok else None


def pinned(view):
    """The line on A and on the ratio of B to it, with its buttons; "" when nothing is pinned."""
    if view.a is None:
        return ""
    inputs = ", ".join(f"{f.label} {shown(f, v)}" for _, f, v in changed(view, view.a.inputs, view.answer.inputs)) or say("pinned_same")
    times = ratio_to_a(view)
    ratio = say("no_ratio") if times is None else say("same") if times == 1 else say("ratio", ratio=explain.format.show(times, label="×"))
    buttons = " ".join(tag("button", say(do), type="button", data_do=do, id=view.id(do)) for do in ("swap", "unpin"))
    return tag("p", esc(say("pinned", value=explain.answer_text(view.a), inputs=inputs)) + " " + tag("strong", esc(ratio)) + " " + buttons,
               class_="est-ab")


def level_headings(content):
    """The page's HTML with every widget's heading one level below the section it stands in."""
    out, level, at = [], 1, 0
    while True:
        start = content.find("<h", at)
        if start < 0:
            return "".join(out) + content[at:]
        digit, after = content[start + 2:start + 3], content[start + 3:start + 4]
        if digit.isdigit() and after in (" ", ">"):
            opening = content[start:content.find(">", start)]
            if 'class="est-title"' in opening:
                end = content.index(f"</h{digit}>", start)
                wanted = min(6, level + 1)
                out.append(content[at:start] + f"<h{wanted}{content[start + 3:end]}</h{wanted}>")
                at = end + 5
                continue
            level = int(digit)
        out.append(content[at:start + 2])
        at = start + 2
