"""The public book's worked numbers on groups of devices and networks (its chapters 6, 7 and 9), as expressions of parts."""

from calc.catalog import ACCELERATORS, MODELS
from calc.parts import capacity, collectives, fabric, queueing, requests, roofline, speedup, state, tensors, training, transfer, weights
from calc.quantity import ceil, largest, q, smallest
from tests.reality.shapes import byte, chip, rate

QWEN, QWEN32, QWEN235, DEEPSEEK = (MODELS[id] for id in ("qwen3-8b", "qwen3-32b", "qwen3-235b-a22b", "deepseek-v3"))
H100 = ACCELERATORS["h100-sxm"]
NVLINK, NETWORK = q(450, "GB/s"), q(50, "GB/s")
NO_WAIT = q(0, "s")


def kv(tokens, model=QWEN):
    """Bytes of one sequence's state."""
    return state.held(model, q(tokens), 16)


def solve(longer, low, high):
    """The x at which `longer(x)` turns from true to false, by halving."""
    while high / low > 1 + 1e-9:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if longer(middle) else (low, middle)
    return low


# ---------------------------------------------------------------- chapter 6
def capacity_235b(x):
    held, one, work = weights.held(QWEN235, 16), kv(x["H"], QWEN235), q(x["work_GiB"], "GiB")
    card, shared = weights.on_fullest(QWEN235, 16, q(8)), state.on_fullest(QWEN235, q(x["H"]), 16, q(8))
    whole = card + shared + work
    return {"weights_GB": (held, "GB"), "kv_KiB": (state.per_token(QWEN235, 16), "KiB"), "kv_GB": (one, "GB"), "total_GB": (held + one + work, "GB"),
            "card_kv_GB": (shared, "GB"), "card_total_GB": (whole, "GB"), "server_GB": (8 * whole, "GB"),
            "max_sessions": capacity.that_fit(capacity.pool(H100.memory, 1, card, work), shared)}


def step_235b(x):
    read, old = weights.read(QWEN235, q(1), 16), kv(8192, QWEN235)
    card = read / 8 + state.on_fullest(QWEN235, q(8192), 16, q(8))
    return {"weights_GB": (read, "GB"), "one_card_ms": (roofline.memory_time(read + old, H100), "ms"), "card_GB": (card, "GB"),
            "card_ms": (roofline.memory_time(card, H100), "ms")}


def step_32b(tokens):
    """Bytes that one step of the 32B model reads at so many tokens."""
    return weights.read(QWEN32, q(1), 16) + kv(tokens, QWEN32)


def long_step(x):
    moved = step_32b(x["s"] + 1)
    return {"GB": (moved, "GB"), "ms": (roofline.memory_time(moved, H100), "ms"), "weights_GB": (weights.read(QWEN32, q(1), 16), "GB"),
            "attn_MiB": (tensors.mixer(QWEN32, "full") * weights.width(16), "MiB")}


def active_experts(x):
    touched, one = weights.touched(q(x["E"]), q(x["k"]), 8), weights.expert(QWEN235) * weights.width(16)
    return {"m8": touched, "m8_GiB": (touched * one, "GiB"), "full_GiB": (x["E"] * one, "GiB"), "concentrated_MiB": (x["k"] * one, "MiB")}


def optical(x):
    sent = collectives.wire_bytes("all-reduce", "ring", q(8, "MiB"), 8)
    one, three = (transfer.transfer_time(sent, n * rate(x["link"])) for n in x["links"])
    return {"one_us": (one, "us"), "three_us": (three, "us"), "save_us": (one - three, "us"), "n_1ms": ceil(speedup.payback(q(1, "ms"), one - three))}


def power(x):
    servers = capacity.that_fit(q(x["budget"], "kW"), q(x["server_kW"], "kW"))
    return {"servers": servers, "cards": servers * x["cards"]}


def fill_and_drain(x):
    half = q(x["t_ms"], "ms") / 2
    idle = training.bubble("gpipe", x["q"], half, half)
    return {f"eff{b}": training.busy_share(b, half, half, idle) for b in x["b"]}


def swing(x):
    return {f"{name}_us": (transfer.transfer_time(q(sum(x[name]), "MiB"), rate(x["link"])), "us") for name in ("rec", "swing")}


def torus(x):
    def exchange(hops):
        return fabric.torus_all_to_all(q(x["M_MiB"], "MiB"), hops, rate(x["port"]), 6)

    return {"torus_us": (exchange(fabric.torus_hops(x["k"])), "us"), "switch_us": (exchange(q(1)), "us"),
            "bisect4": fabric.torus_bisection(64, 4), "bisect8": fabric.torus_bisection(512, 8)}


def sum_time(n, bandwidth=NVLINK, step=0.822):
    """One small all-reduce of the 32B model over n devices."""
    return collectives.time("all-reduce", "ring", q(10, "KiB"), n, bandwidth, q(step, "us"))


def tensor_table(x):
    alone, many = q(x["local_ms"], "ms"), x["reductions"]
    sums = {n: many * sum_time(n) for n in (2, 4, 8)}
    steps = {f"ar{n}_ms": (t, "ms") for n, t in sums.items()} | {f"t{n}": (alone / n + t, "ms") for n, t in sums.items()}
    return steps | {
        "ar8_us": (sum_time(8), "us"), "save_2x_bw_us": (many * (sum_time(8) - sum_time(8, 2 * NVLINK)), "us"),
        "save_half_alpha_ms": (many * (sum_time(8) - sum_time(8, step=0.411)), "ms")}


def sixteen(x):
    local = roofline.memory_time(weights.read(QWEN32, q(1), 16) / 16 + state.on_fullest(QWEN32, q(131065), 16, q(16)), H100)
    network, eight = 128 * q(x["ar_us"], "us"), roofline.memory_time(step_32b(131065), H100) / 8 + 128 * sum_time(8)
    inside = 128 * sum_time(16)
    return {"local_ms": (local, "ms"), "t16_ms": (local + network, "ms"), "slower_ms": (local + network - eight, "ms"), "net128_ms": (network, "ms"),
            "nvl16_ms": (inside, "ms"), "nvl16_step": (local + inside, "ms")}


def tensor_cut(x):
    whole = weights.components(QWEN32)["dense_ffn"] / QWEN32.layers * weights.width(16)
    full, part = roofline.memory_time(whole, chip(bandwidth=x["bw"])), roofline.memory_time(whole / x["p"], chip(bandwidth=x["bw"]))
    return {"full_MiB": (whole, "MiB"), "part_MiB": (whole / x["p"], "MiB"), "full_us": (full, "us"), "part_us": (part, "us"),
            "saved_us": (full - part, "us"), "psum_KiB": (collectives.row_bytes(x["h"], 16), "KiB")}


def tree(x):
    def seconds(algorithm, message):
        return collectives.time("all-reduce", algorithm, message, x["n"], rate(x["bw"]), q(x["alpha_us"], "us"))

    crossing = solve(lambda m: seconds("ring", byte(m)).value > seconds("tree", byte(m)).value, 1e3, 1e9)
    return {"tree_10k_us": (seconds("tree", q(10, "KiB")), "us"), "ring_80MiB_ms": (seconds("ring", q(80, "MiB")), "ms"),
            "tree_80MiB_ms": (seconds("tree", q(80, "MiB")), "ms"), "cross_KiB": (byte(crossing), "KiB")}


# ---------------------------------------------------------------- chapter 7
def clos(x):
    k, port = x["k"], q(x["port_GBps"], "GB/s")
    two, three, over = fabric.limit(k, 2), fabric.limit(k, 3), fabric.limit(k, 2, 3)
    return {"two_tier": two, "switches2": fabric.switches(two, k, 2), "three_tier": three, "switches3": fabric.switches(three, k, 3),
            "bisect2_TBps": (fabric.bisection(two, port, k), "TB/s"), "bisect3_TBps": (fabric.bisection(three, port, k), "TB/s"),
            "over3_endpoints": over, "over3_switches": fabric.switches(over, k, 2, 3), "over3_bisect": (fabric.bisection(over, port, k, 3), "TB/s"),
            "over3_share": (fabric.share_off_leaf(over, port, k, 3), "GB/s")}


def clos_job(x):
    up = fabric.uplinks(x["cards"], 64, 3)
    return {"leaves_31": fabric.leaves(x["cards"], 64, 3), "links_31": up, "TBps_31": (up * NETWORK, "TB/s"),
            "share_31": (fabric.share_off_leaf(x["cards"], NETWORK, 64, 3), "GB/s")}


def two_servers(x):
    message, out, step, n = q(x["M_MiB"], "MiB"), rate(x["nic"]), q(x["alpha_us"], "us"), x["p"]
    each = collectives.wire_bytes("all-reduce", "ring", message, n)
    flat = collectives.time("all-reduce", "ring", message, n, out, step)

    def hierarchical(local):
        return sum(collectives.staged(message, 8, 2, local, out, 8, step, step))

    across = n * collectives.wire_bytes("all-reduce", "ring", message / 8, 2)
    crossing = 2 * each  # the one ring leaves each server once
    even = solve(lambda b: hierarchical(rate(b)).value > flat.value, 1e9, 1e12)
    return {"per_rank_MiB": (each, "MiB"), "total_MiB": (n * each, "MiB"), "ring_ms": (flat, "ms"),
            "hier_ms": (hierarchical(rate(x["nvlink"])), "ms"), "hier_cross_MiB": (across, "MiB"), "less_bytes": 1 - across / crossing,
            "less_time": 1 - hierarchical(rate(x["nvlink"])) / flat,
            "breakeven_local_GBps": (rate(even), "GB/s")}


def in_network(x):
    shard, step = q(24, "MiB"), q(0.83, "us")
    found = {f"r{n}": (collectives.time("all-reduce", "ring", shard, n, NETWORK, step), "ms") for n in x["S"]}
    return found | {"innet": (collectives.time("all-reduce", "in-network", shard, 2, NETWORK, step), "ms")}


def expert_rows(x):
    remote = x["n"] * x["k"] * x["f"] * collectives.row_bytes(x["d_B"] // 2, 16)
    times = {"one_nic_ms": NETWORK, "eight_nic_ms": 8 * NETWORK, "slot_ms": q(32, "GB/s")}
    return {"remote_MiB": (remote, "MiB")} | {key: (transfer.transfer_time(remote, b), "ms") for key, b in times.items()}


def hand_off(x):
    latency, line = q(x["alpha_us"], "us"), rate(x["bw"])
    return {"big_ms": (transfer.message_time(q(64, "MiB"), latency, line), "ms"),
            "small_us": (transfer.message_time(q(8, "KiB"), latency, line), "us"),
            "equal_B": (transfer.half_speed_piece(latency, line, 1), "B")}


def two_boxes(x):
    message, slot = q(192, "MiB"), rate(x["bw"])
    flat = collectives.time("all-reduce", "ring", message, x["p"], slot, NO_WAIT)

    def hierarchical(local):
        return sum(collectives.staged(message, 4, 2, local, slot, 1, NO_WAIT, NO_WAIT))

    even = solve(lambda b: hierarchical(rate(b)).value > flat.value, 1e9, 1e12)
    return {"ring_ms": (flat, "ms"), "hier_ms": (hierarchical(slot), "ms"), "breakeven_GBps": (rate(even), "GB/s"),
            "bridge_ms": (hierarchical(q(300, "GB/s")), "ms")}


def pipeline(x):
    half = q(x["tau"], "ms") / 2
    return {"util": training.busy_share(x["m"], half, half, training.bubble("1f1b", x["p"], half, half))}


# ---------------------------------------------------------------- chapter 9
def balance(x):
    def rows(peak, bandwidth):
        return roofline.critical_rows(roofline.ridge(chip(peak, bandwidth)), weights.width(16))

    return {"avx": rows(x["avx"], x["bw"]), "amx": rows(x["amx"], x["bw"]), "avx_remote": rows(x["avx"], x["remote"]),
            "amx_remote": rows(x["amx"], x["remote"]), "slower": rate(x["bw"]) / rate(x["remote"]) - 1}


def stages(x):
    """(prompt seconds, step, decode seconds per request) of each machine at half of its peaks."""
    found = {}
    for name in ("A100", "H20"):
        machine = chip(x[name][0] * 1e12, x[name][1] * 1e9)
        step = roofline.memory_time(weights.read(QWEN, q(1), 16) + x["batch"] * kv(x["ctx"]), machine, 0.5)
        found[name] = roofline.compute_time(requests.prefill(QWEN, q(x["inp"])), machine, efficiency=0.5), step, (x["out"] - 1) * step / x["batch"]
    return found


def split(x):
    (a_p, a_step, a_d), (h_p, h_step, h_d) = stages(x).values()
    net = rate(x["net"]) / kv(x["inp"])
    mixed = 4 / (a_p + a_d) + 4 / (h_p + h_d)
    return {"a_P_s": (a_p, "s"), "h_P_s": (h_p, "s"), "a_step_ms": (a_step, "ms"), "h_step_ms": (h_step, "ms"), "a_tok": (x["inp"] / a_p, "1/s"),
            "h_tok": (x["inp"] / h_p, "1/s"), "a_calls": (x["batch"] / a_step, "1/s"), "h_calls": (x["batch"] / h_step, "1/s"), "a_D_s": (a_d, "s"),
            "h_D_s": (h_d, "s"), "colocated": (mixed, "1/s"), "muP": (4 / a_p, "1/s"), "muD": (4 / h_d, "1/s"), "net": (net, "1/s"),
            "gain": smallest(4 / a_p, 4 / h_d, net) / mixed, "swapped": (smallest(4 / h_p, 4 / a_d), "1/s"), "homog_8": (8 / (a_p + a_d), "1/s"),
            "homog_P3": (3 / a_p, "1/s"), "homog_D5": (5 / a_d, "1/s"), "kv_end_GB": (x["batch"] * kv(x["inp"] + x["out"] - 1), "GB")}


SPLIT = {"inp": 8192, "out": 1025, "batch": 32, "ctx": 8704, "A100": [312, 2039], "H20": [148, 4096]}


def other_mix(x):
    (_, _, a_d), (_, _, h_d) = stages(SPLIT).values()
    prompt = roofline.compute_time(requests.prefill(QWEN, q(8192 - x["hit"]), q(x["hit"])), chip(312e12), efficiency=0.5)
    return {"P_hit_s": (prompt, "s"), "four_A": (4 / prompt, "1/s"), "two_A": (2 / prompt, "1/s"), "D_2A4H": (2 / a_d + 4 / h_d, "1/s")}


def experts_on_cpu(x):
    one = weights.expert(QWEN235) * weights.width(16)
    return {"expert_MiB": (one, "MiB"), "read_ms": (transfer.transfer_time(8 * one, rate(x["cpu_bw"])), "ms"),
            "move_ms": (transfer.transfer_time(8 * one, rate(x["pcie"])), "ms")}


def routes(x):
    full, hit = requests.prefill(QWEN, q(x["prefix"] + x["new"])), requests.prefill(QWEN, q(x["new"]), q(x["prefix"]))
    redo, short = (roofline.compute_time(work, chip(x["P"])) for work in (full, hit))
    busy, idle, look = (q(x[k], "ms") for k in ("A_queue_ms", "B_queue_ms", "lookup_ms"))
    up = transfer.transfer_time(kv(x["prefix"]), rate(x["pcie"]))

    def fetched(network):
        return largest(idle, look + transfer.transfer_time(kv(x["prefix"]), network) + up) + short

    return {"full_TF": (full, "TFLOP"), "recompute_ms": (redo, "ms"), "hit_TF": (hit, "TFLOP"), "hit_ms": (short, "ms"), "A": (busy + short, "ms"),
            "B_recompute": (idle + redo, "ms"), "B_50gbe": (fetched(q(50, "Gbit/s")), "ms"), "B_200gbe": (fetched(q(200, "Gbit/s")), "ms"),
            "breakeven_GBps": (kv(x["prefix"]) / (busy - look - up), "GB/s"),
            "vs_recompute_GBps": (kv(x["prefix"]) / (idle + redo - short - look - up), "GB/s")}


def stale(x):
    work = roofline.compute_time(requests.prefill(QWEN, q(256), q(8192)), chip(156e12))
    redo = roofline.compute_time(requests.prefill(QWEN, q(8448)), chip(156e12))
    hit, miss = q(80, "ms") + work, q(80, "ms") + redo
    return {"hit_ms": (hit, "ms"), "miss_ms": (miss, "ms"), "p_min": (miss - q(20, "ms") - redo) / (miss - hit),
            "mean_p90": (0.9 * hit + 0.1 * miss, "ms")}


def graph(x):
    steps = speedup.payback(q(x["Ts"], "s"), q(x["save_ms"], "ms"))
    return {"steps": steps, "tokens_M": 32 * steps / 1e6}


def handed_over(x):
    slow, fast = (rate(b) for b in x["bw"])
    small, wide = state.per_token(DEEPSEEK, 16), state.per_token(DEEPSEEK, 16, layout="expanded")
    gqa, mla = kv(x["H"]), kv(x["H"], DEEPSEEK)

    def wire(held, bandwidth):
        return transfer.transfer_time(held, bandwidth), "ms"

    offered = 16 / q(1, "s") * gqa
    return {"gqa_ms25": wire(gqa, slow), "gqa_ms50": wire(gqa, fast), "mla_B": (small, "B"), "mla_MiB": (mla, "MiB"), "mla_ms25": wire(mla, slow),
            "mla_ms50": wire(mla, fast), "expanded_MiB_tok": (wide, "MiB"), "expanded_ratio": wide / small, "vs_gqa": mla / gqa,
            "rate8_GBps": (offered / 2, "GB/s"), "rate16_GBps": (offered, "GB/s"), "gbe100_ms": wire(gqa, q(100, "Gbit/s")),
            "backlog_GBps": (queueing.excess(offered, q(100, "Gbit/s")), "GB/s")}


def migration(x):
    held, growth = 32 * kv(8704), q(x["rate"], "1/s") * state.per_token(QWEN, 16)
    fast, slow = (transfer.growing_copy(held, growth, rate(b)) for b in x["bw"])
    return {"kv_GB": (held, "GB"), "growth_GBps": (growth, "GB/s"), "t25": (fast, "s"), "t625": (slow, "s")}


def start_up(x):
    arrive = q(x["lam"], "1/s")
    backlog, start = arrive * q(x["Ts"], "s"), q(x["Ts"], "s")
    split_, mixed, small = (q(mu, "1/s") for mu in x["mu"])
    drains = [queueing.drain_time(backlog, mu, arrive) for mu in (split_, mixed)]
    return {"drain": (drains[0], "s"), "total_pd": (start + drains[0], "s"), "total_co": (start + drains[1], "s"),
            "backlog_60": backlog + queueing.excess(arrive, small) * (q(x["deadline"], "s") - start)}


EXPRESSIONS = {
    "c6-235b-cap": capacity_235b, "c6-235b-step": step_235b, "c6-32b-step": long_step, "c6-active-experts": active_experts, "c6-ocs": optical,
    "c6-power": power, "c6-pp": fill_and_drain, "c6-swing": swing, "c6-torus": torus, "c6-tp-table": tensor_table, "c6-tp16": sixteen,
    "c6-tp4": tensor_cut, "c6-tree": tree,
    "c7-clos": clos, "c7-clos-1024": clos_job, "c7-ex7-2": two_servers, "c7-innet": in_network, "c7-moe": expert_rows, "c7-msg": hand_off,
    "c7-pcie": two_boxes, "c7-pipe": pipeline,
    "c9-cpu-balance": balance, "c9-ex9-2": split, "c9-mix": other_mix, "c9-ex9-3": experts_on_cpu, "c9-ex9-6": routes, "c9-stale": stale,
    "c9-graph": graph, "c9-handoff": handed_over, "c9-migrate": migration, "c9-startup": start_up,
}
