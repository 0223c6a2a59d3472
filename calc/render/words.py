"""Every word that the widget says, in one table, and the few lines that make markup safe.

A translation replaces `WORDS`. Entries under `client.` are also given to the page's script (`calc.render.client`).
"""

WORDS = {
    "more": "More inputs", "slider": "{label}, slider", "choose": "Choose",
    "reset": "Reset", "pin": "Pin as A", "swap": "Swap A and B", "unpin": "Unpin", "link": "Copy link",
    "units": "Bytes in", "own": "Bring your own …",
    "skip": "Skip to the answer", "skip_past": "Skip past this estimator",
    "static": "Answered when this page was built. Move anything to recompute.",
    "answer": "Answer", "show_answer": "Show the answer",
    "ledger": "Ledger", "term": "Term", "how": "Formula, then with these numbers", "value": "Value", "share": "Share",
    "share_of": "{percent} of {whole}", "won": "decided by", "out": "left out", "explain": "Explain {name}", "why": "Why it counts:",
    "symbols": "Symbols:", "used_by": "Used in:", "from": "From:", "given": "given",
    "bound": "{term} at the bound: {bound}. Measured systems had a {input} of {low} to {high}, which makes it {from_} to {to}.",
    "band_source": "Measured: {source}",
    "chart": "{drawn} over {over}", "table": "Show as table", "you": "you", "guess": "your guess", "a": "A",
    "rises": "{name} goes from {first} at {low} to {last} at {high}.", "flat": "{name} stays at {first} from {low} to {high}.",
    "never_there": "{name} does not exist over part of the range.",
    "here": "You are at {x}: {y}.", "ghost": "A, which is pinned, goes from {first} to {last} over the same range.",
    "ghost_flat": "A, which is pinned, stays at {first}.", "chart_out": "The chart counts everything, also what is not counted by choice: {names}.",
    "ledger_out": "{inputs}; not counted by choice: {names}", "takes_over": "From {x} on, {name} decides.",
    "moves": "What moves it most", "moves_lead": "{step} more of one thing, all else as it is, changes {answer} by:",
    "moves_none": "Nothing here can be changed by a tenth.", "gone": "to never",
    "records": "Records of the picks", "records_none": "This estimator picks nothing from the catalogue.",
    "records_static": "Shown once live, and in the reference.",
    "record_field": "Field", "record_value": "Value", "record_source": "Source",
    "flips": "What would flip it", "flips_lead": "The value at which something else decides the answer, or a limit stops or starts to hold:",
    "moves_what": "One thing more", "moves_change": "Change of the answer", "flips_what": "Input", "flips_at": "Where it flips",
    "flips_none": "nothing in its range does", "flip_up": "from {value} on, {change} (now {now})", "flip_down": "below {value}, {change} (now {now})",
    "change_won": "{name} decides", "change_share": "{name} is the largest part", "change_holds": "{name}", "change_other": "something else decides",
    "leave": "Leave a term out", "leave_lead": "Uncheck a term to see the answer without it.",
    "leave_row": "(without it {value}, {factor} the answer)", "leave_none": "Nothing in this answer can be left out.",
    "left_out": "Not counted by choice: {names}. Without it the answer reads {value}; that is off by a factor of {factor}.",
    "left_out_spoken": "Without {names}: {value}, off by a factor of {factor}.",
    "left_out_never": "Not counted by choice: {names}. Without it there is no such answer.",
    "excluded": "Not counted here", "sources": "Sources ({count})", "sources_none": "Only the inputs above.",
    "carry": "Take it with you", "command": "Command", "python": "Python", "citation": "Citation",
    "copy_command": "Copy the command", "copy_python": "Copy the Python", "copy_citation": "Copy the citation",
    "csv": "Download the chart's numbers (CSV)", "svg": "Download the chart (SVG)",
    "cite": "“{title}”, {inputs}: {answer}. Understanding AI Infra, estimator {id}, calc {version}.",
    "pinned": "A: {value} ({inputs})", "pinned_same": "the author's values", "ratio": "B is {ratio} A.", "same": "B equals A.",
    "no_ratio": "A and B have no ratio.", "a_was": "A: {value}", "times": "B / A", "b": "B",
    "pinned_spoken": "Pinned A: {value}.", "ratio_spoken": "{ratio} times A.", "same_spoken": "The same as A.",
    "guess_lead": "Your guess first", "check": "Check", "just_show": "Just show me", "guess_slider": "Your guess, slider",
    "guess_right": "Right to within a quarter.", "guess_order": "Right order: good enough to decide with.",
    "guess_low": "{factor} low.", "guess_high": "{factor} high.", "guess_was": "You said {guess}.",
    "guess_cause": "That is what you get without {term}.",
    "guess_limit": "That would be the number if it could be done; {limit}",
    "guess_all": "That would be the number if it could be done.",
    "remember": "Remember my guesses on this device", "forget": "Forget them",
    "calibrate_none": "No guess is remembered on this device yet. Make one at any estimator that asks, with “Remember my guesses” ticked.",
    "calibrate": "{count} remembered. Median of guess over answer: {median}. Within a factor of two: {share}.",
    "calibrate_one": "One guess remembered: {median} of the answer.",
    "calibrate_low": "You tend to guess low.", "calibrate_high": "You tend to guess high.",
    "calibrate_even": "Neither high nor low on the whole.",
    "must": "{label}: {message}",
    "unknown_input": "The address names an input that this estimator does not have: {name}.",
    "own_mark": "yours", "own_chip": "Your accelerator", "own_model": "Your model",
    "own_add_chip": "Add the accelerator", "own_add_model": "Add the model",
    "own_bad": "This is not understood: {message}",
    "failed": "This estimate failed for these values", "report": "{id} {inputs} calc {version}: {error}",
    "too_long": "The request is too long.", "not_json": "The request is not understood.",
    "fits_spoken": "{name}: {need} of {have}.",
    "client.starting": "Starting Python ({size}, once) …", "client.stage": "Starting Python: {stage} …",
    "client.stage.hello": "loading", "client.stage.module": "unpacking", "client.stage.python": "reading the book's tables",
    "client.stage.calc": "answering",
    "client.slow": "Starting Python is taking longer than usual …",
    "client.live": "Live", "client.computing": "Still computing …",
    "client.unavailable": "Live recalculation is unavailable: {reason} The answer shown stays valid for the values it names.",
    "client.network": "{file} could not be fetched (no connection).",
    "client.http": "the server answered {status} for {file}.",
    "client.type": "the server sends {file} with the wrong type, {type}.",
    "client.blocked": "this page's security policy does not let WebAssembly run.",
    "client.noworker": "this browser has no module workers, or the page may not start one.",
    "client.hello": "the worker did not start within 10 seconds.",
    "client.stuck": "nothing happened for a minute after “{stage}”.",
    "client.hung": "a calculation took longer than 5 seconds and was stopped.",
    "client.broken": "Python did not start ({detail}).",
    "client.retry": "Retry", "client.copied": "Copied.", "client.ready": "Ready. Guess, or open the answer.",
    "client.allowed": "Allowed: {low} to {high}.",
    "client.formula": "Formula", "client.wait": "Computing …",
    "client.still": "The answer is still for the last allowed values.", "client.added": "{name} added and selected.",
    "client.copy_failed": "Copying is not allowed here; select the text instead.",
    "client.ask": "Live answers need Python in the page ({size}, once), and your browser asks to save data.",
    "client.start": "Start", "client.no_estimator": "The address names an estimator that is not on this page: {name}.",
    "client.report": "Copy the report",
    "client.scrub": "{label}, drag or use the arrow keys",
}


def say(key, **values):
    """The words called `key` with the values filled in (values are inserted as they are: escape them for markup)."""
    return WORDS[key].format(**values)


_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def esc(text):
    """`text` as HTML text or attribute value."""
    text = str(text)
    for mark, safe in _ESCAPES.items():
        if mark in text:
            text = text.replace(mark, safe)
    return text


def capital(text):
    """`text` with its first letter in upper case, the rest untouched."""
    return text[:1].upper() + text[1:]


def tag(name, content=None, /, **attributes):
    """One element. `content` is markup (None: an element without an end tag); attribute values are escaped.

    `class_` and `for_` stand for the reserved words, `_` in a name for `-`; True is an attribute without a value, False
    and None leave it out.
    """
    out = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        out.append(f" {key}" if value is True else f' {key}="{esc(value)}"')
    return "".join(out) + ">" + ("" if content is None else f"{content}</{name}>")
