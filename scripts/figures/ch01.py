"""Chapter 1, First Encounter with AI Infrastructure: its eight figures."""

from draw import ACCENT, BODY, DASH, FAINT, LARGE, MUTED, PAPER, WIDTH, Figure, Log

import calc
from calc.format import text
from calc.quantity import q

CHAPTER = "01"


def request_path() -> Figure:
    stations = [("browser", "chapter 12"), ("network", "chapter 7"), ("gateway and queue", "chapter 3"),
                ("tokenizer", "not priced"), ("scheduler", "chapters 8 and 11"), ("accelerator", "this chapter")]
    figure = Figure(CHAPTER, "request-path", 402, "The path of one request",
                    "A request passes seven boxes from browser to accelerator and back as a stream; "
                    "only the accelerator box is measured in this chapter.")
    left, wide, high, pitch = 122, WIDTH - 124, 48, 68
    middle = left + wide / 2
    for number, (name, where) in enumerate(stations):
        top, here = 4 + number * pitch, name == "accelerator"
        figure.rect(left, top, wide, high, fill="tint" if here else "none", stroke=3 if here else 1.5, radius=4)
        figure.text(middle, top + 20, name, size=BODY, anchor="middle", bold=True)
        figure.text(middle, top + 38, where, anchor="middle", bold=here, tone=None if here else MUTED)
        if number:
            figure.arrow((middle, top - pitch + high), (middle, top - 1))
    first, last, lane, top = 4 + high / 2, 4 + 5 * pitch + high / 2, 52, 158
    figure.rect(2, top, 100, 66, radius=4)
    figure.text(lane, top + 20, "stream back", size=BODY, anchor="middle", bold=True)
    figure.text(lane, top + 38, "chapters\n7 and 12", anchor="middle", tone=MUTED)
    figure.arrow((left, last), (lane, last), (lane, top + 67), dash=DASH)
    figure.arrow((lane, top), (lane, first), (left - 1, first), dash=DASH)
    return figure


def two_phases() -> Figure:
    whole = calc.show("one-generation")
    prompt, later = whole.inputs["prompt"], whole.inputs["output"] - 1
    weights = text(calc.show("decode-step").terms["weights_read"])
    first, second = whole.terms["prefill_time"], whole.terms["decode_time"]
    figure = Figure(CHAPTER, "two-phases", 376, "Two phases of one generation",
                    f"One fetch of the weights serves the whole prompt of {prompt:,} tokens and takes {text(first)}; each of the "
                    f"{later} following tokens needs a fetch of its own, together {text(second)}.")
    half = 150
    right = WIDTH - half
    for x, name, line in ((0, "Prompt", f"{prompt:,} tokens\nin one pass"),
                          (right, "Answer", f"{later} more tokens\nin {later} passes")):
        figure.text(x, 16, name, size=LARGE, bold=True)
        figure.text(x, 35, line)
        figure.rect(x + 1, 64, half - 2, 28, radius=3)
        figure.text(x + half / 2, 83, f"weights, {weights}", anchor="middle")
    figure.arrow((half / 2, 92), (half / 2, 131), width=7)
    figure.rect(1, 132, half - 2, 126, fill="tint")
    for column in range(1, 30):
        x = 1 + column * (half - 2) / 30
        figure.line((x, 132), (x, 258), width=0.75)
    figure.text(half / 2, 278, "one fetch", anchor="middle", bold=True)
    bus, bar = right + 12, right + 92
    figure.line((bus, 92), (bus, 206.5), width=3)
    figure.line((bus, 211), (bus, 238), width=3, dash="2 5")
    figure.line((bus, 240), (bus, 248.5), width=3)
    for y, number in ((112, 1), (143, 2), (174, 3), (205, 4), (247, later)):
        figure.arrow((bus, y), (bar - 1, y), width=3)
        figure.rect(bar, y - 11, 6, 22, fill="tint")
        figure.text(bar + 16, y + 4.5, str(number))
    figure.text(right + half / 2, 278, f"{later} fetches", anchor="middle", bold=True)
    split = WIDTH * first.value / (first.value + second.value)
    figure.text(0, 308, f"Shortest time, to scale: {text(whole.terms['time'])} in all", tone=MUTED)
    figure.rect(1, 316, split - 1, 30, fill="tint")
    figure.rect(split, 316, WIDTH - 1 - split, 30)
    for x, term, waits in ((split / 2, first, "for arithmetic"), ((split + WIDTH) / 2, second, "for memory")):
        figure.text(x, 336, text(term), size=BODY, anchor="middle", bold=True)
        figure.text(x, 364, f"waits {waits}", anchor="middle")
    return figure


def five_questions_ledger() -> Figure:
    whole = calc.show("one-generation")
    prompt, output = whole.inputs["prompt"], whole.inputs["output"]
    step = calc.show("decode-step", batch=1, context=prompt)
    weights, old = text(step.terms["weights_read"]), text(step.terms["state_read"])
    new = text(calc.show("decode-step", batch=1, context=1).terms["state_read"])
    moved, held = text(whole.terms["traffic"]), text(whole.terms["memory"])
    figure = Figure(CHAPTER, "five-questions-ledger", 324, "The ledger of the default request",
                    f"Ledger of the default request: {weights} of weights are read {output} times and {old} of history "
                    f"{output - 1} times; {new} of new state is written {output - 1} times. "
                    f"In all {moved} are moved while {held} are held.")
    rows = [("what is\nmoved?", "weights", "old state", "new state"),
            ("how much?", weights, old, new),
            ("how many\ntimes?", f"1 + {output - 1}", str(output - 1), str(output - 1)),
            ("through\nwhere?", "HBM", "HBM", "HBM"),
            ("who must\nwait?", "arithmetic\nunits", "arithmetic\nunits", "nobody")]
    high, wide = 50, WIDTH / 4
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            y = 1 + (number + 0.5) * high + (-3.5 if "\n" in cell else 4.5)
            if column == 0:
                figure.text(1, y, cell, tone=MUTED)
            else:
                figure.text((column + 0.5) * wide, y, cell, anchor="middle", bold=number == 0)
        y = 1 + (number + 1) * high
        figure.line((0, y), (WIDTH, y), width=2.5 if number in (0, len(rows) - 1) else 0.75)
    for column in (1, 2, 3):
        figure.line((column * wide, 1), (column * wide, 1 + len(rows) * high), width=0.75)
    for y, words, amount in ((276, "moved in all", moved), (302, "held at the end", held)):
        figure.text(1, y, words, size=BODY)
        figure.text(WIDTH, y, amount, size=LARGE, anchor="end", bold=True)
    figure.line((0, 315), (WIDTH, 315), width=0.75)
    figure.line((0, 319), (WIDTH, 319), width=0.75)
    return figure


def byte_ladder() -> Figure:
    chips, links = calc.accelerators, calc.links
    rates = {"HBM3 of one H100": chips["h100-sxm"].memory_bandwidth,
             "graphics memory of an RTX 4090": chips["rtx-4090"].memory_bandwidth,
             "twelve DDR5-4800 channels": links["ddr5-4800-channel"].bandwidth * 12,
             "NVLink 4, one direction": links["nvlink4"].bandwidth,
             "PCIe 5 x16": links["pcie5-x16"].bandwidth,
             "400 Gbit/s network card": links["ib-ndr"].bandwidth,
             "PCIe 4 x16": links["pcie4-x16"].bandwidth,
             "NVMe drive on PCIe 5": links["nvme-gen5"].bandwidth,
             "NVMe drive on PCIe 4": links["nvme-gen4"].bandwidth,
             "10 Gbit/s Ethernet": links["eth-10g"].bandwidth,
             "SATA drive": links["sata3"].bandwidth,
             "hard disk": links["hdd-7200"].bandwidth,
             "5G uplink": links["5g-sub6-up"].bandwidth}
    times = {name: q(1, "GB") / rate for name, rate in rates.items()}
    times = dict(sorted(times.items(), key=lambda item: item[1].value))
    top, pitch = 42, 34
    bottom = top + pitch * len(times) - 8
    axis = Log(1e-4, 1e3, 2, WIDTH - 10)
    figure = Figure(CHAPTER, "byte-ladder", bottom + 24, "One gigabyte through thirteen levels",
                    "Time to move one gigabyte: " + "; ".join(f"{name} {text(time)}" for name, time in times.items()) + ".")
    figure.text(0, 16, "Time to move 1 GB", size=LARGE, bold=True)
    for decade in axis.decades():
        figure.line((axis(decade), top - 12), (axis(decade), bottom), tone=FAINT, width=0.75)
    for decade, anchor in ((1e-4, "start"), (1e-2, "middle"), (1, "middle"), (1e2, "middle")):
        figure.text(max(axis(decade), 0), bottom + 18, text(q(decade, "s")), anchor=anchor, tone=MUTED)
    spots = {}
    for number, (name, time) in enumerate(times.items()):
        y = top + number * pitch + 15
        figure.text(2, y - 9, name, clear=True)
        figure.text(WIDTH, y - 9, text(time), anchor="end", bold=True, clear=True)
        figure.line((axis.start, y), (axis(time.value), y), tone=MUTED)
        figure.dot(axis(time.value), y, 4.5)
        spots[name] = axis(time.value), y
    own, host = "HBM3 of one H100", "PCIe 5 x16"
    (x, _), (reach, y) = spots[own], spots[host]
    figure.line((x, y - 6), (x, y + 6), tone=ACCENT, width=2.5)
    figure.arrow((x, y), (reach - 5, y), tone=ACCENT, width=2.5)
    figure.text(reach + 12, y + 5, f"{text(times[host] / times[own])} times HBM", bold=True, clear=True)
    return figure


def memory_tenants() -> Figure:
    label, driver = calc.show("does-it-fit"), calc.show("does-it-fit", memory_reading="reported")
    weights, state, workspace = (label.terms[key] for key in ("weights", "state_per_request", "workspace"))
    limits = ((label, "of the label"), (driver, "of what the\ndriver reports"))
    gb = 1e9
    break_at, top_at, scale = 67, 82, 20  # GB at the axis break and at the top; units per GB
    base = 34 + (top_at - break_at) * scale
    context = label.inputs["context"]
    model, chip = calc.models[label.inputs["model"]].name, calc.accelerators[label.inputs["accelerator"]].name
    alone, together = (answer.terms["requests_that_fit"].value for answer, _ in limits)
    figure = Figure(CHAPTER, "memory-tenants", base + 84, "The tenants of an accelerator's memory",
                    f"Stacked bar: {text(weights)} of weights, {text(workspace)} of workspace, then requests of {context:,} tokens "
                    f"at {text(state)} each. Under the label {text(label.terms['have'])} are usable and the number of requests that "
                    f"fit is {alone}; counted by the driver's figure {text(driver.terms['have'])} are usable and it is {together}.")

    def height(amount: float) -> float:
        return base - (amount / gb - break_at) * scale

    left, wide = 122, 70
    words = left + wide + 8
    figure.rect(left, height(weights.value), wide, base + 40 - height(weights.value), fill="hatch")
    figure.shape((left - 6, base + 12), (left + wide + 6, base), (left + wide + 6, base + 8), (left - 6, base + 20), fill=PAPER,
                 line=None)
    for down in (0, 8):
        figure.line((left - 6, base + 12 + down), (left + wide + 6, base + down))
    figure.text(words, (height(weights.value) + base) / 2, f"weights\n{text(weights)}", bold=True)
    figure.text(words, base + 36, "axis is cut here", tone=MUTED)
    level = weights.value
    blocks = [("workspace", workspace, "none", None)]
    for number in range(1, together + 1):
        fits = number <= alone
        blocks.append((f"request {number}", state, "tint" if fits else "none", None if fits else DASH))
    for name, amount, fill, dash in blocks:
        bottom, level = height(level), level + amount.value
        figure.rect(left, height(level), wide, bottom - height(level), fill=fill, dash=dash)
        figure.text(words, (bottom + height(level)) / 2 + 4.5, f"{name}, {text(amount)}" if dash is None else name)
    share = label.inputs["memory_share"]
    for answer, reading in limits:
        y = height(answer.terms["have"].value)
        figure.line((0, y), (left + wide + 6, y), width=3)
        figure.text(0, y - 6, text(answer.terms["have"]), size=BODY, bold=True)
        figure.text(0, y + 16, f"{share:.0%} {reading}".replace("%", "\u00a0%"), tone=MUTED)
    figure.text(0, 16, f"{model} on one {chip}", size=BODY, bold=True)
    figure.text(0, base + 60, f"each request holds {context:,} tokens;\nheights to scale above the cut", tone=MUTED)
    return figure


def kv_grows() -> Figure:
    whole = calc.show("one-generation")
    prompt, later = whole.inputs["prompt"], whole.inputs["output"] - 1
    row = text(calc.show("decode-step", batch=1, context=prompt).terms["state_read"])
    attention = text(whole.terms["prefill_attention"])
    figure = Figure(CHAPTER, "kv-grows", 372, "Token pairs of a prompt and its answer",
                    f"The prompt fills a triangle of token pairs once; every answer token then adds one row as long as the whole history. "
                    f"For {prompt:,} prompt tokens the triangle is {attention}, and each of the {later} rows reads {row}.")
    cell, left, top, asked, answered = 15, 72, 44, 11, 5
    figure.text(0, 44, "asks\n(queries)", tone=MUTED)
    figure.arrow((22, 68), (22, 100), tone=MUTED)
    figure.text(left, 16, "is looked back at (keys)", tone=MUTED)
    figure.arrow((left, 28), (left + cell * (asked + answered), 28), tone=MUTED)
    for line in range(asked + answered):
        y = top + line * cell
        for column in range(line + 1):
            figure.rect(left + column * cell, y, cell, cell, fill="tint" if line < asked else "hatch", stroke=0.75)
    for name, first, count in (("prompt", 0, asked), ("answer", asked, answered)):
        y, end = top + first * cell + 1, top + (first + count) * cell - 1
        figure.line((left - 6, y), (left - 11, y), (left - 11, end), (left - 6, end))
        figure.text(left - 16, (y + end) / 2 + 4.5, name, anchor="end", bold=True)
    beside = left + cell * 8.2
    figure.text(beside, top + 16, "area: arithmetic,", bold=True)
    figure.text(beside, top + 33, f"done once:\n{attention}")
    below = top + cell * (asked + answered)
    figure.arrow((left + cell * 8, below + 30), (left, below + 30))
    figure.arrow((left + cell * 8, below + 30), (left + cell * (asked + answered), below + 30))
    figure.line((left, below + 4), (left, below + 36), width=0.75)
    figure.line((left + cell * (asked + answered), below + 4), (left + cell * (asked + answered), below + 36), width=0.75)
    figure.text(left, below + 54, "length of a row: bytes read,", bold=True)
    figure.text(left, below + 71, f"{row} for each answer token")
    return figure


def shared_and_private() -> Figure:
    step = calc.show("decode-step")
    batch, context = step.inputs["batch"], step.inputs["context"]
    one = text(calc.show("decode-step", batch=1).terms["state_read"])
    weights, states = step.terms["weights_read"], step.terms["state_read"]
    figure = Figure(CHAPTER, "shared-and-private", 330, "What a batch shares and what it does not",
                    f"{batch} requests share one reading of the weights, {text(weights)}, but each brings {one} of state that is read "
                    f"for it alone, {text(states)} together.")
    thick = 3e-9  # drawing units per byte, the same for both kinds of arrow
    trunk, column = weights.value * thick, WIDTH / batch
    middle = WIDTH / 2
    figure.rect(1, 1, WIDTH - 2, 30, radius=3)
    figure.text(middle, 21, f"weights, {text(weights)}", size=BODY, anchor="middle", bold=True)
    figure.rect(middle - trunk / 2, 31, trunk, 44, fill="currentColor", line=None)
    figure.text(0, 50, f"{batch} requests\nin one step", bold=True)
    figure.text(middle + trunk / 2 + 12, 50, "read once,\nshared by all")
    requests, private = 132, 216
    figure.shape((middle - trunk / 2, 75), (middle + trunk / 2, 75), (middle + 7, 84), (middle - 7, 84), fill="currentColor", line=None)
    for number in range(batch):
        x = (number + 0.5) * column
        figure.arrow((middle, 82), (x, requests - 1), width=1.5)
        figure.rect(x - 16, requests, 32, 28, fill="tint", radius=3)
        figure.text(x, requests + 19, str(number + 1), size=BODY, anchor="middle", bold=True)
        figure.arrow((x, private), (x, requests + 30), width=states.value / batch * thick)
        figure.rect(x - 16, private, 32, 28, fill="hatch", radius=3)
    figure.text(middle, private + 48, f"own state of {context:,} tokens: {one} each,", anchor="middle")
    figure.text(middle, private + 65, "read for one request alone", anchor="middle")
    figure.line((0, private + 78), (WIDTH, private + 78), width=0.75)
    figure.text(0, private + 100, f"shared {text(weights)}", size=BODY, bold=True)
    figure.text(WIDTH, private + 100, f"private {batch} × {one}", size=BODY, anchor="end", bold=True)
    return figure


def bound_band_measure() -> Figure:
    figure = Figure(CHAPTER, "bound-band-measure", 300, "How to read the charts",
                    "A chart legend: no measured dot may be faster than the bound line; "
                    "the shaded band on its slow side shows where measurements were found.")
    left, bottom, right = 30, 268, WIDTH - 8

    def bound(x: float) -> float:
        return bottom - max(60, 60 + 0.8 * (x - 150))

    def above(x: float, factor: float) -> tuple[float, float]:
        return x, bottom - factor * (bottom - bound(x))

    corners = (left, 150, 256)
    figure.shape(*[above(x, 1.2) for x in corners], *[above(x, 1.65) for x in reversed(corners)], fill="hatch", line=None)
    figure.line(*[above(x, 1) for x in corners], width=3)
    figure.arrow((left, bottom), (left, 26))
    figure.arrow((left, bottom), (right, bottom))
    figure.text(left + 4, 18, "time, slower is up", tone=MUTED)
    figure.text(right, bottom + 20, "batch, context or prompt", anchor="end", tone=MUTED)
    figure.text(262, above(256, 1)[1] + 4, "bound", bold=True)
    figure.text(262, above(256, 1.42)[1] + 4, "band", bold=True)
    figure.text(58, 122, "measured", bold=True)
    figure.line((92, 128), (119, 166), width=0.75)
    figure.text(140, 240, "impossible:\nno dot lies here", tone=MUTED)
    for x, factor in ((50, 1.5), (84, 1.3), (122, 1.58), (150, 1.32), (182, 1.45), (212, 1.27), (240, 1.5)):
        figure.dot(*above(x, factor), 5)
    return figure


FIGURES = (request_path, two_phases, five_questions_ledger, byte_ladder, memory_tenants, kv_grows, shared_and_private,
           bound_band_measure)
