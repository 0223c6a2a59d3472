"""Arithmetic of attention and recurrences, closed sums against loops, and the table of one forward pass against both."""

import pytest

from calc.catalog import MODELS
from calc.forward import table
from calc.parts import flops, layers, operators, state, tensors, weights
from calc.quantity import q

DECODERS = [i for i in MODELS if MODELS[i].raw["kind"] == "decoder"]


def by_hand(model, seen, form):
    """FLOP of attention and recurrences of one token that sees `seen` keys, itself included, written as a plain loop over layers."""
    a, total = model.raw.get("attention") or {}, 0
    for kind, number in layers.mixers(model).items():
        if kind == "gdn":
            g = model.raw["linear_attention"]
            one = 7 * g["value_heads"] * g["key_dim"] * g["value_dim"]
        elif kind in ("mamba1", "mamba2"):
            s = model.raw["ssm"]
            one = 5 * (s.get("d_inner") or s["heads"] * s["head_dim"]) * s["state"]
        elif kind in ("mla", "dsa"):
            r, rope = a["kv_lora_rank"], a["qk_rope_head_dim"]
            width = 2 * r + rope if form == "absorbed" else a["qk_nope_head_dim"] + rope + a["v_head_dim"]
            keys = min(seen, a["indexer"]["top_k"]) if kind == "dsa" else seen
            one = 2 * a["heads"] * width * keys
            if kind == "dsa":
                one += 2 * a["indexer"]["heads"] * a["indexer"]["head_dim"] * seen
        elif kind.startswith("v4"):
            keys = min(seen, model.raw["sliding_window"])
            if kind == "v4_csa":
                keys += min(seen // a["csa_rate"], a["indexer"]["top_k"])
            if kind == "v4_hca":
                keys += seen // a["hca_rate"]
            one = 4 * a["heads"] * a["head_dim"] * keys
            if kind == "v4_csa":
                one += 2 * a["indexer"]["heads"] * a["indexer"]["head_dim"] * (seen // a["csa_rate"])
        else:
            keys = min(seen, model.raw["sliding_window"]) if kind == "sliding" else seen
            if kind == "chunked":
                keys = (seen - 1) % model.raw["attention_chunk"] + 1
            d = a["global"]["head_dim"] if kind == "global" else a["head_dim"]
            one = 4 * a["heads"] * d * keys
        total += number * one
    return total


@pytest.mark.parametrize("form", ["absorbed", "expanded"])
@pytest.mark.parametrize("id", DECODERS)
def test_a_step_and_a_prompt_agree_with_a_loop(id, form):
    """One token's arithmetic, and a prompt's closed sum with and without history, equal a loop over tokens and layers."""
    model = MODELS[id]
    if "chunked" not in layers.mixers(model):
        for seen in (1, 127, 128, 129, 2500):
            assert flops.attention_step(model, q(seen), form).value == by_hand(model, seen, form)
    for history, new in ((0, 1), (0, 700), (100, 300), (1500, 1301)):
        loop = sum(by_hand(model, history + i, form) for i in range(1, new + 1))
        assert flops.attention_prompt(model, q(new), q(history) if history else None, form).value == pytest.approx(loop, rel=1e-12)


def test_chunks():
    """A token in a chunk is charged the chunk it is in at most; a prompt over two chunks is the exact sum."""
    model = MODELS["llama-4-scout"]
    assert flops.attention_step(model, q(20_000)).value == 4 * 40 * 128 * (36 * 8192 + 12 * 20_000)
    loop = sum(by_hand(model, i, "expanded") for i in range(1, 20_001))
    assert flops.attention_prompt(model, q(20_000)).value == pytest.approx(loop, rel=1e-12)


def test_published_per_key_figures():
    """DeepSeek-V3 spends 278,528 FLOP per key and layer on the latent and 81,920 on rebuilt keys; its index 16,384."""
    assert flops.per_key(MODELS["deepseek-v3"], "mla", "absorbed").value == 278_528
    assert flops.per_key(MODELS["deepseek-v3"], "mla", "expanded").value == 81_920
    assert flops.per_index_key(MODELS["deepseek-v3.2"]).value == 16_384


def test_unmasked_attention_counts_every_pair():
    """The full-square count is P² pairs where the causal one is P(P + 1)/2."""
    model = MODELS["llama-3.1-8b"]
    assert flops.square(model, q(100)).value / flops.attention_prompt(model, q(100)).value == pytest.approx(200 / 101)


@pytest.mark.parametrize("id", DECODERS)
def test_sharing_keys_changes_no_arithmetic(id):
    """The long-run slope of a step's arithmetic is what one more key adds, once every window is full."""
    model = MODELS[id]
    span = 128 * 1024
    rise = flops.attention_step(model, q(9 * span)).value - flops.attention_step(model, q(8 * span)).value
    assert flops.attention_per_key(model).value * span == pytest.approx(rise, rel=1e-9)


def test_forward_pass_of_qwen3_8b():
    """8,192 tokens of Qwen3-8B are 133.6 TFLOP with the head on the last position, one more token 20.0 GFLOP."""
    prompt = table(MODELS["qwen3-8b"], 8192)["totals"]["flops"]
    assert prompt == 36 * (385_875_968 * 8192 + 16_384 * 8192 * 8193 // 2) + 2 * 4096 * 151_936
    assert round(prompt / 1e12, 1) == 133.6
    assert round(table(MODELS["qwen3-8b"], 1, 8192)["totals"]["flops"] / 1e9, 1) == 20.0


@pytest.mark.parametrize(("tokens", "history"), [(512, 0), (1, 4096), (300, 1000)])
@pytest.mark.parametrize("id", DECODERS)
def test_the_table_agrees_with_the_parts(id, tokens, history):
    """The operators' arithmetic is 2 FLOP per matrix weight and attention's own; their bytes are the weights read and the state moved."""
    model, batch = MODELS[id], 3
    totals = table(model, tokens, history, batch)["totals"]
    form = "absorbed" if tokens == 1 else "expanded"
    attention = flops.attention_prompt(model, q(tokens), q(history) if history else None, form).value
    if tokens == 1 and "chunked" in layers.mixers(model):
        attention = flops.attention_step(model, q(history + 1), form).value
    positions = model.raw.get("learned_positions", 0) * model.raw["hidden"]
    small = operators._small(model).value
    if layers.has_experts(model) and model.raw["moe"].get("bias"):
        small += layers.expert_layers(model).value * model.raw["moe"]["top_k"] * (tensors.expert(model) - tensors.expert_matrices(model)).value
    head = weights.head(model).value
    body = weights.active(model).value - small - head
    assert totals["flops"] == pytest.approx(batch * (2 * body * tokens + attention + 2 * head), rel=1e-12)
    rows = batch * tokens * model.raw["hidden"]
    assert totals["weight_bytes"] == pytest.approx(2 * (weights.read_count(model, batch * tokens).value + rows), rel=1e-9, abs=2 * positions)
    if tokens == 1:
        read = state.rows_read(model, history, 16).value + state.index_read(model, history, 16).value + state.constant(model).value
        assert totals["state_read"] == pytest.approx(batch * read, rel=1e-12)
        assert totals["state_written"] == pytest.approx(batch * state.written(model, 16).value, rel=1e-12)


@pytest.mark.parametrize("id", MODELS)
def test_every_model_has_a_table(id):
    """Every model of the catalogue has a table whose totals are the sums of its rows, and no row is negative."""
    found = table(MODELS[id], 64, 16, 2, "all")
    for key, total in found["totals"].items():
        assert total == pytest.approx(sum(row[key] for row in found["operators"])) and min(row[key] for row in found["operators"]) >= 0
    assert found["totals"]["flops"] > 0


def test_heads():
    """The head multiplies one position per sequence, all of them, or none."""
    model = MODELS["llama-3.1-8b"]
    work = [table(model, 10, 0, 2, head)["totals"]["flops"] for head in ("none", "last", "all")]
    assert work[1] - work[0] == 2 * 2 * weights.head(model).value and work[2] - work[0] == 2 * 20 * weights.head(model).value
    with pytest.raises(ValueError, match="output-head"):
        table(model, 1, output_head="first")
