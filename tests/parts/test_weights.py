"""Weights: recounted totals, active counts, what a pass reads, and what a device of a group holds."""

import json
import pathlib
import random

import pytest

from calc.catalog import MODELS, MissingValue
from calc.parts import formats, layers, tensors, weights

COUNTS = json.loads((pathlib.Path(__file__).parents[1] / "data" / "model_counts.json").read_text())
DECODERS = [i for i in MODELS if MODELS[i].raw["kind"] == "decoder"]
# Published minus recounted, where they differ: published figures that are rounded, and two that count other tensors.
RESIDUALS = {
    "gpt3-175b": 395_740_672,  # "175.0B" in the paper's table
    "vit-base-16": -567_656,  # "86M" in the paper's table
    "kimi-k2": 3_416,  # 3e-9 of the total, unexplained
    "nemotron-3-nano-30b-a3b": -23 * 128,  # the router biases, which the published count leaves out
}


@pytest.mark.parametrize("id", COUNTS)
def test_recount_agrees_with_an_independent_one(id):
    """Every model's weights recount to the total, the active counts and the vision tower of an independent count, to the last one."""
    model, expected = MODELS[id], COUNTS[id]
    assert weights.total_weights(model).value == expected["total_params"]
    if expected["active_params_excl_input_embedding"] is not None:
        assert weights.active(model).value == expected["active_params_excl_input_embedding"]
        assert weights.active_with_table(model).value == expected["active_params_incl_input_embedding"]
        assert tensors.components(model)["vision"].value == expected["vision_params"]


@pytest.mark.parametrize("id", [i for i in COUNTS if "total" in MODELS[i].raw["published"]])
def test_recount_and_extras_are_the_published_total(id):
    """The recount and the named extras of the checkpoint are the published total, but for four differences that are explained."""
    published = MODELS[id].raw["published"]["total"][0]
    assert published - formats.stored(MODELS[id]).value == RESIDUALS.get(id, 0)


@pytest.mark.parametrize(("id", "vendor", "with_table"), [
    ("gpt-oss-20b", 3.6e9, False), ("gpt-oss-120b", 5.1e9, False), ("mixtral-8x7b", 12.9e9, True), ("qwen3-30b-a3b", 3.3e9, True),
    ("qwen3-235b-a22b", 22e9, True), ("deepseek-v3", 37e9, False), ("kimi-k2", 32e9, False),
])
def test_active_counts_match_the_vendors_in_the_convention_they_use(id, vendor, with_table):
    """A vendor's rounded active count is ours, with or without the input table, within the rounding of its last digit."""
    count = weights.active_with_table if with_table else weights.active
    assert count(MODELS[id]).value == pytest.approx(vendor, rel=0.02)


@pytest.mark.parametrize("id", MODELS)
def test_components_are_a_partition(id):
    """Every weight is in exactly one component, none of which is negative, and small weights are below 2 % of a decoder."""
    parts = {key: x.value for key, x in tensors.components(MODELS[id]).items()}
    assert sum(parts.values()) == weights.total_weights(MODELS[id]).value and min(parts.values()) >= 0
    if id in DECODERS:
        assert parts["small"] < 0.02 * sum(parts.values())


def test_the_named_remainder_of_qwen3_32b():
    """Qwen3-32B's matrices and tables recount to 32,761,446,400 weights, and what is missing to its total is the norms."""
    parts = tensors.components(MODELS["qwen3-32b"])
    assert parts["attention"].value == 64 * 94_371_840 and parts["dense_ffn"].value == 64 * 393_216_000
    assert weights.total_weights(MODELS["qwen3-32b"]).value - parts["small"].value == 32_761_446_400
    assert parts["small"].value == 64 * (2 * 5120 + 2 * 128) + 5120


@pytest.mark.parametrize("id", DECODERS)
def test_one_token_reads_what_it_multiplies(id):
    """A pass over one token reads exactly the active weights; over many, never less than before and never more than there are."""
    model = MODELS[id]
    reads = [weights.read_count(model, n).value for n in (1, 2, 8, 64, 100_000)]
    assert reads[0] == pytest.approx(weights.active(model).value, rel=1e-12)
    assert reads == sorted(reads) and reads[-1] <= weights.total_weights(model).value


@pytest.mark.parametrize(("experts", "picked", "tokens"), [(128, 8, 8), (128, 8, 36), (256, 8, 32), (8, 2, 4)])
def test_experts_touched_is_the_mean_of_drawing_them(experts, picked, tokens):
    """The expected number of touched experts is the mean over random draws of k different experts per token, within 2 %."""
    draw = random.Random(1)
    runs = [len({e for _ in range(tokens) for e in draw.sample(range(experts), picked)}) for _ in range(400)]
    assert weights.touched(weights.q(experts), picked, tokens).value == pytest.approx(sum(runs) / len(runs), rel=0.02)


@pytest.mark.parametrize(("id", "devices", "bits", "split", "gigabytes"), [
    ("qwen3-235b-a22b", 8, 16, "tensor", 58.958), ("qwen3-235b-a22b", 3, 8, "tensor", 78.463), ("llama-3.1-405b", 8, 8, "tensor", 50.732),
    ("deepseek-v3", 8, 8, "tensor", 84.779), ("deepseek-v3", 8, 8, "data-parallel", 93.958), ("gemma-3-27b", 4, 16, "tensor", 13.716),
])
def test_the_fullest_device(id, devices, bits, split, gigabytes):
    """What cannot be cut stands on every device: routers, latent down-projections, heads that exist more than once."""
    assert weights.on_fullest(MODELS[id], bits, devices, split).to("GB") == pytest.approx(gigabytes, rel=3e-5)


@pytest.mark.parametrize("id", [i for i in DECODERS if not set(layers.mixers(MODELS[i])) & set(layers.COMPRESSED)])
def test_devices_hold_the_model_together(id):
    """Devices of a group hold at least an even share each, a single device everything, and a latent model is never cut evenly."""
    model, total = MODELS[id], weights.total_weights(MODELS[id]).value
    assert weights.count_on_fullest(model, 1).value == pytest.approx(total, rel=1e-12)
    for devices in (2, 8, 16):
        assert total / devices * (1 - 1e-12) <= weights.count_on_fullest(model, devices).value < total
    if "mla" in layers.mixers(model):
        assert weights.count_on_fullest(model, 8).value > total / 8 * 1.001


def test_unknown_cuts_are_refused():
    """How compressed attention is cut over devices is not known, and the refusal names a model that can be."""
    with pytest.raises(MissingValue, match="nearest: deepseek-v3"):
        weights.on_fullest(MODELS["deepseek-v4-flash"], 16, 8)


@pytest.mark.parametrize(("name", "block", "values"), [
    ("q8_0", 2 + 32, 32), ("q4_0", 2 + 16, 32), ("q4_1", 4 + 16, 32), ("q5_0", 2 + 4 + 16, 32), ("q5_1", 4 + 4 + 16, 32), ("iq4_nl", 2 + 16, 32),
    ("q2_k", 16 + 64 + 4, 256), ("q3_k", 32 + 64 + 12 + 2, 256), ("q4_k", 4 + 12 + 128, 256), ("q5_k", 4 + 12 + 32 + 128, 256),
    ("q6_k", 128 + 64 + 16 + 2, 256), ("mxfp4", 1 + 16, 32), ("nvfp4", 1 + 8, 16),
])
def test_block_formats_are_their_own_structs(name, block, values):
    """A block format takes the bytes of its block: scales, minima, high bits and codes."""
    assert formats.bits(name).value * values == pytest.approx(block, rel=1e-12)


@pytest.mark.parametrize(("id", "name", "gibibytes", "within"), [
    ("llama-3.1-70b", "q8_0", 69.83, 5e-4), ("llama-3.1-70b", "q4_k_m", 39.6, 5e-4), ("llama-3.1-70b", "bf16", 131.42, 5e-4),
    ("llama-3.1-8b", "bf16", 14.96, 5e-4), ("qwen2.5-7b", "nf4", 5.2032, 8e-3), ("gpt-oss-120b", "mxfp4", 60.7668, 5e-5),
])
def test_file_sizes_that_engines_print(id, name, gibibytes, within):
    """A model in a format takes what engines print for its weights."""
    assert formats.size(MODELS[id], name).to("GiB") == pytest.approx(gibibytes, rel=within)


def test_unknown_formats_are_refused_by_name():
    """A format that is not known is refused, and so is a K_M mix of a model whose recipe is not known."""
    with pytest.raises(MissingValue, match="'q9_0' is not known; nearest: q8_0|q5_0|q4_0"):
        formats.size(MODELS["qwen3-8b"], "q9_0")
    with pytest.raises(MissingValue, match="dense decoders only"):
        formats.size(MODELS["qwen3-30b-a3b"], "q4_k_m")


def test_fp8_scales_of_deepseek():
    """DeepSeek-V3's checkpoint holds 41,540,496 block scales, and Kimi K2 Base holds 62,495,192 more values than Instruct."""
    assert formats.scale_blocks(MODELS["deepseek-v3"]).value == 41_540_496
    assert formats.scale_blocks(MODELS["kimi-k2"]).value == 62_495_192
