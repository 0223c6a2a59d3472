"""The guess before the answer: a slider over plausible decades, and what a guess tells about what was forgotten."""

import math

from calc import explain, format
from calc.render.words import esc, say, tag
from calc.units import UnitError, parse, unit
from calc.what_if import forgotten

DECADES = 6


def asks(view):
    """Whether a guess can be made: the author asks, and the answer is a number above zero."""
    value = view.answer.answer.value
    return bool(view.ask) and not isinstance(value, (bool, str)) and value is not None and value > 0


def ladder(view):
    """Round values around the answer, in its own unit; where the answer lies among them differs by estimator."""
    value = view.answer.answer.value / unit(view.answer.answer.unit)[0]
    below = 2 + sum(map(ord, view.estimator.id)) % 3
    start = math.floor(math.log10(value)) - below
    return [float(f"{m}e{e}") for e in range(start, start + DECADES) for m in (1, 2, 5)] + [float(f"1e{start + DECADES}")]


def plain_number(x):
    """A rung as text: 0.05, 2, 5,000, 1e+09."""
    return f"{x:,.12g}" if x < 1e7 else f"{x:.0e}"


def row(view):
    """The question with its slider, box and the two buttons."""
    line = view.answer.answer
    rungs = [plain_number(x) for x in ladder(view)]
    middle = len(rungs) // 2
    words = f"{line.unit.replace('us', 'µs')} {line.label}".strip()
    words = {"1/s": "per second"}.get(words, words.removeprefix("1/s "))
    question = view.ask if isinstance(view.ask, str) else view.estimator.question
    box = view.id("guess")
    title = view.estimator.title + ("" if view.name == view.estimator.id else f" ({view.name})")
    return tag("form", tag("p", tag("b", say("guess_lead")) + " " + esc(question), class_="est-guess-q", id=view.id("guess", "q"))
               + tag("input", type="range", min=0, max=len(rungs) - 1, step=1, value=middle, aria_label=say("guess_slider"),
                     aria_valuetext=f"{rungs[middle]} {words}".strip(), data_rungs="|".join(rungs), data_jump=3, data_say=words,
                     id=view.id("guess", "r"))
               + tag("span", tag("input", type="text", id=box, name="guess", value=rungs[middle], inputmode="decimal", autocomplete="off",
                                 spellcheck="false", aria_labelledby=f"{view.id('guess', 'q')} {view.id('guess', 'u')}",
                                 aria_describedby=view.id("guess", "n"))
                     + " " + tag("span", esc(words), class_="est-unit", id=view.id("guess", "u")), class_="est-guess-box")
               + tag("span", tag("button", say("check"), type="submit", data_do="check") + " "
                     + tag("button", say("just_show"), type="button", data_do="reveal"), class_="est-guess-do")
               + tag("label", tag("input", type="checkbox", data_do="remember", name="remember") + " " + say("remember"), class_="est-check")
               + tag("p", "", id=view.id("guess", "n"), class_="est-note"),
               class_="est-guess", data_search_exclude=True, novalidate=True, autocomplete="off", aria_label=f"{say('guess_lead')}: {title}")


def read(view, text):
    """A typed guess in base units; UnitError says what is wrong."""
    value = parse(text, view.answer.answer.unit)
    if value <= 0:
        raise UnitError("a guess is above zero")
    return value


def said(view, value):
    """What the reader guessed, in base units, without a verdict."""
    line = view.answer.answer
    return say("guess_was", guess=format.show(value, line.unit, line.label, given=True))


def feedback(view, value):
    """(sentence about a guess in base units, guess over answer, name of the forgotten term or "")."""
    line = view.answer.answer
    ratio = value / line.value
    words = [said(view, value)]
    broken = explain.failed(view.answer)
    if 0.75 <= ratio <= 1.25:
        words.append(say("guess_right"))
    elif 0.5 <= ratio <= 2:
        words.append(say("guess_order"))
    elif ratio < 1:
        words.append(say("guess_low", factor=format.show(1 / ratio, label="×")))
    else:
        words.append(say("guess_high", factor=format.show(ratio, label="×")))
    cause = forgotten(view.answer, value / unit(line.unit)[0])
    if cause is not None:
        words.append(say("guess_cause", term=cause.name.lower()))
    if broken is not None:
        sentence = explain.limit_sentence(broken)
        words.append(say("guess_limit", limit=sentence[:1].lower() + sentence[1:]))
    return " ".join(words), ratio, cause.name if cause is not None else ""


def calibration(records):
    """A sentence on remembered guesses: their number, the median of guess over answer, and the share within 2×.

    `records` are [{"ratio": guess over answer}, ...]; anything else in the list is left out.
    """
    ratios = sorted(r["ratio"] for r in records if isinstance(r, dict) and isinstance(r.get("ratio"), (int, float))
                    and not isinstance(r["ratio"], bool) and 0 < r["ratio"] < 1e300)
    if not ratios:
        return say("calibrate_none")
    n = len(ratios)
    median = ratios[n // 2] if n % 2 else math.sqrt(ratios[n // 2 - 1] * ratios[n // 2])
    shown = format.show(median, label="×")
    if n == 1:
        return say("calibrate_one", median=shown)
    share = sum(0.5 <= r <= 2 for r in ratios) / n
    lean = "low" if median < 0.8 else "high" if median > 1.25 else "even"
    return " ".join([say("calibrate", count=f"{n:,} guesses", median=shown, share=f"{share:.0%}".replace("%", " %")),
                     say(f"calibrate_{lean}")])
