"""What a page's worker calls. Strings in, strings out; nothing here raises, and nothing that was sent is evaluated.

`form(id)` is the form's markup at the defaults, `update(id, request)` the answer to a request. A request is JSON:
    name        the widget's id on the page (default: the estimator's)
    fence       what the page's fence sets: {"given": {input: text}, "over", "from", "to", "pin", "ask"}
    inputs      {input: text} as the controls stand      address  {input: text} from the page's address, checked first
    pin         {input: text} of A, or null              over     the input that was moved last
    units       "GB" or "GiB"                            out      keys of terms left out by choice
    guess       the reader's guess as text               open     names of the folded parts that are open
    judge       false: the guess was judged before       did      "pin" when this is what the reader has just done
The reply is JSON: `ok`; `parts` {name: markup}; `fields` {input: what its control shows}; `errors` {input or "": message};
`address` [[key, value]] and `prefix`es it replaces; `announce` a spoken sentence; `live` {term: text}; `mini` a short line.
"""

import json

from calc import __version__, explain, format
from calc.catalog import MissingValue
from calc.estimator import InputError, find
from calc.quantity import DimensionError
from calc.render import carry, guess, html
from calc.render import form as forms
from calc.render.view import View, bare
from calc.render.words import capital, esc, say
from calc.units import UnitError

LONGEST = 40_000  # characters of a request
REFUSALS = (InputError, UnitError, MissingValue, DimensionError)


def form(id):
    """The form of estimator `id` at its defaults, as markup; a sentence when there is no such estimator."""
    try:
        return forms.form(View(find(id)()))
    except REFUSALS as problem:
        return esc(str(problem))


def update(id, request):
    """The answer of estimator `id` to a request, as JSON; a mistake in it comes back as `errors`."""
    return _guarded(id, request, _update)


def export(id, request):
    """JSON {"name", "type", "text"} of a download: `what` in the request is "csv" or "svg"."""
    return _guarded(id, request, _export)


def calibration(records):
    """A sentence on the guesses that this device remembers; `records` is JSON."""
    try:
        known = json.loads(records)
    except ValueError:
        known = []
    return esc(guess.calibration(known if isinstance(known, list) else []))


def own(request):
    """Add a reader's own model or accelerator to the picks: JSON {"kind", "id", "name", "fields", "offers"} or {"error", "field"}."""
    from calc.render import own as owned

    try:
        return json.dumps(owned.add(_read(request)), ensure_ascii=False)
    except (*REFUSALS, ValueError, LookupError, TypeError) as problem:
        return json.dumps({"error": say("own_bad", message=str(problem)[:300]), "field": owned.field(problem)}, ensure_ascii=False)
    except Exception as error:
        return json.dumps({"error": say("own_bad", message=type(error).__name__)}, ensure_ascii=False)


def _read(request):
    if not isinstance(request, str) or len(request) > LONGEST:
        raise InputError("request", say("too_long"))
    try:
        wanted = json.loads(request)
    except (ValueError, RecursionError):
        raise InputError("request", say("not_json")) from None
    if not isinstance(wanted, dict):
        raise InputError("request", say("not_json"))
    return wanted


def _guarded(id, request, work):
    inputs = {}
    try:
        wanted = _read(request)
        inputs = _table(wanted, "inputs")
        reply = work(find(id), wanted)
    except REFUSALS as problem:
        reply = {"ok": False, "errors": {"": capital(str(problem))}}
    except Exception as error:  # a mistake of ours: the reader gets a report to copy, not a dead page
        given = ", ".join(f"{n}={v}" for n, v in inputs.items())
        report = say("report", id=str(id)[:60], inputs=given[:400], version=__version__, error=f"{type(error).__name__}: {error}"[:300])
        reply = {"ok": False, "errors": {}, "failed": say("failed"), "report": report}
    return json.dumps(reply, ensure_ascii=False)


def _table(wanted, key):
    value = wanted.get(key)
    return {str(k)[:80]: v for k, v in value.items()} if isinstance(value, dict) else {}


def _parse(found, base, given, errors):
    """`base` with the given texts read into it; what can't be read goes to `errors`."""
    values = dict(base)
    for name, text in given.items():
        if name not in found.inputs:
            errors[""] = say("unknown_input", name=name[:40])
            continue
        try:
            values[name] = found.inputs[name].parse(text)
        except InputError as problem:
            errors[name] = say("must", label=capital(found.inputs[name].label), message=problem.message)
    return values


def view_of(found, wanted):
    """(`View` or None, errors) of a request."""
    fence, errors = _table(wanted, "fence"), {}
    given = found.parse(_table(fence, "given"))
    asked = {n: v for n, v in _table(wanted, "inputs").items() if n not in _table(wanted, "address")}
    values = _parse(found, given, asked, errors)
    values = _parse(found, values, _table(wanted, "address"), errors)
    if set(errors) - {""}:
        return None, errors
    over = next((o for o in (wanted.get("over"), fence.get("over")) if isinstance(o, str) and o in found.inputs), "")
    low = high = None
    if over == fence.get("over") and fence.get("from") is not None:
        low, high = found.inputs[over].parse(fence["from"]), found.inputs[over].parse(fence.get("to"))
    pin = wanted["pin"] if "pin" in wanted else fence.get("pin")
    a = found.run(_parse(found, given, _table({"pin": pin}, "pin"), errors)) if isinstance(pin, dict) else None
    out = [k for k in wanted.get("out") or () if isinstance(k, str)] if isinstance(wanted.get("out"), list) else []
    name = wanted.get("name")
    view = View(found.run(values), name=name if isinstance(name, str) else "", given=given, a=a, over=over, low=low, high=high,
                out=out, ask=fence.get("ask") if isinstance(fence.get("ask"), (str, bool)) else None)
    text = wanted.get("guess")
    if isinstance(text, str) and text.strip() and guess.asks(view):
        try:
            view.guess = guess.read(view, text)
        except UnitError as problem:
            errors["guess"] = capital(str(problem))
    return view, errors


def _update(found, wanted):
    with format.bytes_in("GiB" if wanted.get("units") == "GiB" else "GB"):
        view, errors = view_of(found, wanted)
        if view is None:
            return {"ok": False, "errors": errors}
        answer = view.answer
        opened = wanted.get("open") if isinstance(wanted.get("open"), list) else []
        reply = {
            "ok": True, "errors": errors, "parts": html.parts(view, [name for name in html.SLOW if name in opened]),
            "fields": forms.states(view), "address": carry.address(view),
            "announce": announce(view, wanted.get("did") == "pin"),
            "values": {n: bare(f, answer.inputs[n]) for n, f in found.inputs.items()},
            "live": {k: explain.term_text(answer, t) for k, t in answer.terms.items()},
            "mini": f"{answer.answer.name}: {(html.ledger.left_out(view) or [explain.answer_text(answer)])[0]}",
            "titles": {"sources": say("sources", count=len(html.ledger.all_sources(view)))},
        }
        if view.a is not None:
            reply["pin"] = {n: bare(f, view.a.inputs[n]) for n, f in found.inputs.items()}
        if view.guess:
            sentence, ratio, cause = guess.feedback(view, view.guess)
            # A guess is judged once: it was made for the values that stood there then.
            judge = wanted.get("judge") is not False
            said = sentence if judge else guess.said(view, view.guess)
            reply["parts"]["guess"] = f'<p class="est-feedback">{esc(said)}</p>'
            if judge:
                reply["guess"] = {"id": found.id, "ratio": ratio, "forgot": cause}
                reply["announce"] = f"{sentence} {reply['announce']}"
        elif wanted.get("guess") and "guess" not in errors:
            # There is no such quantity at these inputs, so nothing that a guess could be held against.
            reply["parts"]["guess"] = ""
        return reply


def announce(view, pinning=False):
    """What a screen reader says once the reader has stopped moving things, or has just pinned A."""
    answer = view.answer
    if pinning and view.a is not None:
        return say("pinned_spoken", value=format.spoken(view.a.answer) if view.a.ok else explain.answer_text(view.a))
    left = html.ledger.left_out(view)
    if left:
        return left[2]
    broken = explain.failed(answer)
    if broken is not None:
        return explain.limit_sentence(broken)
    said = [f"{answer.answer.name}: {format.spoken(answer.answer)}."]
    deciding = explain.deciding(answer.answer)
    if deciding and deciding[1] != "share":
        said.append(explain.verdict(answer).split(":")[0].rstrip(".") + ".")
    for limit in answer.limits:
        if limit.meter:
            said.append(say("fits_spoken", name=limit.name, need=format.spoken(limit.need), have=format.spoken(limit.have)))
    times = html.ratio_to_a(view) if view.a is not None else None
    if times is not None:
        said.append(say("same_spoken") if times == 1 else say("ratio_spoken", ratio=format.show(times)))
    return " ".join(said)


def _export(found, wanted):
    with format.bytes_in("GiB" if wanted.get("units") == "GiB" else "GB"):
        view, errors = view_of(found, wanted)
        if view is None:
            return {"ok": False, "errors": errors}
        if wanted.get("what") == "svg":
            return {"ok": True, "name": f"{found.id}.svg", "type": "image/svg+xml", "text": carry.svg(view)}
        return {"ok": True, "name": f"{found.id}.csv", "type": "text/csv", "text": carry.csv(view)}
