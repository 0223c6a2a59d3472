"""The public book's worked numbers on training, platforms and places (its chapters 10, 11 and 12), as expressions of parts."""

from calc.catalog import ACCELERATORS, MODELS
from calc.parts import (
    capacity,
    collectives,
    formats,
    queueing,
    reliability,
    requests,
    roofline,
    scaling,
    speedup,
    state,
    training,
    transfer,
    transport,
    weights,
)
from calc.quantity import ceil, q
from tests.reality.shapes import byte, chip, rate

QWEN = MODELS["qwen3-8b"]
COUNT = weights.total_weights(QWEN)


# ---------------------------------------------------------------- chapter 10
def checkpoint(x):
    held, between = COUNT * byte(x["bytes_per_param"]), q(x["mtbf_h"], "h")
    save = transfer.transfer_time(held, rate(x["bw"]))
    return {"GB": (held, "GB"), "c_s": (save, "s"), "tau": (reliability.young_interval(save, between), "s"),
            "redo300": reliability.redone_share(q(300, "s"), between), "restore": reliability.restart_share(q(x["restore"], "s"), between)}


def upload(x):
    return {f"t{b}": (transfer.transfer_time(q(x["GB"], "GB"), q(b, "GB/s")), "s") for b in x["bw"]}


def compute_bound(x):
    sequence = training.PASSES * requests.everywhere(QWEN, q(8192))
    one = training.flops_per_token(QWEN, q(8192))
    whole, step, month = one * 1e11, 384 * sequence, q(30, "day")

    def cards(peak):
        return ceil(training.run_time(whole, 1, q(peak, "FLOP/s"), x["eff"]) / month)

    def seconds(many):
        return training.run_time(step, many, q(x["rtx4090"], "FLOP/s"), x["eff"])

    rate_ = 1e11 / training.run_time(whole, 1, q(x["H100"], "FLOP/s"), x["eff"])
    return {"seq": (sequence, "FLOP"), "GF_per_token": (one, "GFLOP"), "total": (whole, "FLOP"), "h100_tps": (rate_, "1/s"),
            "h100_cards": cards(x["H100"]), "rtx4090_cards": cards(x["rtx4090"]), "step_flops": (step, "FLOP"), "s32": (seconds(32), "s"),
            "s48": (seconds(48), "s"), "two_cards_days": (training.run_time(whole, 2, q(x["H100"], "FLOP/s"), x["eff"]), "day")}


def critical_batch(x):
    noise, batch, step = q(x["B_noise"]), q(x["B"]), q(x["weak_step_s"], "s")
    over = scaling.steps_at_batch(1, noise, batch)
    fewest = x["S"] / over

    def days(times):
        return scaling.steps_at_batch(fewest, noise, times * batch) * step, "day"

    return {"S_min": fewest, "E_min_B": 100 / scaling.tokens_at_batch(1, noise, batch), "ratio": batch / noise, "cap": over,
            "cap_if_20M": scaling.steps_at_batch(1, 10 * noise, batch), "weak96": days(2), "weak192": days(4), "weak384": days(8),
            "weak1536": days(32)}


def schedule(x):
    f, b, p, m = q(x["tf"], "ms"), q(x["tb"], "ms"), x["p"], x["m"]
    idle = {name: training.bubble(name, p, f, b) for name in ("gpipe", "1f1b", "zb1p", "zb2p", "dualpipe")}
    hops = 2 * (p - 1) * q(x["x"], "ms")
    return {"gpipe": (m * (f + b) + idle["gpipe"] + hops + q(x["u"], "ms"), "ms"), "util": training.busy_share(m, f, b, idle["gpipe"]),
            "bubble_1f1b": (idle["1f1b"], "ms"), "bubble_zbh1": (idle["zb1p"], "ms"), "bubble_zbh2": (idle["zb2p"], "ms"),
            "bubble_dualpipe": (idle["dualpipe"], "ms")}


def rebuilt(x):
    return {"h_MiB": (x["tokens"] * collectives.row_bytes(x["f"], 32), "MiB")}


def large_run(x):
    work = scaling.training_flops(x["N"], x["D"])
    return {name.lower(): (training.run_time(work, x["cards"], q(peak, "FLOP/s"), 0.4), "day") for name, peak in x["peak"].items()}


def adam_state(x):
    held, fp8 = training.state_bytes(x["N"], 16), formats.bits("fp8")
    return {"GB": (held, "GB"), "GiB": (held, "GiB"), "fp8_B": (fp8, "B"), "fp8_GB": (x["N"] * fp8, "GB")}


def zero_stages(x):
    def held(stage, replicas):
        return training.state_bytes(COUNT, 16, stage, replicas), "GiB"

    return {"dp": held(0, 1), "z1": held(1, 8), "z2": held(2, 8), "z3": held(3, 8), "z3_16": held(3, 16), "z3_32": held(3, 32), "z3_48": held(3, 48)}


def zero3_traffic(x):
    def sent(replicas, micro_batches):
        ring = collectives.wire_bytes("all-gather", "ring", COUNT * weights.width(16), replicas)
        return training.gradient_passes(3, micro_batches) * ring

    large, small = (sent(d, m) for d, m in zip(x["d"], x["m"]))
    link = rate(x["pcie"])
    return {"V48": (large, "GB"), "V32": (small, "GB"), "t48": (transfer.transfer_time(large, link), "s"),
            "t32": (transfer.transfer_time(small, link), "s"), "per_collective": (large / training.gradient_passes(3, x["m"][0]), "GB")}


# ---------------------------------------------------------------- chapter 11
def faster_stage(x):
    return {"tool2x": speedup.overall(0.1, 2), "model2x": speedup.overall(0.9, 2)}


def shorter_calls(x):
    task = x["rounds"] * q(6 + x["tool"], "s")
    return {"task_s": (task, "s"), "calls": queueing.present(x["rate"] / q(1, "s"), x["rounds"] * q(6, "s"))}


def platform(x):
    arrive = x["rate"] / q(1, "s")

    def busy(seconds, each=1):
        return queueing.present(arrive, x["rounds"] * q(seconds, "s")) * each

    slow = x["model_s"] + 3
    return {"cpu_util": busy(x["tool_s"]) / x["cores"], "call_util": busy(x["model_s"]) / x["slots"],
            "mem_util": busy(x["model_s"] + x["tool_s"], x["env_GiB"]) / x["mem_GiB"], "slow_calls": busy(slow),
            "slow_mem": busy(slow + x["tool_s"], x["env_GiB"])}


# ---------------------------------------------------------------- chapter 12
def screenshot_round(x):
    sent = transfer.message_time(q(x["img_MB"], "MB"), q(x["rtt"], "s"), q(x["up"], "Mbit/s"))
    return {"round": (sent + q(x["local"] + x["model"], "s"), "s")}


def phone_joules(x):
    low, high = (q(e / 1000, "Wh") for e in x["mWh"])
    return {"lo_J": (low, "J"), "hi_J": (high, "J"), "W": (low * x["tps"] / q(1, "s"), "W")}


def features(x):
    up, work = q(x["up"], "bit/s"), q(1.31, "TFLOP")
    return {"feat_s": (transfer.transfer_time(byte(x["feat"]), up), "s"), "img_s": (transfer.transfer_time(byte(x["img"]), up), "s"),
            "enc_4090_ms": (roofline.compute_time(work, ACCELERATORS["rtx-4090"]), "ms"),
            "enc_h100_ms": (roofline.compute_time(work, ACCELERATORS["h100-sxm"]), "ms"),
            "dc_gap_ms": (transfer.transfer_time(byte(x["feat"] - x["img"]), q(400, "Gbit/s")), "ms")}


def fibre(x):
    return {"rtt_ms": (2 * transport.propagation(q(x["km"], "km"), q(x["v"], "m/s")), "ms")}


def picture_there_and_back(x):
    def whole(up=x["up_Mbps"], compute=x["compute"]):
        there = transfer.message_time(q(30, "MB"), q(x["rtt"], "s"), q(up, "Mbit/s"))
        return there + q(compute, "s") + transfer.transfer_time(q(5, "MB"), q(x["down_Mbps"], "Mbit/s")), "s"

    return {"total": whole(), "x10_compute": whole(compute=x["compute"] / 10), "up100": whole(up=100)}


def migration(x):
    moved = transfer.message_time(q(x["state_MiB"], "MiB"), q(x["restore"], "s"), q(x["link"], "bit/s"))
    gain = q(x["gain"], "s")
    return {"M_s": (moved, "s"), "rounds": ceil(speedup.payback(moved, gain)), "rounds_2s": ceil(speedup.payback(moved + q(1, "s"), gain))} | {
        f"g{n}": (n * gain - moved, "s") for n in (10, 20, 40)}


def phone(x):
    line = x["channels"] * x["bits"] * q(x["Gbps"], "Gbit/s")
    machine, read, old = chip(bandwidth=line.value), q(x["W_GB"], "GB"), q(x["KV_GB"], "GB")
    small = read * formats.bits("q4_0") / weights.width(16)
    times = {name: roofline.memory_time(moved, machine) for name, moved in (("w", read), ("all", read + old), ("q4", small + old))}
    return {"bw_GBps": (line, "GB/s"), "w_s": (times["w"], "s"), "w_tps": (1 / times["w"], "1/s"), "all_s": (times["all"], "s"),
            "all_tps": (1 / times["all"], "1/s"), "q4_GB": (small, "GB"), "q4_all_GB": (small + old, "GB"), "q4_ms": (times["q4"], "ms"),
            "q4_tps": (1 / times["q4"], "1/s")}


def phone_memory(x):
    found = {"q4_weights": (COUNT * formats.bits("q4_0"), "GB"), "q8_weights": (COUNT * formats.bits("q8_0"), "GB")}
    for size in (12, 16, 24):
        room = capacity.pool(q(size, "GB"), 1, q(4.61, "GB"), q(x["reserve"], "GB"))
        found |= {f"g{size}": (room, "GB"), f"n{size}": capacity.that_fit(room, q(x["kv_8k"], "GB")),
                  f"tok{size}": capacity.that_fit(room, state.per_token(QWEN, 16))}
    return found | {"q8_left16": (capacity.pool(q(16, "GB"), 1, q(8.7, "GB"), q(x["reserve"], "GB")), "GB")}


def rounds_left(x):
    def whole(up):
        return q(x["base"], "s") + 20 * transfer.transfer_time(q(x["Mb_per_round"], "Mbit"), q(up, "Mbit/s")), "s"

    return {"u64": whole(6.4), "u8": whole(8), "u4": whole(4), "u35": whole(3.5)}


def retries(x):
    return {f"p{round(100 * p)}": speedup.per_success(q(1), p) for p in x["p"]}


EXPRESSIONS = {
    "c10-ckpt": checkpoint, "c10-ckpt-upload": upload, "c10-compute": compute_bound, "c10-critical": critical_batch, "c10-pipe": schedule,
    "c10-recompute": rebuilt, "c10-scale": large_run, "c10-state": adam_state, "c10-zero": zero_stages, "c10-zero3-comm": zero3_traffic,
    "c11-amdahl": faster_stage, "c11-design": shorter_calls, "c11-ex11-1": platform,
    "c12-agent": screenshot_round, "c12-energy": phone_joules, "c12-features": features, "c12-fiber": fibre, "c12-image": picture_there_and_back,
    "c12-migrate": migration, "c12-phone": phone, "c12-phone-cap": phone_memory, "c12-placement": rounds_left, "c12-retry": retries,
}
