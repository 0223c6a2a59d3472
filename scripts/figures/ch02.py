"""Chapter 2, Model Architecture: its eight figures."""

import random

from draw import BODY, DASH, FAINT, INK, LARGE, MUTED, WIDTH, Figure, Log

import calc
from calc.catalog import MODELS
from calc.format import show, text
from calc.parts import flops, layers, state, tensors

CHAPTER = "02"
FIVE = ("qwen3-32b", "gemma-3-27b", "qwen3-30b-a3b", "qwen3.5-35b-a3b", "nemotron-3-nano-30b-a3b")


def five_bodies() -> Figure:
    heights = {"full": 24, "sliding": 13, "gdn": 5, "mamba2": 5, "none": 0}
    lines = []
    for id in FIVE:
        model = MODELS[id]
        slope, fixed = state.per_token(model, 16), state.ceiling(model, 16)
        words = f"{show(slope.value, 'KiB')} per token"
        lines.append((model, words, f"and {show(fixed.value, 'MiB')} fixed" if fixed.value else "nothing fixed"))
    first, last = lines[0][1], lines[-1][1]
    figure = Figure(CHAPTER, "five-bodies", 520, "Five models as rows of layers",
                    f"Five models of about thirty billion parameters drawn as rows of layers; the memory per token falls from {first} to {last} "
                    "as full attention layers become rarer.")
    pitch = 4.9
    for number, (model, words, fixed) in enumerate(lines):
        top = number * 84
        figure.text(0, top + 14, model.name, size=BODY, bold=True)
        base = top + 46
        for place, (mixer, part) in enumerate(layers.blocks(model)):
            x, high = 1 + place * pitch, heights[mixer]
            if high:
                figure.rect(x, base - high, 3, high, fill=INK if mixer == "full" else "none", line=INK, stroke=0.75)
            if part == "moe":
                figure.dot(x + 1.5, base + 5, 1.5)
            elif part == "dense":
                figure.rect(x, base + 3, 3, 4, fill=INK, line=None)
        figure.text(0, base + 23, f"{words}, {fixed}", tone=MUTED)
    top = 432
    figure.line((0, top), (WIDTH, top), width=0.75)
    for y, kind, high, words in ((top + 30, "full", 24, "full attention: grows with every token"),
                                 (top + 52, "sliding", 13, "window: grows, then stays"), (top + 70, "gdn", 5, "recurrent: the same from the start")):
        figure.rect(4, y - high, 3, high, fill=INK if kind == "full" else "none", line=INK, stroke=0.75)
        figure.text(18, y - 1, words)
    figure.rect(268, top + 42, 3, 4, fill=INK, line=None)
    figure.text(278, top + 50, "dense")
    figure.dot(269.5, top + 65, 1.5)
    figure.text(278, top + 70, "experts")
    return figure


def block_shapes() -> Figure:
    model = MODELS["qwen3-32b"]
    a, h, f = model.attention, model.hidden.value, model.ffn.intermediate.value
    attention, forward = tensors.mixer(model, "full"), 3 * model.hidden * model.ffn.intermediate
    figure = Figure(CHAPTER, "block-shapes", 408, f"One block of {model.name}, to scale",
                    f"In one block attention holds {show(attention.value)} weights, in two large matrices and two small ones, and the feed-forward "
                    f"network {show(forward.value)}, in three matrices that are larger still.")
    scale = 320 / f
    high, wide, narrow = h * scale, a.heads.value * a.head_dim.value * scale, a.kv_heads.value * a.head_dim.value * scale
    figure.text(0, 14, f"Attention, {show(attention.value)} weights", size=BODY, bold=True)
    x = 1
    for words, size, fill in (("query", wide, "none"), ("key", narrow, "tint"), ("value", narrow, "tint"), ("output", wide, "none")):
        figure.rect(x, 26, size, high, fill=fill)
        if size > 50:
            figure.text(x + size / 2, 26 + high / 2 + 4, words, anchor="middle")
            x += size + 16
        else:
            figure.text(x + size / 2, 26 + high + 17, words, anchor="middle")
            x += size + 34
    figure.text(0, 26 + high + 36, f"{h:,} high; {a.heads.value * a.head_dim.value:,} or {a.kv_heads.value * a.head_dim.value:,} wide", tone=MUTED)
    top = 156
    figure.text(0, top, f"Feed-forward, {show(forward.value)} weights", size=BODY, bold=True)
    for number, words in enumerate(("gate", "up", "down")):
        y = top + 12 + number * (high + 6)
        figure.rect(1, y, f * scale, high)
        figure.text(1 + f * scale / 2, y + high / 2 + 4, words, anchor="middle")
    figure.text(0, top + 12 + 3 * (high + 6) + 14, f"each {h:,} by {f:,}", tone=MUTED)
    return figure


def kv_families() -> Figure:
    latent = 2 * state.row_values(MODELS["deepseek-v3"], "mla").value
    rows = [("multi-head", 32), ("grouped-query", 8), ("multi-query", 1), ("latent", 0)]
    sizes = [2 * n * 128 * 2 if n else latent for _, n in rows]
    figure = Figure(CHAPTER, "kv-families", 424, "What one token leaves in one layer",
                    f"Multi-head attention stores a key and value per query head, {show(sizes[0], 'B')} in 16 bits; grouped-query one per group, "
                    f"{show(sizes[1], 'B')}; multi-query one in all, {show(sizes[2], 'B')}; latent attention stores a single row of "
                    f"{latent // 2} values, {show(sizes[3], 'B')}.")
    pitch, left = 10.4, 4
    for number, ((name, kept), size) in enumerate(zip(rows, sizes)):
        top = number * 104
        figure.text(0, top + 14, name, size=BODY, bold=True)
        figure.text(WIDTH, top + 14, f"{size:,} bytes", size=BODY, anchor="end", bold=True)
        for head in range(32):
            figure.dot(left + head * pitch, top + 32, 3)
        if kept:
            group = 32 // kept
            for head in range(kept):
                x = left + (head * group + (group - 1) / 2) * pitch
                if kept < 32:
                    figure.line((left + head * group * pitch, top + 41), (left + (head * group + group - 1) * pitch, top + 41), width=1)
                figure.rect(x - 3.5, top + 46, 7, 9, fill="tint", stroke=1)
                figure.rect(x - 3.5, top + 55, 7, 9, fill="hatch", stroke=1)
        else:
            figure.line((left, top + 41), (left + 31 * pitch, top + 41), width=1)
            figure.rect(left + 15.5 * pitch - 60, top + 46, 120, 18, radius=3)
            figure.text(left + 15.5 * pitch, top + 59.5, "one latent", anchor="middle")
        figure.rect(1, top + 74, max(2, (WIDTH - 2) * size / sizes[0]), 10, fill=INK, line=None)
    figure.text(0, 418, "dot: query head; squares: key, value", tone=MUTED)
    return figure


def dealt_or_copied() -> Figure:
    cuts = [(n, calc.show("kv-cache", tensor_parallel=n)) for n in (2, 4, 8)]
    copied = calc.show("kv-cache", model="deepseek-v3")
    figure = Figure(CHAPTER, "dealt-or-copied", 404, "Key-value heads and a latent on several devices",
                    "Four key-value heads spread over two and four devices without duplication; on eight devices each head exists twice; "
                    f"a latent exists eight times. Each device holds {text(cuts[0][1].answer)}, {text(cuts[1][1].answer)}, {text(cuts[2][1].answer)} "
                    f"of the first model's state, and {text(copied.answer)} of the second's.")
    heads = "ABCD"
    for number, (devices, found) in enumerate([*cuts, (8, copied)]):
        top, latent = number * 102, number == 3
        figure.text(0, top + 14, "a latent, 8 devices" if latent else f"4 heads, {devices} devices", size=BODY, bold=True)
        each = WIDTH / devices
        for device in range(devices):
            x = device * each
            figure.rect(x + 2, top + 24, each - 4, 40, radius=3)
            held = ["Z"] if latent else list(heads[device * 4 // devices: max(device * 4 // devices + 1, (device + 1) * 4 // devices)])
            for place, name in enumerate(held):
                middle = x + each / 2 + (place - (len(held) - 1) / 2) * 32
                first = device == 0 if latent else devices <= 4 or device % 2 == 0
                figure.rect(middle - 12, top + 31, 24, 26, fill="tint" if first else "hatch", stroke=1, dash=None if first else DASH)
                figure.text(middle, top + 49, name, anchor="middle", bold=True)
        figure.text(0, top + 82, f"each holds {text(found.answer)}", tone=MUTED)
    figure.text(WIDTH, 3 * 102 + 82, "hatched: a copy", anchor="end", tone=MUTED)
    return figure


def three_ways_to_stop_growing() -> Figure:
    gemma, hybrid, sparse = MODELS["gemma-3-27b"], MODELS["qwen3.5-35b-a3b"], MODELS["deepseek-v3.2"]
    row = 2 * state.row_values(gemma, "full").value
    span = gemma.sliding_window.value
    matrix = 4 * state.elements(hybrid, "gdn").value
    found = calc.show("sparse-attention-read", batch=1).terms
    latent, key, chosen = 2 * state.row_values(sparse, "dsa").value, sparse.attention.indexer.head_dim.value, sparse.attention.indexer.top_k.value
    figure = Figure(CHAPTER, "three-ways-to-stop-growing", 388, "Bytes of one layer against the context",
                    "Full attention grows without end, a window levels off, a recurrent state is flat from the start, and sparse attention keeps "
                    f"growing in storage while its reads grow {text(found['ceiling'])} more slowly than those of dense attention would.")
    low, high, left, right, top, bottom = 100, 1_000_000, 44, WIDTH - 6, 40, 326
    x, y = Log(low, high, left, right), Log(1e5, 1e10, bottom, top)
    figure.text(0, 14, "bytes of one layer", tone=MUTED)
    for value, words in ((1e5, "100k"), (1e6, "1M"), (1e7, "10M"), (1e8, "100M"), (1e9, "1G"), (1e10, "10G")):
        figure.line((left, y(value)), (right, y(value)), tone=FAINT, width=0.75)
        figure.text(left - 5, y(value) + 4, words, anchor="end", tone=MUTED)
    for value, words in ((100, "100"), (1e4, "10,000"), (1e6, "1 million")):
        figure.text(x(value), bottom + 20, words, anchor={100: "start", 1e6: "end"}.get(value, "middle"), tone=MUTED)
    figure.text(right, bottom + 40, "tokens of context", anchor="end", tone=MUTED)
    points = [10 ** (2 + step / 10) for step in range(41)]
    curves = [("full", lambda c: row * c, None, 2.5), ("sparse, stored", lambda c: (latent + key) * c, None, 1.5),
              ("sparse, read", lambda c: key * c + latent * min(c, chosen), DASH, 2), ("window", lambda c: row * min(c, span), None, 2.5),
              ("recurrent", lambda c: matrix, None, 2.5)]
    for _, curve, dash, width in curves:
        figure.line(*[(x(c), y(max(1e5, curve(c)))) for c in points], width=width, dash=dash)
    for words, at, value, anchor in (("full", 1.2e5, row * 6e5, "end"), ("sparse: stored", 9e5, latent * 1.4e5, "end"),
                                    ("sparse: read", 9e5, 4.2e7, "end"),
                                    ("window", 9e5, 1.15e7, "end"), ("recurrent", 9e5, 1.05e6, "end")):
        figure.text(x(at), y(value), words, anchor=anchor, bold=True, clear=True)
    return figure


def two_orders_of_one_product() -> Figure:
    model = MODELS["deepseek-v3"]
    rows = []
    for name, form, layout, picture in (("expanded", "expanded", "expanded", "query × (up-projection × latent)"),
                                        ("absorbed", "absorbed", "native", "(query × up-projection) × latent")):
        work, kept = flops.per_key(model, "mla", form), 2 * state.row_values(model, "mla", layout)
        rows.append((name, picture, work.value, kept.value))
    ratio = rows[0][3] / rows[1][3]
    figure = Figure(CHAPTER, "two-orders-of-one-product", 330, "One product in two orders",
                    f"The same product computed with rebuilt keys and values costs {rows[0][2]:,} FLOP per key and layer, the rebuilding not "
                    f"counted, and {rows[0][3]:,} bytes; computed in latent space it costs {rows[1][2]:,} FLOP "
                    f"and {rows[1][3]:,} bytes, {show(ratio, label='×')} fewer.")
    most, widest = max(r[2] for r in rows), max(r[3] for r in rows)
    for number, (name, picture, work, kept) in enumerate(rows):
        top = number * 158
        figure.text(0, top + 16, name, size=LARGE, bold=True)
        figure.text(0, top + 38, picture)
        figure.text(0, top + 66, f"arithmetic per key: {work:,} FLOP", tone=MUTED)
        figure.rect(1, top + 73, (WIDTH - 2) * work / most, 14, fill="tint")
        figure.text(0, top + 108, f"bytes per key: {kept:,}", tone=MUTED)
        figure.rect(1, top + 115, max(2, (WIDTH - 2) * kept / widest), 14, fill="hatch")
    return figure


def waking_experts() -> Figure:
    rows = [(m, calc.show("expert-coverage", batch_tokens=m)) for m in (1, 8, 36)]
    awake = [round(found.answer.value) for _, found in rows]
    figure = Figure(CHAPTER, "waking-experts", 372, "Experts of one layer, awake and asleep",
                    f"One token lights {awake[0]} of 128 experts, eight tokens about {awake[1]}, thirty-six tokens about {awake[2]}.")
    order = list(range(128))
    random.Random(2).shuffle(order)
    pitch = 13
    for number, ((tokens, _), count) in enumerate(zip(rows, awake)):
        top, lit = number * 126, set(order[:count])
        for expert in range(128):
            x, y = 8 + expert % 16 * pitch, top + 10 + expert // 16 * pitch
            if expert in lit:
                figure.dot(x, y, 5)
            else:
                figure.dot(x, y, 4, fill="none", line=MUTED)
        figure.text(220, top + 36, f"{tokens} token{'s' if tokens > 1 else ''}", size=LARGE, bold=True)
        figure.text(220, top + 58, f"{count} of 128")
        figure.text(220, top + 76, "are awake")
    return figure


def anatomy_of_a_4_bit_file() -> Figure:
    ids = ("llama-3.2-1b", "qwen2.5-7b", "llama-3.1-70b")
    found = [calc.show("quantized-size", model=id) for id in ids]
    parts = [[f.terms[k].value / f.answer.value for k in ("packed", "scales", "wide")] for f in found]
    said = "; ".join(f"{MODELS[i].name}: {round(100 * a)}, {round(100 * b)} and {round(100 * c)} %" for i, (a, b, c) in zip(ids, parts))
    figure = Figure(CHAPTER, "anatomy-of-a-4-bit-file", 316, "What a 4-bit file consists of",
                    f"The smaller the model, the larger the part of a 4-bit file that is not 4-bit. Codes, scales and wide tensors: {said}.")
    for number, (id, answer, shares) in enumerate(zip(ids, found, parts)):
        top = number * 92
        figure.text(0, top + 14, MODELS[id].name, size=BODY, bold=True)
        figure.text(WIDTH, top + 14, f"{text(answer.terms['bits_per_weight'])} per weight", anchor="end")
        x = 1.0
        for share, fill in zip(shares, ("tint", INK, "hatch")):
            figure.rect(x, top + 24, share * (WIDTH - 2), 30, fill=fill, stroke=1)
            x += share * (WIDTH - 2)
        figure.text(0, top + 72, f"codes {round(100 * shares[0])} %", tone=MUTED)
        figure.text(WIDTH / 2, top + 72, f"scales {round(100 * shares[1])} %", anchor="middle", tone=MUTED)
        figure.text(WIDTH, top + 72, f"wide {round(100 * shares[2])} %", anchor="end", tone=MUTED)
    y = 286
    for x, fill, words in ((1, "tint", "codes"), (112, INK, "scales"), (232, "hatch", "wide")):
        figure.rect(x, y, 14, 14, fill=fill, stroke=1)
        figure.text(x + 20, y + 12, words)
    return figure


FIGURES = (five_bodies, block_shapes, kv_families, dealt_or_copied, three_ways_to_stop_growing, two_orders_of_one_product,
           waking_experts, anatomy_of_a_4_bit_file)
