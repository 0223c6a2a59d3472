"""Chapter 3, Inference and Training Workloads: its eight figures."""

import gzip
import heapq
import random
from pathlib import Path

from draw import BODY, DASH, FAINT, INK, MUTED, WIDTH, Figure, Log

import calc
from calc.format import show, text

CHAPTER = "03"
TRACE = Path(__file__).resolve().parents[2] / "docs" / "labs" / "data" / "azure-conversation-2023.csv.gz"
SLOTS = 15


def two_jobs() -> Figure:
    figure = Figure(CHAPTER, "two-jobs", 330, "Two jobs of one request",
                    "Timeline of one request with its waiting, prefill and decode phases, and the memory it holds during and after: "
                    "time to first token spans waiting and prefill, time per output token one decode step, request time all three.")
    arrive, start, first, end, top = 2, 56, 116, 236, 96
    steps = [first + 6 + k * (end - first - 6) / 11 for k in range(12)]
    figure.text(arrive, 18, "request time", bold=True)
    figure.line((arrive, 32), (arrive, 26), (end, 26), (end, 32))
    figure.text(arrive, 52, "time to first token", bold=True)
    figure.line((arrive, 66), (arrive, 60), (first, 60), (first, 66))
    figure.rect(arrive, top, start - arrive, 40, dash=DASH)
    figure.rect(start, top, first - start, 40, fill="tint")
    for x in steps[1:]:
        figure.rect(x - 3.5, top, 3.5, 40, fill="hatch")
    figure.text((arrive + start) / 2, top + 58, "waits", anchor="middle")
    figure.text((start + first) / 2, top + 58, "prefill", anchor="middle")
    figure.text((first + end) / 2, top + 58, "decode steps", anchor="middle")
    figure.text(WIDTH, 80, "time per output token", anchor="end", bold=True)
    figure.line((steps[6], 92), (steps[6], 86), (steps[7], 86), (steps[7], 92))
    figure.text((end + WIDTH) / 2, top + 58, "then a tool", anchor="middle")
    figure.line((end, top + 40), (WIDTH - 2, top + 40), dash=DASH)
    base, low, high = 290, 236, 206
    figure.text(0, 192, "memory held", bold=True)
    figure.shape((start, base), (start, low + 4), (first, low), (end, high), (end, base), fill="tint")
    figure.rect(end, high, WIDTH - 2 - end, base - high, fill="hatch")
    figure.line((0, base), (WIDTH, base))
    figure.text((start + end) / 2 + 18, 272, "active", anchor="middle", clear=True)
    figure.text((end + WIDTH) / 2, 253, "parked", anchor="middle", clear=True)
    figure.text(0, 312, "time", tone=MUTED)
    figure.arrow((34, 308), (96, 308), tone=MUTED)
    return figure


def state_as_area() -> Figure:
    one = calc.show("littles-law-state").terms["state_per_request"]
    large, brief = 8e9, 4
    area = large * brief
    long = area / one.value
    figure = Figure(CHAPTER, "state-as-area", 300, "Two states of equal rent",
                    f"Memory held multiplied by time is an area; a small state kept long, {text(one)} for {long:.0f} s, equals "
                    f"{show(large, 'GB')} kept for {brief} s.")
    across, up = 300 / long, 180 / large
    figure.rect(24, 12, brief * across, large * up, fill="tint")
    figure.text(24 + brief * across + 10, 70, f"{show(large, 'GB', given=True)} for {brief} s", size=BODY, bold=True)
    figure.text(24 + brief * across + 10, 90, "a long document,\nsoon gone")
    figure.rect(24, 226, long * across, one.value * up, fill="tint")
    figure.text(24, 220 - 4, f"{text(one)} for {long:.0f} s", size=BODY, bold=True)
    figure.text(WIDTH - 12, 216, "a chat that waits", anchor="end")
    figure.line((24, 262), (324, 262))
    figure.text(24, 280, "0 s")
    figure.text(WIDTH - 12, 280, f"{long:.0f} s", anchor="end")
    figure.text((24 + 324) / 2, 296, f"both areas: {area / 1e9:.0f} GB·s", size=BODY, anchor="middle", bold=True)
    return figure


def batch_loop() -> Figure:
    bars = []
    for rate in (10, 16):
        terms = calc.show("littles-law-state", arrival_rate=rate, think_time=0).terms
        supply = calc.accelerators["h100-sxm"].memory_bandwidth.value
        prompts = terms["prefill_share"].value
        histories = terms["kv_bandwidth_need"].value / supply
        bars.append((rate, prompts, histories, 1 - prompts - histories, terms["sequences_decoding"], terms["step_time"]))
    said = "; ".join(f"at {rate} per second prompts take {100 * p:.0f} %, histories {100 * h:.0f} %, and {100 * w:.0f} % is left for the weights"
                     for rate, p, h, w, _, _ in bars)
    figure = Figure(CHAPTER, "batch-loop", 372, "Batch is an outcome",
                    f"Feedback loop by which arrival rate sets its own batch size: sequences in flight, step time, time in the system. {said}.")
    boxes = {"sequences\nin flight": (104, 4), "step time": (226, 84), "time in\nthe system": (104, 160)}
    for words, (x, y) in boxes.items():
        lines = words.count("\n") + 1
        figure.rect(x, y, 106, 48, radius=5, fill="tint" if lines == 2 and y < 50 else "none")
        figure.text(x + 53, y + (29 if lines == 1 else 21), words, size=BODY, anchor="middle", bold=True)
    figure.arrow((210, 28), (279, 28), (279, 83))
    figure.arrow((279, 132), (279, 184), (211, 184))
    figure.arrow((157, 159), (157, 53))
    figure.text(0, 112, "arrival rate", size=BODY, bold=True)
    figure.arrow((94, 108), (156, 108), dash=DASH)
    figure.text(WIDTH, 18, "more to read", anchor="end")
    figure.text(WIDTH, 204, "each stays longer", anchor="end")
    figure.text(0, 240, "Where the time of the memory goes", tone=MUTED)
    for number, (rate, prompts, histories, rest, n, step) in enumerate(bars):
        top = 270 + number * 56
        figure.text(0, top - 5, f"{rate} per second: batch {n.value:.0f}, step {text(step)}", bold=True)
        x = 1
        for share, fill in ((prompts, "hatch"), (histories, "tint"), (rest, "none")):
            wide = share * (WIDTH - 2)
            figure.rect(x, top, wide, 24, fill=fill)
            x += wide
        if number == 0:
            figure.text(1 + prompts * 334 / 2, top + 17, "prompts", anchor="middle", clear=True)
            figure.text(1 + (prompts + histories / 2) * 334, top + 17, "histories", anchor="middle", clear=True)
            figure.text(1 + (1 - rest / 2) * 334, top + 17, "left for weights", anchor="middle")
    return figure


def _waits(arrivals, services):
    free, found = [0.0] * SLOTS, []
    for now, service in zip(arrivals, services):
        start = max(now, heapq.heappop(free))
        found.append(start - now)
        heapq.heappush(free, start + service)
    return found


def three_orders() -> Figure:
    with gzip.open(TRACE, "rt") as file:
        next(file)
        rows = [tuple(map(int, line.split(","))) for line in file]
    real = [t / 1000 for t, _, _ in rows]
    services = [15e-6 * prompt + 10e-3 * output for _, prompt, output in rows]
    shuffled = random.Random(1).sample(services, len(services))
    dice, now, poisson = random.Random(1), 0.0, []
    for _ in rows:
        now += dice.expovariate(len(rows) / real[-1])
        poisson.append(now)
    strips = []
    for name, arrivals, lengths in (("as it happened", real, services), ("lengths shuffled", real, shuffled),
                                    ("arrivals and lengths at random", poisson, shuffled)):
        waits = _waits(arrivals, lengths)
        bins: dict[int, list] = {}
        for at, wait in zip(arrivals, waits):
            bins.setdefault(int(at // 30), []).append(wait)
        profile = [sum(bins.get(k, [0])) / len(bins.get(k, [0])) for k in range(117)]
        strips.append((name, sorted(waits)[int(0.95 * len(waits))], profile))
    said = ", ".join(f"{name} {show(p95, 's')}" for name, p95, _ in strips)
    figure = Figure(CHAPTER, "three-orders", 376, "Same requests, three orders",
                    f"Mean wait in each half minute of an hour of conversations, for three orders of the same requests; 95th percentile: {said}.")
    scale, high = 60, 74
    for number, (name, p95, profile) in enumerate(strips):
        base = 30 + high + number * 116
        figure.text(0, base - high - 12, name, size=BODY, bold=True)
        figure.text(WIDTH, base - high - 12, f"p95 {show(p95, 's')}", anchor="end", bold=True)
        figure.line((0, base - high * 50 / scale), (WIDTH, base - high * 50 / scale), tone=FAINT, dash=DASH)
        figure.text(0, base - high * 50 / scale + 14, "50 s", tone=MUTED)
        points = [(k * WIDTH / 116, base - high * wait / scale) for k, wait in enumerate(profile)]
        figure.shape((0, base), *points, (WIDTH, base), fill="tint")
        figure.line((0, base), (WIDTH, base))
    figure.text(0, 356, "0 min", tone=MUTED)
    figure.text(WIDTH, 356, "58 min", anchor="end", tone=MUTED)
    figure.text(WIDTH / 2, 372, "mean wait of those who arrive, 15 slots", anchor="middle", tone=MUTED)
    return figure


def resent_prefix() -> Figure:
    answer = calc.show("agent-prefix-growth")
    terms, given = answer.terms, answer.inputs
    turns, grows = given["turns"], given["append"] + given["output"]
    fresh = terms["tokens_fresh"].value / terms["tokens_shown"].value
    figure = Figure(CHAPTER, "resent-prefix", 326, "The resent prefix",
                    f"Triangle of prompts over {turns} turns; only a thin diagonal is new, {100 * fresh:.1f} % of the tokens shown. "
                    "An edit in one prompt makes everything to its right new.")
    longest = given["prompt"] + (turns - 1) * grows
    unit, top, pitch, edit = (WIDTH - 2) / longest, 44, 7.4, 24
    at = 14_000
    figure.text(0, 14, "one row a turn; length: tokens of the prompt", tone=MUTED)
    figure.rect(0, 22, 14, 12, fill=INK, line=None)
    figure.text(20, 33, f"new, {100 * fresh:.1f} %")
    figure.rect(120, 22, 14, 12, fill="tint", line=None)
    figure.text(140, 33, f"seen before, {100 * (1 - fresh):.1f} %")
    for turn in range(turns):
        prompt = given["prompt"] + turn * grows
        new = given["append"] if turn else prompt
        if turn == edit:
            new = prompt - at
        y = top + turn * pitch
        if prompt > new:
            figure.rect(0, y, (prompt - new) * unit, pitch - 1.6, fill="tint", line=None)
        figure.rect((prompt - new) * unit, y, new * unit, pitch - 1.6, fill=INK, line=None)
    y = top + edit * pitch + 3
    figure.arrow((at * unit, top + turns * pitch + 12), (at * unit, y + 5), width=2)
    figure.text(at * unit + 8, top + turns * pitch + 18, "edited here: the rest is new", bold=True)
    figure.text(WIDTH, 62, f"{text(terms['tokens_shown'])} shown", anchor="end", bold=True)
    figure.text(WIDTH, 80, f"{text(terms['tokens_fresh'])} new", anchor="end", bold=True)
    return figure


def image_sizes() -> Figure:
    terms = calc.show("multimodal-tokens").terms
    model = calc.models["qwen3-vl-8b"]
    inner = terms["patches"].value * model.vision.hidden.value * 2
    rows = [("file, as uploaded", 300e3, "A"), ("pixels", terms["raw_pixels"].value, ""), ("patches in the encoder", inner, ""),
            ("features handed over", terms["encoder_cache"].value, "B"), ("state in the language model", terms["kv_state"].value, "C")]
    figure = Figure(CHAPTER, "image-sizes", 346, "Sizes of one picture along its way",
                    "On a logarithmic scale: " + ", ".join(f"{name} {show(size, 'MB')}" for name, size, _ in rows)
                    + ". Cut A lies after the file, B after the features, C after the state.")
    axis = Log(1e5, 1e9, 2, WIDTH - 40)
    for number, (name, size, cut) in enumerate(rows):
        top = 22 + number * 58
        figure.text(0, top - 6, name, size=BODY)
        figure.text(WIDTH - 34, top - 6, show(size, "MB"), size=BODY, anchor="end", bold=True)
        figure.rect(2, top, axis(size) - 2, 22, fill="tint")
        if cut:
            figure.line((0, top + 29), (WIDTH, top + 29), dash=DASH, width=2)
            figure.text(WIDTH - 14, top + 24, cut, size=BODY, anchor="middle", bold=True)
    for power in axis.decades():
        figure.line((axis(power), 308), (axis(power), 314))
        if power in (1e5, 1e7, 1e9):
            figure.text(max(axis(power), 2), 330, show(power, "B"),
                        anchor="start" if power == 1e5 else "middle")
    figure.line((2, 308), (WIDTH - 40, 308))
    return figure


def rl_cycle() -> Figure:
    terms = calc.show("rl-cycle").terms
    names = ("prompts", "answers", "scoring", "update")
    work = [terms[k].value / terms["total_flops"].value for k in ("rollout_prefill", "rollout_decode", "scoring", "update")]
    time = [terms[k].value / terms["cycle_time"].value for k in ("prefill_time", "decode_time", "scoring_time", "update_time")]
    listed = [", ".join(f"{n} {100 * s:.0f} %" for n, s in zip(names, shares)) for shares in (work, time)]
    figure = Figure(CHAPTER, "rl-cycle", 300, "One cycle of reinforcement learning",
                    f"Generate, score, update, send weights, and again. Share of arithmetic: {listed[0]}. Share of time: {listed[1]}.")
    stages = ("generate", "score", "update", "send weights")
    wide = (70, 52, 64, 102)
    x = 0
    lefts = []
    for name, width in zip(stages, wide):
        figure.rect(x + 1, 4, width - 2, 34, radius=5)
        figure.text(x + width / 2, 26, name, anchor="middle", bold=True)
        lefts.append(x)
        x += width + 16
        if name != stages[-1]:
            figure.arrow((x - 17, 21), (x, 21))
    figure.arrow((lefts[3] + 51, 38), (lefts[3] + 51, 58), (35, 58), (35, 39))
    for top, title, shares in ((100, f"arithmetic, {text(terms['total_flops'])}", work), (216, f"time, {text(terms['cycle_time'])}", time)):
        figure.text(0, top - 10, title, size=BODY, bold=True)
        x = 1.0
        for name, share in zip(names, shares):
            width = share * (WIDTH - 2)
            figure.rect(x, top, width, 34, fill={"answers": "tint", "prompts": "hatch"}.get(name, "none"))
            if name != "prompts":
                figure.text(x + width / 2, top + 22, f"{100 * share:.0f} %", anchor="middle", bold=name == "answers")
                figure.text(x + width / 2, top + 52, name, anchor="middle", bold=name == "answers")
            else:
                figure.line((x + width / 2, top + 34), (x + width / 2, top + 60), width=1)
                figure.text(0, top + 74, f"prompts {100 * share:.0f} %")
            x += width
    return figure


def workload_sheet() -> Figure:
    w = calc.workloads
    chat, code = w["azure-conversation-2023"], w["azure-code-2023"]
    agent, pool, kimi = w["tracelab-claude-code"], w["tracelab-pool"], w["mooncake-conversation"]
    rl = calc.show("rl-cycle").inputs
    log = "log it"

    def whole(x):
        return f"{x:,.0f}"

    lines = [
        ("1  prompt, tokens", whole(chat.prompt_mean.value), whole(code.prompt_mean.value),
         whole(agent.prompt_mean.value), whole(rl["prompt"])),
        ("2  output, tokens", whole(chat.output_mean.value), whole(code.output_mean.value), whole(agent.output_mean.value), whole(rl["output"])),
        ("3  correlation of the two", f"{chat.prompt_output_correlation.value:.2f}".replace("-", "−"),
         f"{code.prompt_output_correlation.value:.2f}", log, log),
        ("4  largest 10 s over mean", f"{chat.peak_over_mean_10s.value:.1f}×", f"{code.peak_over_mean_10s.value:.1f}×", log, "all at once"),
        ("5  state kept for", "a person", "nobody", "a tool", "the cycle"),
        ("6  prompt seen before (chat: Kimi's)", f"{100 * kimi.infinite_cache_hit_ratio.value:.0f} %", log,
         f"{100 * pool.cached_read_tokens.value / pool.input_tokens.value:.0f} %", "task text"),
        ("7  success of an attempt (RL: share kept)", log, log, log, f"{rl['kept_rollouts']} of {rl['rollouts']}"),
        ("8  promised time of", "1st token", "answer", "task", "cycle"),
    ]
    heads = ("chat", "code", "agent", "RL")
    said = "; ".join(f"{title[3:]}: " + ", ".join(f"{h} {v}" for h, v in zip(heads, values)) for title, *values in lines)
    figure = Figure(CHAPTER, "workload-sheet", 388, "The workload sheet", f"Eight lines for four tasks. {said}.")
    step = WIDTH / 4
    for number, head in enumerate(heads):
        figure.text(number * step + 2, 16, head, size=BODY, bold=True)
    figure.line((0, 24), (WIDTH, 24), width=2)
    for row, (title, *values) in enumerate(lines):
        top = 42 + row * 43
        figure.text(0, top, title, tone=MUTED)
        for number, value in enumerate(values):
            figure.text(number * step + 2, top + 18, value, bold=value != log, tone=MUTED if value == log else None)
        figure.line((0, top + 26), (WIDTH, top + 26), tone=FAINT, width=1)
    return figure


FIGURES = (two_jobs, state_as_area, batch_loop, three_orders, resent_prefix, image_sizes, rl_cycle, workload_sheet)
