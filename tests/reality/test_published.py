"""Worked answers that other books and tools published, through the parts: an id, the inputs it prints, an expression."""

import json
import pathlib

import pytest

from calc.catalog import MODELS
from calc.parts import capacity, chance, collectives, cost, fabric, flops, formats, roofline, scaling, state, training, transfer, weights
from calc.quantity import ceil, largest, q, total
from tests.reality.shapes import byte, chip, dense, flop, mixed, rate

ROWS = {row["id"]: row for row in json.loads((pathlib.Path(__file__).parents[1] / "cases" / "published.json").read_text())["cases"]}
MANY = 1e12  # devices: the limit in which (n - 1)/n is 1
# Words that published.json uses for a unit, and what they are here.
UNITS = {"tokens": "", "dim": "", "ways": "", "x": "", "frac": "", "ratio": "", "params": "", "chips": "", "seqs": "", "GPUs": "", "years": "year",
         "days": "day", "GPU-h": "h", "B/param": "B"}


def same(width, ffn, layers=1, **more):
    """A dense model with as many key/value heads as query heads, of width 128 each."""
    return dense(layers, width, width // 128, width // 128, 128, ffn, **more)


def cache(x, kv="kv", d="d", layers="L"):
    """State of one sequence, 2·L·n_kv·d·b per token, of the printed shape."""
    return state.held(dense(x[layers], 4096, 32, x[kv], x[d], 1), q(x["S"]), 8 * x["b"])


def decode_bound(x):
    """Weights and one sequence's keys and values, read once."""
    model = same(x["h"], 1, x["L"])
    return roofline.memory_time(x["N"] * weights.width(16) + state.held(model, q(x["ctx"]), 16), chip(bandwidth=x["bw"]))


def batch_bound(x):
    """Weights once and every sequence's keys and values, at a printed bandwidth."""
    return roofline.memory_time(byte(x["W"]) + x["B"] * byte(x["kv"]), chip(bandwidth=x["bw"]))


def prefill_bound(x):
    """Multiplications and the whole square of attention, at a printed peak."""
    model = same(x["h"], 1, x["L"])
    return roofline.compute_time(flops.linear(x["N_no_embed"], q(x["S"])) + flops.square(model, q(x["S"])), chip(peak=x["peak"]))


def days(x, chips="chips"):
    """Seconds of a training run at a printed utilisation."""
    return training.run_time(flop(x["flops"]), x.get(chips, 1), q(x["peak"], "FLOP/s"), x.get("mfu", 1))


def tokens_to_hide(compute, network, replicas=MANY):
    """Tokens per device at which a backward pass takes as long as the gradients' ring."""
    ring = collectives.wire_bytes("all-reduce", "ring", byte(2), replicas) / rate(network)
    return training.tokens_to_hide(ring, 1, q(compute, "FLOP/s"))


def tensor_ways(x, ratio):
    """Cuts at which exchanging activations takes as long as what is cut: F·axes/ratio, both by a matrix of width F."""
    rows, width = 64, 1024
    math = roofline.compute_time(2 * roofline.matmul_flop(rows, width, x["F"]), chip(peak=ratio))
    return math / collectives.bidirectional_all_gather(byte(2 * 2 * rows * width), rate(1), x.get("axes", 1))


def decode_ways(x):
    """Cuts at which exchanging a decode batch's activations takes as long as reading the weights that are left."""
    width = 1024
    read = roofline.memory_time(width * x["F"] * weights.width(16), chip(bandwidth=float(x["beta"])))
    return read / collectives.bidirectional_all_gather(x["B"] * collectives.row_bytes(width, 16), rate(1))


def adam(x, grads=(16,)):
    """GB of N billion weights, their optimizer and the gradients that are kept."""
    extra = [training.gradient_bytes(x["N"] * 1e9, bits) for bits in grads[1:]]
    return total([training.state_bytes(x["N"] * 1e9, grads[0]), *extra])


def ring_all_gather(x):
    """A bandwidth-bound all-gather."""
    return collectives.time("all-gather", "ring", byte(x["bytes"]), x["N"], rate(x["w"]), q(0, "s"))


def ratio_all_to_all(x):
    """All-to-all over all-gather on one ring that sends both ways."""
    exchange = fabric.torus_all_to_all(byte(1) / x["D"], fabric.torus_hops(x["D"]) / 3, rate(1), 2)
    return exchange / (collectives.wire_bytes("all-gather", "ring", byte(1), x["D"]) / (2 * rate(1)))


def mixed_state(x):
    """State of a model with global layers of one shape and windowed layers of another."""
    kinds = {"global": x["Lg"]} | ({"sliding": x["Ll"]} if x["Ll"] else {})
    model = mixed(kinds, x["kvl"] or 1, x["dl"] or 1, x["kvg"], x["dg"], x["w"] or 1)
    return state.held(model, q(x["S"]), 8 * x["b"])


def recomputed_gpt(x):
    """A forward pass more than training's three, attention over the whole square."""
    model = dense(x["L"], x["h"], 96, 96, 128, 4 * x["h"], gated=False)
    matrices = weights.components(model)["attention"] + weights.components(model)["dense_ffn"]
    one = flops.linear(matrices, 1) + flops.square(model, q(x["s"])) / x["s"]
    return (training.PASSES + 1) * one * x["T"]


def llama_hours(x):
    """6·N and three passes of the whole square of attention."""
    model = same(x["h"], 1, x["L"])
    work = scaling.training_flops(x["N"], x["tokens"]) + training.PASSES * flops.square(model, q(x["s"])) / x["s"] * x["tokens"]
    return training.run_time(work, 1, q(x["peak"], "FLOP/s"), x["eff"])


def component_share(x):
    """Attention's share of a gated layer."""
    found = weights.components(same(x["D"], x["F"]))
    return found["attention"] / (found["attention"] + found["dense_ffn"])


def attention_equals_matrices(x):
    """Tokens at which the whole square of attention equals a layer's matrices."""
    model = same(x["D"], 4 * x["D"])
    matrices = weights.components(model)["attention"] + weights.components(model)["dense_ffn"]
    return flops.linear(matrices, 1) / flops.square(model, q(1))


EXPRESSIONS = {
    "P002": lambda x: roofline.compute_time(flop(x["flops"]), chip(peak=x["peak"])),
    "P003": lambda x: roofline.ridge(chip(x["peak"], x["hbm"])),
    "P004": lambda x: roofline.matmul_flop(1, x["N"], 1) / roofline.matmul_bytes(1, x["N"], 1, byte(2)),
    "P005": lambda x: 2 * roofline.ridge(chip(x["peak"], x["link"])) / q(1, "FLOP/B"),
    "P006": lambda x: roofline.critical_rows(roofline.ridge(chip(x["peak_int8"], x["hbm"]), "int8"), weights.width(8)),
    "P007": lambda x: roofline.critical_rows(roofline.ridge(chip(x["peak"], x["hbm"])), weights.width(8 * x["wbytes"])),
    "P008": lambda x: roofline.matmul_flop(1, x["D"], x["F"]) / roofline.matmul_bytes(1, x["D"], x["F"], byte(1), byte(1)),
    "P009": lambda x: roofline.critical_rows(roofline.ridge(chip(x["peak"], x["hbm"])), weights.width(16)),
    "P010": lambda x: roofline.memory_time(x["params"] * weights.width(16), chip(bandwidth=x["chips"] * x["hbm"])),
    "P012": lambda x: x["chips"] * roofline.peak(chip(x["peak"])),
    "P014": lambda x: x["chips"] * capacity.usable(chip(memory=x["hbm_gb"] * 1e9)),
    "P018": lambda x: roofline.critical_rows(roofline.ridge(chip(x["peak_int8"], x["bw"]), "int8"), weights.width(8)),
    "P019": lambda x: transfer.message_time(byte(x["bytes"]), q(x["hop_s"], "s"), rate(x["ports"] * x["link"]), q(x["hops"])),
    "P020": lambda x: transfer.message_time(byte(0), q(x["hop_s"], "s"), rate(1), q(x["hops"])),
    "P022": lambda x: collectives.bidirectional_all_gather(byte(x["bytes"]), rate(x["link"]), x["axes"]),
    "P026": lambda x: x["replicas"] * x["r"] * collectives.row_bytes(x["c"], 8),
    "P027": lambda x: collectives.bidirectional_all_gather(byte(x["bytes"]), rate(x["w"])),
    "P030": lambda x: transfer.half_speed_piece(q(x["alpha"], "s"), rate(x["link"]), 1),
    "P033": lambda x: collectives.bidirectional_all_gather(x["B"] * collectives.row_bytes(x["D"], 16), rate(x["w"]), x["axes"]),
    "P037": ratio_all_to_all,
    "P038": lambda x: weights.total_weights(same(x["D"], x["F"], x["L"], vocab=x["V"])),
    "P039": component_share,
    "P040": lambda x: state.per_token(dense(x["L"], 4096, 32, 1, x["NH"], 1), 8 * x["bytes"]),
    "P041": lambda x: state.held(dense(x["L"], 4096, 32, 1, x["KH"], 1), q(x["S"]), 8),
    "P044": attention_equals_matrices,
    "P046": lambda x: training.utilization(scaling.training_flops(x["active"], x["tokens"]), q(x["gpu_h"], "h"), 1, q(x["peak"], "FLOP/s")),
    "P052": days, "P055": days, "P066": days, "P067": days, "P142": lambda x: days(x, "gpus"),
    "P054": lambda x: tokens_to_hide(x["C_pod"], x["W"]),
    "P056": lambda x: weights.total_weights(same(x["D"], round(x["m"] * x["D"]), x["L"], vocab=x["V"])),
    "P060": lambda x: x["chips"] * capacity.usable(chip(memory=x["hbm"] * 1e9)),
    "P065": lambda x: scaling.training_flops(x["N"], 1),
    "P069": lambda x: training.activations(x["n"] * training.layer_input(x["D"]), x["L"], x["tok"]),
    "P070": lambda x: ceil(byte(x["bytes"]) / capacity.usable(chip(memory=x["hbm"]))),
    "P077": lambda x: roofline.memory_time(x["B"] * byte(x["kv"]), chip(bandwidth=x["chips"] * x["bw"])) + largest(
        roofline.compute_time(flops.linear(x["N"], q(x["B"])), chip(peak=x["chips"] * x["peak"])),
        roofline.memory_time(byte(x["W"]), chip(bandwidth=x["chips"] * x["bw"]))),
    "P078": lambda x: state.held(dense(x["L"], 5120, x["K"], x["K"], x["H"], 1), q(x["T"]), 8 * x["b"]),
    **dict.fromkeys(("P079", "P080", "P082", "P083", "P085", "P086", "P087", "P088", "P089"), batch_bound),
    "P090": decode_ways, "P110": decode_ways,
    "P091": lambda x: weights.total_weights(dense(x["L"], x["D"], x["N"], x["K"], x["H"], x["F"], x["V"], tied=True)),
    "P093": lambda x: state.per_token(MODELS["llama-3.1-70b"], 8),
    "P099": lambda x: tensor_ways(x, float(x["a"])), "P138": lambda x: tensor_ways(x, float(x["a"])),
    "P100": lambda x: capacity.pool(q(x["chips"] * x["hbm"], "GB"), 1, q(x["W"], "GB")),
    "P102": lambda x: capacity.that_fit(byte(x["left"]), byte(x["per"] * x["S"])),
    "P105": lambda x: roofline.memory_time(byte(x["hbm"]), chip(bandwidth=x["bw"])),
    "P109": lambda x: roofline.memory_time(x["D"] * x["F"] * weights.width(16) / x["Y"], chip(bandwidth=x["bw"])),
    "P111": lambda x: roofline.compute_time(flops.linear(x["N"], q(x["S"])), chip(peak=x["chips"] * x["peak"]), efficiency=x["mfu"]),
    "P114": lambda x: flop(1) / cost.machine_time(q(x["usd_h"], "$/h"), roofline.compute_time(flop(1), chip(peak=x["peak"]))),
    "P118": lambda x: roofline.ridge(chip(x["peak"], x["bw"])),
    "P119": lambda x: roofline.memory_time(roofline.matmul_bytes(x["B"], x["D"], x["F"], byte(2)), chip(bandwidth=x["bw"])),
    "P120": lambda x: roofline.compute_time(roofline.matmul_flop(x["B"], x["D"], x["F"]), chip(peak=x["peak"])),
    "P122": lambda x: q(x["flops"], "FLOP/s") / roofline.peak_of_parts(x["cores"], 1, q(1)),
    "P124": lambda x: roofline.memory_time(3 * x["N"] * weights.width(32), chip(bandwidth=x["bw"])),
    "P125": lambda x: x["gpus"] * rate(x["bw"]),
    "P126": ring_all_gather, "P127": ring_all_gather,
    "P130": lambda x: byte(1) / (collectives.wire_bytes("all-gather", "ring", byte(1), x["D"]) / rate(x["w"])),
    "P131": lambda x: x["links"] * q(x["gbps"], "Gbit/s"),
    "P133": lambda x: tokens_to_hide(x["C"], x["W"]), "P140": lambda x: tokens_to_hide(x["C"], x["W"]),
    "P135": lambda x: tokens_to_hide(x["C"], x["W"]) * x["gpus"],
    "P136": lambda x: tokens_to_hide(x["a"], 1.0) * x["E"] / x["k"],
    "P137": lambda x: tokens_to_hide(x["a"], 1.0, x["X"]),
    "P141": lambda x: ceil((training.parameter_bytes(x["N"]) + training.optimizer_bytes(x["N"], per_weight=byte(training.MOMENT_BYTES)))
                           / capacity.usable(chip(memory=x["hbm"]))),
    "P146": lambda x: x["trays"] * x["gpu"] * q(x["gbps"], "Gbit/s"),
    "P147": lambda x: collectives.off_node_copies(x["Z"], chance.any_of(x["k"], 1 / x["Z"])),
    "P148": adam, "P150": adam, "P154": adam,
    **dict.fromkeys(("P149", "P151", "P155"), lambda x: adam(x, (16, 32))),
    "P156": lambda x: x["N"] * weights.width(8 * x["b"]), "P222": lambda x: x["N"] * weights.width(8 * x["b"]),
    "P157": lambda x: training.score_bytes_per_token(x["a"], x["s"]) / training.gpt_activation_per_token(x["h"], x["a"], x["s"]),
    "P159": lambda x: training.state_bytes(1, 16) / training.state_bytes(1, 16, 2, x["dp"]),
    "P160": lambda x: training.bubble("1f1b", x["p"], q(1), q(2)) / (x["m"] * q(3)),
    "P161": lambda x: adam({"N": 1e-9}, (16, 32)),
    "P163": lambda x: training.parameter_bytes(1, per_weight=byte(4)) + training.gradient_bytes(1, 32) + training.optimizer_bytes(
        1, per_weight=byte(training.MOMENT_BYTES)),
    "P167": lambda x: (collectives.wire_bytes("all-reduce", "ring", x["params"] * byte(x["gbytes"]), x["dp"]) / rate(x["bw"])) / (
        roofline.compute_time(2 * flops.linear(x["params"], q(x["tokens"])), chip(peak=x["peak"]))),
    "P168": decode_bound, "P169": decode_bound, "P170": decode_bound, "P177": decode_bound, "P171": prefill_bound, "P172": prefill_bound,
    "P175": llama_hours,
    "P179": lambda x: x["s"] * training.layer_input(x["h"]),
    "P182": lambda x: training.activations(q(x["per"], "GiB"), x["L"], 1),
    "P183": lambda x: training.state_bytes(1, 32),
    "P184": lambda x: state.per_token(MODELS["llama-3.1-8b"], 16),
    "P185": lambda x: 128 * state.held(MODELS["llama-3.1-8b"], q(1024), 16),
    "P186": lambda x: formats.bits("mxfp4"),
    "P191": lambda x: weights.expert(MODELS["deepseek-v3"]) * weights.width(8),
    "P192": lambda x: x["L"] * x["act"] * flops.linear(weights.expert(MODELS["deepseek-v3"]), 1),
    "P193": lambda x: state.constant(MODELS["qwen3-next-80b-a3b"]),
    "P194": lambda x: state.per_token(MODELS["qwen3-next-80b-a3b"], 16) * x["S"],
    "P203": recomputed_gpt,
    "P204": lambda x: training.activations(training.gpt_activation_per_token(x["h"], 1, x["s"], core=False), x["L"], x["s"] * x["b"]),
    "P205": lambda x: state.held(dense(x["L"], x["h"], 32, round(32 * x["ratio"]), x["h"] // 32, 1), q(x["S"]), 8 * x["b"]),
    "P208": lambda x: state.held(MODELS["kimi-k2"], q(x["S"]), 16),
    "P210": lambda x: state.held(MODELS["gemma-3-27b"], q(x["S"]), 16),
    "P212": lambda x: state.held(MODELS["qwen3-0.6b"], q(x["S"]), 16),
    "P216": lambda x: state.per_token(MODELS["deepseek-v3"], 16),
    "P217": lambda x: state.held(MODELS["llama-3.1-70b"], q(x["S"]), 16),
    "P218": mixed_state, "P219": mixed_state, "P220": mixed_state, "P221": mixed_state,
    "P223": lambda x: x["B"] * cache(x),
    "P224": lambda x: roofline.memory_time(byte(x["W"] + x["kv"]), chip(bandwidth=x["bw"])) + q(x["tax"], "s"),
    "P227": lambda x: state.held(same(x["h"], 1, x["L"]), q(x["S"]), 8 * x["b"]),
}
NOT_COVERED = {
    "P031": "a product of two printed counts, in a notation for sharded arrays that no page uses",
    "P036": "twice a printed ratio: the choice between two sharding strategies that no page compares",
    "P051": "a quotient of two printed numbers",
    "P071": "rescales a printed number of days; the printed divisor is a slip that the book corrected later",
    "P072": "a quotient of two printed numbers",
    "P074": "a threshold of mixed weight and tensor sharding, which no page derives",
    "P096": "a sum of printed, rounded numbers; the unrounded state is 2.4 % larger",
    "P112": "one product of printed numbers, tokens that end per step; state per step is chapter 3's estimator",
    "P113": "a ratio of two printed times",
    "P145": "a quotient of printed counts",
    "P158": "the page's approximation s/(6h); counting the recomputed products gives a third of it",
    "P164": "adds up widths of a recipe that no page lists",
    "P165": "adds up widths of a recipe that no page lists",
    "P166": "adds up widths of a recipe that no page lists",
    "P196": "the output of another simulator, which two of its versions disagree on",
    "P198": "a measurement of a whole engine; the bounds of the book stay below it by construction",
    "P201": "a product of two printed numbers",
    "P228": "a measurement of a whole engine, published beside another tool's estimate",
    "P229": "a measurement of a whole engine, published beside another tool's estimate",
    "P230": "a measurement of a whole engine, published beside another tool's estimate",
}


def in_unit(x, unit):
    """The bare number that a row compares: in its unit, or FLOP per second per dollar per hour from FLOP per dollar."""
    if unit == "FLOP/s per $/h":
        return x.to("FLOP/$") / 3600
    return x.to(UNITS.get(unit, unit))


@pytest.mark.parametrize("id", EXPRESSIONS)
def test_published_answer(id):
    """The parts give the published answer (or the corrected one, where the row says that the print is wrong) within its tolerance."""
    row = ROWS[id]
    found = in_unit(q(EXPRESSIONS[id](row["inputs"])), row["unit"])
    assert found == pytest.approx(row["use_value"], rel=max(row["tolerance"], 1e-9)), row["title"]


WRONG_IN_PRINT = [id for id in EXPRESSIONS if ROWS[id]["verdict"] in ("DISCREPANCY", "negative_control")]


@pytest.mark.parametrize("id", WRONG_IN_PRINT)
def test_printed_mistake(id):
    """Where the printed answer is wrong, ours is not the printed one."""
    row = ROWS[id]
    found = in_unit(q(EXPRESSIONS[id](row["inputs"])), row["unit"])
    assert found != pytest.approx(row["expected"], rel=row["tolerance"]), row["comment"]


def test_every_row_is_tested_or_explained():
    """Every published row is computed or says why it is not; none is both."""
    assert sorted([*EXPRESSIONS, *NOT_COVERED]) == sorted(ROWS), set(ROWS) ^ {*EXPRESSIONS, *NOT_COVERED}
    assert all(len(reason) > 20 for reason in NOT_COVERED.values())
