"""The public book's worked numbers on models and requests (its chapters 1, 2, 3 and 8), as expressions of parts and estimators.

Each function takes a row's printed inputs and gives {key: quantity, or (quantity, unit)}; a bare quantity is a plain number.
"""

import calc
from calc.catalog import ACCELERATORS, MODELS
from calc.parts import (
    capacity,
    chance,
    collectives,
    flops,
    formats,
    queueing,
    requests,
    roofline,
    scaling,
    speedup,
    state,
    tensors,
    training,
    transfer,
    vision,
    weights,
)
from calc.quantity import ceil, q
from tests.reality.shapes import byte, chip, rate

QWEN, LLAMA = MODELS["qwen3-8b"], MODELS["llama-3.1-70b"]
HYBRID, FLASH = MODELS["qwen3.5-35b-a3b"], MODELS["deepseek-v4-flash"]


def kv(tokens, bits=16, model=QWEN):
    """Bytes of one sequence's state."""
    return state.held(model, q(tokens), bits)


def fits_70b(x):
    need = q(x["weights_GB"], "GB") + kv(x["kv_tokens"], model=LLAMA) + q(x["workspace_GiB"], "GiB")
    held = kv(x["kv_tokens"], model=LLAMA)
    return {"kv_GiB": (held, "GiB"), "kv_GB": (held, "GB"), "total_GB": (need, "GB"),
            "rtx4090_cards": ceil(need / capacity.usable(ACCELERATORS["rtx-4090"]))}


def int8_70b(x):
    size = formats.size(LLAMA, "int8")
    return {"GB": (size, "GB"), "left_on_80GB": (capacity.pool(q(80, "GB"), 1, size), "GB")}


def weights_70b(x):
    held = weights.held(LLAMA, 16)
    return {"GB": (held, "GB"), "GiB": (held, "GiB"), "half_GB": (weights.held(LLAMA, 8), "GB"),
            "left_per_80GB_card": (capacity.pool(q(80, "GB"), 1, held / 2), "GB")}


def amdahl_team(x):
    found = {f"f{round(100 * f)}": speedup.overall(f, x["s"]) for f in x["f"]}
    return found | {"hours_f20_of_100": 100 / found["f20"], "hours_f80_of_100": 100 / found["f80"]}


def critical_batch(x):
    return {"B_star": roofline.critical_rows(roofline.ridge(chip(x["P"], x["bw"])), byte(x["bW"]))}


def one_step(x):
    def pair(peak=1, bandwidth=1):
        machine = chip(peak * x["P_TFLOPs"] * 1e12, bandwidth * x["bw_TBps"] * 1e12)
        return roofline.memory_time(byte(x["N"] * x["bW"]), machine), roofline.compute_time(flops.linear(x["N"], q(x["B"])), machine)

    read, compute = pair()
    return {"read_ms": (read, "ms"), "compute_ms": (compute, "ms"), "ratio": read / compute, "compute_x2_ms": (pair(peak=2)[1], "ms"),
            "bw_x2_ms": (pair(bandwidth=2)[0], "ms")}


def nic(x):
    line = q(x["Gbps"], "Gbit/s")
    return {"GBps": (line, "GB/s"), "ms_per_GB": (transfer.transfer_time(q(x["GB"], "GB"), line), "ms")}


def quick_reference(x):
    machine, read = chip(x["P_TFLOPs"] * 1e12, x["bw_TBps"] * 1e12), weights.read(QWEN, q(1), 16)
    prefill, step, old = requests.prefill(QWEN, q(x["prompt"])), requests.token(QWEN, q(x["history"])), kv(x["history"])
    return {"weights_GB": (weights.held(QWEN, 16), "GB"), "kv_per_token_KiB": (state.per_token(QWEN, 16), "KiB"), "kv_2048_MiB": (kv(2048), "MiB"),
            "prefill_TFLOPs": (prefill, "TFLOP"), "decode_GFLOPs": (step, "GFLOP"), "weight_read_GB": (read, "GB"), "old_kv_GB": (old, "GB"),
            "prefill_ms": (roofline.compute_time(prefill, machine), "ms"), "decode_compute_ms": (roofline.compute_time(step, machine), "ms"),
            "decode_read_ms": (roofline.memory_time(read + old, machine), "ms")}


def read_one_gb(x):
    names = {"rtx4090_ms": "rtx-4090", "a100_ms": "a100-sxm-80gb", "h100_ms": "h100-sxm"}
    return {key: (roofline.memory_time(q(1, "GB"), ACCELERATORS[id]), "ms") for key, id in names.items()}


def seeks(x):
    cpu = q(x["cpu_ms"], "ms")
    whole = transfer.message_time(byte(0), q(x["seek_ms"], "ms"), rate(1), q(x["seeks"])) + cpu
    return {"total_ms": (whole, "ms"), "cpu_share": cpu / whole}


def one_layer(x):
    attention, ffn = tensors.mixer(QWEN, "full"), weights.components(QWEN)["dense_ffn"] / QWEN.layers
    return {"proj_params": attention, "ffn_params": ffn, "linear_flops_per_token": (flops.linear(attention + ffn, 1), "FLOP")}


def ffn_share(x):
    attention, ffn = tensors.mixer(QWEN, "full"), weights.components(QWEN)["dense_ffn"] / QWEN.layers
    return {"share": ffn / (attention + ffn), "ffn_MiB": (ffn * weights.width(16), "MiB")}


def crossing(x):
    return {f"H{n}": ceil(weights.read(QWEN, q(1), 16) / kv(n)) for n in x["H"]}


def cumulative(x):
    steps = x["G"] - 1
    reads = requests.mean_context(q(x["P"]), q(x["G"])) * steps
    return {"token_reads": reads, "read_GiB": (reads * state.per_token(QWEN, 16), "GiB"), "new_kv_MiB": (kv(steps), "MiB"),
            "final_GiB": (kv(x["P"] + steps), "GiB")}


def passes(x):
    return {"prefill_TFLOPs": (requests.prefill(QWEN, q(8192)), "TFLOP"), "decode_GFLOPs": (requests.token(QWEN, q(8192)), "GFLOP")}


def kv_8b(x):
    return {"KiB": (state.per_token(QWEN, 16), "KiB"), "H8192_GiB": (kv(x["H"]), "GiB")}


def kv_table(x):
    names = {"qwen3_8b": "qwen3-8b", "qwen3_32b": "qwen3-32b", "qwen3_30b_a3b": "qwen3-30b-a3b", "qwen3_235b": "qwen3-235b-a22b",
             "qwen35_397b": "qwen3.5-397b-a17b", "qwen36": "qwen3.5-35b-a3b"}
    return {key: (state.per_token(MODELS[id], 16), "B") for key, id in names.items()}


def hybrid_state(x):
    return {"kv_per_token_KiB": (state.per_token(HYBRID, 16), "KiB"), "total_MiB": (kv(8192, model=HYBRID), "MiB")}


def compressed_state(x):
    row = state.row_values(FLASH, "v4_csa") * state.per_value(16)
    return {"csa_main_MiB": (row * 8192 / FLASH.attention.csa_rate, "MiB"), "hca_MiB": (row * 8192 / FLASH.attention.hca_rate, "MiB"),
            "selected_MiB": (row * FLASH.attention.indexer.top_k, "MiB"), "window_MiB": (row * FLASH.sliding_window, "MiB"),
            "csa_index_MiB": (collectives.row_bytes(FLASH.attention.indexer.head_dim, 16) * 8192 / FLASH.attention.csa_rate, "MiB"),
            "state_MiB": (kv(8192, model=FLASH), "MiB"), "read_per_step_MiB": (state.read(FLASH, q(8192), 16), "MiB")}


def six_nd(x):
    forward = requests.everywhere(QWEN, q(x["P"]))
    simple = scaling.training_flops(weights.total_weights(QWEN), x["P"])
    half = forward - flops.linear(weights.head(QWEN), q(x["P"] / 2))
    return {"forward": (forward, "TFLOP"), "backward": ((training.PASSES - 1) * forward, "TFLOP"), "total": (training.PASSES * forward, "TFLOP"),
            "attention": (training.PASSES * flops.attention_prompt(QWEN, q(x["P"])), "TFLOP"), "sixND": (simple, "TFLOP"),
            "diff": training.PASSES * forward / simple - 1, "half_labels": (training.PASSES * half, "TFLOP")}


def broadcast(x):
    return {"one_GB": (weights.held(QWEN, 16), "GB"), "four_GB": (x["replicas"] * weights.held(QWEN, 16), "GB")}


def demand(x):
    def mix(share):
        found = [calc.show("request-demand", arrival_rate=x["rate"] * part, prompt=x[c]["inp"], output=x[c]["out"], batch=1)
                 for c, part in (("A", share), ("B", 1 - share))]
        return [sum(a.terms[key].to("1/s") for a in found) for key in ("prefill_tokens", "decode_steps")]

    return {f"{name}_{key}": q(value) for name, share in (("uniform", 0.5), ("first", 0.9), ("second", 0.1))
            for key, value in zip(("in", "dec"), mix(share))}


def queue(x):
    steps = {"A": 255, "B": 2047}
    contexts = {"A": requests.mean_context(q(8192), q(256)), "B": requests.mean_context(q(1024), q(2048))}
    context = sum(steps[c] * contexts[c] for c in steps) / sum(steps.values())
    moved = byte(x["weights_read"]) + x["batch"] * context * state.per_token(QWEN, 16)
    step = roofline.memory_time(moved, chip(bandwidth=x["bw"]))
    one = x["batch"] / step
    both, arrive = x["cards"] * one, q(x["arrive"], "1/s")
    backlog = queueing.excess(arrive, both) * q(x["window_s"], "s")
    in_all = queueing.present(q(4604, "1/s"), q(120, "s"))
    return {"avg_context": context, "step_GB": (moved, "GB"), "step_ms": (step, "ms"), "steps_per_s_card": (one, "1/s"), "two_cards": (both, "1/s"),
            "backlog": backlog, "drain_s": (queueing.drain_time(backlog, both), "s"), "total_steps": in_all,
            "min_s_one_card": (queueing.drain_time(in_all, one), "s")}


def full_state(x):
    held = training.state_bytes(weights.total_weights(QWEN), 32)
    return {"GB": (held, "GB"), "GiB": (held, "GiB")}


def rl_cycle(x):
    def cycle(rollouts):
        return calc.show("rl-cycle", prompt=x["P"], output=x["G"], rollouts=rollouts, kept_rollouts=x["keep"]).terms

    small, large = cycle(x["rollouts"]), cycle(2 * x["rollouts"])
    return {"rollout_prefill": (small["rollout_prefill"], "TFLOP"), "rollout_decode": (small["rollout_decode"], "TFLOP"),
            "reference": (small["scoring"], "TFLOP"), "update": (small["update"], "TFLOP"), "total": (small["total_flops"], "TFLOP"),
            "total_64": (large["total_flops"], "TFLOP"), "increase": large["total_flops"] / small["total_flops"] - 1,
            "per_kept_32": (small["flops_per_kept"], "TFLOP"), "per_kept_64": (large["flops_per_kept"], "TFLOP")}


def packing(x):
    def work(lengths):
        return sum(flops.attention_prompt(QWEN, q(n)) for n in lengths)

    a, b, each = work(x["a"]), work(x["b"]), flops.attention_per_key(QWEN)
    return {"pairs_a": a / each, "pairs_b": b / each, "tf_a": (a / QWEN.layers, "TFLOP"), "tf_b": (b / QWEN.layers, "TFLOP"), "increase": b / a - 1}


def picture(x):
    model = MODELS["qwen3-vl-8b"]  # one rule of patches and one width of state with the printed 4B
    tokens = vision.tokens_per_frame(model, q(x["W"], "pixel"), q(x["H"], "pixel"))
    final = tokens * collectives.row_bytes(x["width"], 16)
    cache, held = final * x["groups"], state.held(model, tokens, 16)
    return {"tokens": tokens, "final_bytes": (final, "B"), "ec_bytes": (cache, "B"), "ec_MiB": (cache, "MiB"), "kv_MiB": (held, "MiB"),
            "four_ec_MiB": (x["images"] * cache, "MiB"), "four_kv_MiB": (x["images"] * held, "MiB"),
            "kv_plus_text_MiB": (state.held(model, x["images"] * tokens + x["text"], 16), "MiB")}


def amdahl_task(x):
    return {"s20": speedup.overall(0.2, 4)}


def batch_read(x):
    read, old = weights.read(QWEN, q(1), 16), kv(2048)
    alone = read + old
    shared = read / 64 + old
    return {"b1_GiB": (alone, "GiB"), "b64_GiB": (shared, "GiB"), "b16_weights": (read / 16, "GiB"), "b64_weights": (read / 64, "GiB"),
            "ratio": alone / shared, "b_kv_2k": ceil(read / old), "b_kv_8k": ceil(read / kv(8192)),
            "resident64_GB": (weights.held(QWEN, 16) + 64 * old, "GB")}


def chunk_pairs(x):
    each = flops.attention_per_key(QWEN)
    first, last = (flops.attention_prompt(QWEN, q(x["c"]), q(old)) / each for old in (0, 7680))
    return {"first": first, "last": last, "ratio": last / first}


def paged(tokens, page=16):
    """State of one sequence in whole pages."""
    return kv(state.rounded(q(tokens), page).value)


def kv_capacity(x):
    pool, short, long = q(x["pool_MiB"], "MiB"), paged(sum(x["short"]), x["page"]), paged(sum(x["long"]), x["page"])
    naive = capacity.that_fit(pool, kv(x["short"][0]))
    return {"short_MiB": (short, "MiB"), "long_MiB": (long, "MiB"), "short_n": capacity.that_fit(pool, short),
            "long_n": capacity.that_fit(pool, long), "naive_short": naive, "overflow_MiB": (naive * short, "MiB"),
            "sixteen_long_GiB": (16 * kv(x["long"][0]), "GiB")}


def pages(x):
    return {"paged": sum(state.rounded(q(n), x["page"]) for n in x["lens"])}


def kv_formats(x):
    def held(name, tokens=8192):
        return tokens * state.per_token(QWEN, 16) * formats.bits(name) / weights.width(16)

    full = held("q8_0", 8448)
    saved = roofline.memory_time(kv(8192) - held("q8_0"), chip(bandwidth=x["bw"]))
    return {"q8": (held("q8_0"), "MiB"), "q4": (held("q4_0"), "MiB"), "full_q8": (full, "MiB"), "sixteen_GiB": (16 * full, "GiB"),
            "saved_ms": (saved, "ms"), "net02": (saved - q(0.2, "ms"), "ms"), "net08": (saved - q(0.8, "ms"), "ms"),
            "q2k_bits": (formats.bits("q2_k"), "bit")}


def adapters(x):
    return {"kv100_GiB": (100 * kv(8192), "GiB")}


def offload(x):
    ffn = weights.components(QWEN)["dense_ffn"] / QWEN.layers * 9 * weights.width(16)
    slow, fast = (transfer.transfer_time(ffn, rate(b)) for b in x["link"])
    return {"pcie_ms": (slow, "ms"), "c2c_ms": (fast, "ms"), "tps4": (4 / slow, "1/s"), "total255_s": (255 * slow, "s"),
            "c2c255_s": (255 * fast, "s")}


def shared_prefix(x):
    prefix, private = kv(6144), paged(2048 + 255)
    return {"MiB": (prefix + 16 * private, "MiB"), "independent": (16 * paged(8192 + 255), "MiB"),
            "max_b": capacity.that_fit(q(x["pool"], "MiB") - prefix, private)}


def prefix_value(x):
    def parts(tokens):
        return flops.linear(weights.active(QWEN) - weights.head(QWEN), q(tokens)) + flops.attention_prompt(QWEN, q(tokens))

    def seconds(tokens):
        return roofline.compute_time(parts(tokens), chip(peak=503.8e12), efficiency=x["eff"])

    redo, fetch = seconds(x["n"]), transfer.transfer_time(kv(x["n"]), rate(x["link"]))
    slow = 2 * fetch
    return {"TF": (parts(x["n"]), "TFLOP"), "Tr": (redo, "ms"), "Tf": (fetch, "ms"), "V": (x["p"] * (redo - fetch) - fetch, "ms"),
            "p_min": fetch / (redo - fetch), "p_min_pcie4": slow / (redo - slow), "R_2048": (seconds(2048), "ms")}


def speculation(x):
    verify, look = q(x["verify"], "ms"), q(x["look"], "ms")
    found = {}
    for name, a in zip("AB", x["a"]):
        kept = chance.kept_guesses(a, 4)
        found |= {f"n{name}": kept, f"t{name}": ((verify + look) / kept, "ms"), f"max{name}": (kept * verify - verify, "ms")}
    return found


EXPRESSIONS = {
    "c1-70b-fit": fits_70b, "c1-70b-int8": int8_70b, "c1-70b-weights": weights_70b, "c1-amdahl-team": amdahl_team, "c1-bstar": critical_batch,
    "c1-ex1-1": one_step, "c1-nic": nic, "c1-quickref": quick_reference, "c1-read1gb": read_one_gb, "c1-seek": seeks,
    "c2-ex2-1": one_layer, "c2-ex2-2": crossing, "c2-ex2-3": cumulative, "c2-ffn-share": ffn_share, "c2-fwd": passes,
    "c2-kv": kv_8b, "c2-kv-table": kv_table, "c2-qwen36": hybrid_state, "c2-v4flash-state": compressed_state,
    "c3-6nd": six_nd, "c3-broadcast": broadcast, "c3-ex3-1-demand": demand, "c3-ex3-1-queue": queue, "c3-ex3-3": full_state, "c3-ex3-4": rl_cycle,
    "c3-packing": packing, "c3-vision": picture,
    "c8-amdahl-task": amdahl_task,
    "c8-batch-read": batch_read, "c8-chunk-pairs": chunk_pairs,
    "c8-kv-cap": kv_capacity, "c8-kv-quant": kv_formats,
    "c8-lora": adapters, "c8-offload": offload,
    "c8-paging": pages, "c8-prefix": shared_prefix, "c8-prefix-value": prefix_value, "c8-spec": speculation,
}
