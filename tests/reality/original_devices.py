"""The public book's worked numbers on devices and operators (its chapters 4 and 5), as expressions of parts."""

from calc.catalog import ACCELERATORS, MODELS
from calc.parts import capacity, energy, requests, roofline, speedup, state, transfer, weights
from calc.quantity import ceil, floor, largest, q
from tests.reality.shapes import byte, chip, flop, rate

QWEN = MODELS["qwen3-8b"]


def kv(tokens):
    """Bytes of one sequence's state."""
    return state.held(QWEN, q(tokens), 16)


def budget(x):
    def held(sequences):
        return weights.held(QWEN, 16) + sequences * kv(8192) + q(x["work_GiB"], "GiB")

    read = weights.read(QWEN, q(1), 16) + kv(8192)
    names = {"tps_4090": "rtx-4090", "tps_5090": "rtx-5090", "tps_m3u": "m3-ultra"}
    return {"one_GB": (held(1), "GB"), "eight_GB": (held(8), "GB")} | {
        key: (1 / roofline.memory_time(read, ACCELERATORS[id]), "1/s") for key, id in names.items()}


def amdahl(x):
    whole = x["matrix_us"] + x["other_us"]
    return {"speedup": speedup.overall(x["matrix_us"] / whole, 2)}


def room(x):
    free = capacity.pool(byte(x["C"]), 1, byte(x["W"]), q(x["work_GiB"], "GiB"))
    return {"free_GB": (free, "GB"), "B_8k": capacity.that_fit(free, kv(8192)), "B_16k": capacity.that_fit(free, kv(16384)),
            "four_GB": (4 * kv(8192), "GB"), "five_GB": (5 * kv(8192), "GB")}


def decode_bound(x):
    read = weights.read(QWEN, q(1), 16) + kv(8192)
    return {key: (roofline.memory_time(read, chip(bandwidth=b * 1e9)), "ms") for key, b in x["bw_GBps"].items() if key != "rtx3090"}


def prefill_bound(x):
    work = requests.prefill(QWEN, q(x["P"]))
    found = {key: (roofline.compute_time(work, chip(peak=p * 1e12)), "ms") for key, p in x["TFLOPs"].items()}
    return found | {"TFLOPs": (work, "TFLOP"), "h200_sxm": found["h100_sxm"]}


def double_buffer(x):
    def whole(load, compute):
        return transfer.double_buffered(x["n"], q(load, "us"), q(compute, "us"))

    return {"pipelined": (whole(x["tl"], x["tc"]), "us"), "compute_x2": (whole(x["tl"], x["tc"] / 2), "us")}


def joules(x):
    read, old, work = q(x["weights_GB"], "GB"), q(x["kv_GB"], "GB"), q(x["GFLOPs"], "GFLOP")
    per_byte, per_flop = q(x["hbm_pJ_per_B"], "pJ/B"), q(x["pJ_per_FLOP"], "pJ/FLOP")
    parts = [energy.moving(read, per_byte), energy.moving(old, per_byte), energy.arithmetic(work, per_flop)]
    step, time = sum(parts), roofline.memory_time(read + old, ACCELERATORS["h100-sxm"])
    batch = energy.moving(read, per_byte) + 32 * (parts[1] + parts[2])
    near = {"sram_KB_J": 1.25, "sram_MB_J": 12.5, "c2c_J": 10.4, "hbm_J": 31.76, "lpddr_J": 160}
    return {"weights_J": (parts[0], "J"), "kv_J": (parts[1], "J"), "compute_J": (parts[2], "J"), "total_J": (step, "J"),
            "weights_share": parts[0] / step, "step_ms_H100": (time, "ms"), "mean_W": (step / time, "W"), "per_token_B32": (batch / 32, "J")} | {
                key: (energy.moving(read + old, q(pj, "pJ/B")), "J") for key, pj in near.items()}


def tile(x):
    work = 2 * roofline.matmul_flop(128, 128, 128)
    return {"MFLOPs": (work, "MFLOP"), "matrix": work / flop(x["flops_per_cycle"])}


def loads(x):
    latency, size, slow, fast = q(x["lat_ns"], "ns"), byte(x["txn_B"]), rate(x["bw4090"]), rate(x["bw5090"])

    def needed(bandwidth, latency=latency):
        return ceil(roofline.in_flight(bandwidth, latency) / size)

    def reached(bandwidth, many):
        return roofline.reached_bandwidth(bandwidth, many * size, latency)

    few, many = x["N"]
    return {"need_4090": needed(slow), "need_5090": needed(fast), "need_5090_800ns": needed(fast, q(800, "ns")),
            "bw128_GBps": (reached(slow, few), "GB/s"), "ms_128": (kv(8192) / reached(slow, few), "ms"),
            "ms_4096": (kv(8192) / reached(slow, many), "ms"), "bw5090_TBps": (reached(fast, many), "TB/s"),
            "ms_5090": (kv(8192) / reached(fast, many), "ms")}


def payback(x):
    tokens = speedup.payback(q(x["fixed"], "$"), q(x["save_per_M"], "$") / 1e6)
    life = x["life_years"] * q(1, "year")
    output = x["machines"] * x["tps"] * x["util"] / q(1, "s") * life
    one = output / x["machines"]
    return {"tokens": tokens, "year_output": output, "share": output / tokens, "machines": ceil(tokens / one), "half_life": ceil(tokens / (one / 2)),
            "years": tokens / output * x["life_years"], "saving_M": output / tokens * x["fixed"] / 1e6}


def power_cap(x):
    memory = energy.moving(rate(x["bw"]), q(x["pJ_B"], "pJ/B"))
    left = energy.left_for_arithmetic(q(x["tdp_W"], "W"), memory, q(0, "W"))
    budget = energy.budget_per_flop(left, q(x["peak"], "FLOP/s"))
    return {"mem_W": (memory, "W"), "left_W": (left, "W"), "pJ_per_FLOP": (budget, "pJ/FLOP"),
            "ratio_const_v": energy.clock_share(budget, 1.5 * budget, "fixed"), "ratio_scaled_v": energy.clock_share(budget, 1.5 * budget)}


def measured(x):
    return {"b64_bound_ms": (roofline.memory_time(q(x["b64_GB"], "GB"), ACCELERATORS["rtx-pro-6000-ws"]), "ms")}


def projection(x):
    def product(rows):
        return roofline.matmul_flop(rows, x["K"], x["N"]), roofline.matmul_bytes(rows, x["K"], x["N"], byte(x["b"]))

    (one, one_bytes), (many, many_bytes) = product(1), product(256)
    huge = product(1e9)
    return {"m1_MFLOPs": (one, "MFLOP"), "m256_GFLOPs": (many, "GFLOP"), "m256_MiB": (many_bytes, "MiB"), "m1_I": (one / one_bytes, "FLOP/B"),
            "m256_I": (many / many_bytes, "FLOP/B"), "limit_I": (huge[0] / huge[1], "FLOP/B")}


def projection_times(x):
    machine = chip(x["P"], x["bw"])

    def times(rows):
        return (roofline.compute_time(roofline.matmul_flop(rows, x["d"], x["d"]), machine),
                roofline.memory_time(roofline.matmul_bytes(rows, x["d"], x["d"], byte(2)), machine))

    low, high = 1.0, 4096.0
    while high - low > 1e-6:  # the rows at which both times are equal
        middle = (low + high) / 2
        compute, memory = times(middle)
        low, high = (middle, high) if compute.value < memory.value else (low, middle)
    (one_c, one_m), (many_c, many_m) = times(1), times(256)
    return {"m1_c_us": (one_c, "us"), "m1_m_us": (one_m, "us"), "m256_c_us": (many_c, "us"), "m256_m_us": (many_m, "us"),
            "I_star": (roofline.ridge(machine), "FLOP/B"), "M_star": q(low), "first_int": ceil(q(low))}


def slots(x):
    wait = x["ready_after"] - x["transfer"]
    return {f"s{n}": (transfer.buffered(x["blocks"], q(x["transfer"], "s"), q(x["compute"], "s"), n, q(wait, "s")), "s") for n in (1, 2, 3, 4)}


def serial(x):
    before, kernel, faster = 3 + 8 + 20 + 4, 20, 4
    gain = speedup.overall(kernel / before, faster)
    return {"before": q(before), "after": before / gain, "speedup": gain}


def tiles(x):
    m, k, n, depth = 1024, 4096, 12288, 32
    found, room = {}, byte(101376)
    for side in x["tiles"]:
        buffer = roofline.matmul_bytes(side, depth, side, byte(2), byte(4))
        traffic = m / side * (n / side) * roofline.matmul_bytes(side, k, side, byte(2))
        found |= {f"s{side}": (buffer, "KiB"), f"v{side}": (traffic, "MiB"), f"i{side}": (roofline.matmul_flop(m, k, n) / traffic, "FLOP/B"),
                  f"resident{side}": floor(room / buffer)}
    found.pop("resident32")
    return found


def two_slots(x):
    load, compute = q(x["tm"], "us"), q(x["tc"], "us")
    one_by_one, piped = transfer.buffered(x["n"], load, compute, 1), transfer.double_buffered(x["n"], load, compute)
    return {"serial": (one_by_one, "us"), "piped": (piped, "us"), "saved": 1 - piped / one_by_one}


def product(x):
    return {"GFLOPs": (roofline.matmul_flop(x["M"], x["K"], x["N"]), "GFLOP"),
            "MiB": (roofline.matmul_bytes(x["M"], x["K"], x["N"], byte(x["b"])), "MiB")}


def in_flight(x):
    def need(latency):
        return roofline.in_flight(rate(x["bw"]), q(latency, "ns")) / x["SMs"]

    have = x["warps"] * x["loads"] * byte(x["load_B"])
    half = have / 2
    return {"need_KB": (need(x["lat_ns"]), "kB"), "have_KiB": (have, "KiB"), "ratio": have / need(x["lat_ns"]), "need_1000ns_KB": (need(1000), "kB"),
            "have_2loads_KiB": (half, "KiB"), "cover": half / need(1000), "warps_needed": ceil(need(1000) / (have / x["warps"] / 2))}


def pipeline(x):
    machine = ACCELERATORS["h100-sxm"]
    units = machine.compute_units
    copy, compute = roofline.memory_time(byte(x["bytes"]) * units, machine), roofline.compute_time(flop(x["flops"]) * units, machine)
    assert largest(copy, compute).value == copy.value
    return {"copy_us": (copy, "us"), "compute_us": (compute, "us"), "intensity": (flop(x["flops"]) / byte(x["bytes"]), "FLOP/B"),
            "balance": (roofline.ridge(machine), "FLOP/B")}


EXPRESSIONS = {
    "c4-8b-budget": budget, "c4-amdahl": amdahl, "c4-capacity": room, "c4-devices-decode": decode_bound, "c4-devices-prefill": prefill_bound,
    "c4-doublebuf": double_buffer, "c4-energy": joules, "c4-ex4-1": tile, "c4-ex4-2": loads, "c4-ex4-3": payback, "c4-powercap": power_cap,
    "c4-predict-measure": measured, "c4-qproj": projection, "c4-roofline": projection_times, "c4-slots": slots,
    "c5-ex5-2": serial, "c5-ex5-3": tiles, "c5-ex5-5": two_slots, "c5-gemm": product, "c5-little-sm": in_flight, "c5-sm-pipeline": pipeline,
}
