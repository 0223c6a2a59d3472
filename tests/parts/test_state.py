"""State: bytes per conversation by layer kind, what a step reads and writes, and what each device of a group holds."""

import json
import pathlib

import pytest

from calc.catalog import MODELS, MissingValue, Record
from calc.forward import table
from calc.parts import flops, layers, state, weights
from calc.quantity import q

COUNTS = json.loads((pathlib.Path(__file__).parents[1] / "data" / "model_counts.json").read_text())
DECODERS = [i for i in MODELS if MODELS[i].raw["kind"] == "decoder"]
MIB, KIB = 2**20, 2**10


@pytest.mark.parametrize("id", DECODERS)
def test_rows_inside_windows_agree_with_an_independent_count(id):
    """Below every window and above every compression block, a token's rows are the values of an independent count."""
    model, kinds = MODELS[id], layers.mixers(MODELS[id])
    values = sum(state.row_values(model, kind).value * number
                 / ({"v4_csa": model.raw["attention"].get("csa_rate"), "v4_hca": model.raw["attention"].get("hca_rate")}.get(kind, 1))
                 for kind, number in kinds.items() if kind not in layers.RECURRENT and kind != "v4_window")
    index = model.raw.get("attention", {}).get("indexer")
    if index:
        values += index["head_dim"] * (kinds.get("dsa", 0) + kinds.get("v4_csa", 0) / model.raw["attention"].get("csa_rate", 1))
    assert values == COUNTS[id]["state_elements_per_token_all_layers"]


@pytest.mark.parametrize(("id", "bits", "expected"), [
    ("gpt3-175b", 16, 2 * 96 * 96 * 128 * 2), ("llama-3.1-405b", 16, 2 * 126 * 8 * 128 * 2), ("llama-3.1-70b", 16, 2 * 80 * 8 * 128 * 2),
    ("qwen3-235b-a22b", 16, 2 * 94 * 4 * 128 * 2), ("deepseek-v3", 16, 61 * 576 * 2), ("falcon-7b", 16, 2 * 32 * 64 * 2),
    ("qwen3.5-35b-a3b", 16, 2 * 10 * 2 * 256 * 2), ("nemotron-3-nano-30b-a3b", 16, 2 * 6 * 2 * 128 * 2), ("gemma-3-27b", 16, 2 * 10 * 16 * 128 * 2),
    ("mamba-2.8b", 16, 0), ("deepseek-v4-flash", 16, 6880), ("deepseek-v3", 8.5, 61 * 576 * 34 / 32), ("gpt-oss-20b", 16, 2 * 12 * 8 * 64 * 2),
])
def test_slope(id, bits, expected):
    """What one more token adds in the long run, from the configuration by hand."""
    assert state.per_token(MODELS[id], bits).value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("id", "tokens", "mebibytes"), [
    ("qwen3.5-35b-a3b", 2048, 40 + 60 + 1.40625), ("nemotron-3-nano-30b-a3b", 2048, 12 + 46 + 0.80859375), ("gemma-3-27b", 131072, 10240 + 416),
    ("gemma-3-27b", 512, 62 * 512 * 2 * 16 * 128 * 2 / MIB), ("deepseek-v4-flash", 8192, 53.75 + 5.375),
    ("mamba-2.8b", 1, 64 * 5120 * (16 * 4 + 3 * 2) / MIB),
    ("llama-4-scout", 8192, 48 * 2 * 8 * 128 * 2 * 8192 / MIB), ("llama-4-scout", 16384, (36 * 8192 + 12 * 16384) * 4096 / MIB),
    ("gemma-4-26b-a4b", 2048, (25 * 1024 * 2 * 8 * 256 + 5 * 2048 * 2 * 2 * 512) * 2 / MIB),
    ("jamba-v0.1", 262144, 4096 + 28 * 8192 * (16 * 4 + 3 * 2) / MIB),
])
def test_one_conversation(id, tokens, mebibytes):
    """State of one conversation by kind: growing rows, at most the window, recurrent matrices in 32 and columns in 16 bits."""
    assert state.held(MODELS[id], tokens, 16).to("MiB") == pytest.approx(mebibytes, rel=1e-12)


@pytest.mark.parametrize(("id", "how", "tokens", "expected"), [
    ("gemma-3-27b", {"layout": "no-window"}, 131072, 62 * 2**30), ("deepseek-v3", {"layout": "expanded"}, 512, 2440 * MIB),
    ("kimi-k2", {"layout": "expanded"}, 512, 1220 * MIB), ("deepseek-v2-lite", {"layout": "expanded"}, 512, 135 * MIB),
    ("deepseek-v3.2", {"layout": "fp8-rows"}, 1_462_784, 61 * (656 + 132) * 1_462_784), ("llama-3.1-8b", {"value_bits": 16}, 1024, 82 * MIB),
    ("gpt-oss-120b", {"slack": 1024}, 131072, 18 * 2048 * (131072 + 128 + 1024)), ("mamba-2.8b", {"conv_bits": 32}, 1, 23.75 * MIB),
    ("deepseek-v3.2", {"index_bits": 8}, 100, 61 * (576 * 2 + 128) * 100),
    ("qwen3.5-35b-a3b", {"recurrent_bits": 16}, 1, 20 * KIB + (30 + 1.40625) * MIB),
])
def test_what_the_engine_does_instead(id, how, tokens, expected):
    """Engines that store more than the architecture asks, or other widths: each has a name and a count of its own."""
    bits = 4.5 if how.get("value_bits") else 16
    assert state.held(MODELS[id], tokens, bits, **how).value == pytest.approx(expected, rel=1e-12)


def test_one_row_has_one_width():
    """A latent row cannot have keys and values of different widths, and an unknown layout is refused."""
    with pytest.raises(ValueError, match="value_bits"):
        state.held(MODELS["deepseek-v3"], 10, 8, value_bits=16)
    with pytest.raises(ValueError, match="paged"):
        state.held(MODELS["deepseek-v3"], 10, 8, layout="paged")


@pytest.mark.parametrize("id", DECODERS)
def test_more_tokens_never_hold_less(id):
    """State never shrinks with the context, fewer bits never take more, and the parts add up to the whole."""
    model = MODELS[id]
    sizes = [state.held(model, n, 16).value for n in (1, 100, 1000, 10_000, 1_000_000)]
    assert sizes == sorted(sizes) and sizes[0] > 0
    assert state.held(model, 5000, 8).value <= state.held(model, 5000, 16).value
    parts = [state.per_token(model, 16) * 5000, state.windowed(model, 5000, 16), state.recurrent(model), state.convolution(model)]
    assert state.held(model, 5000, 16).value == pytest.approx(sum(p.value for p in parts), rel=1e-12)
    assert state.ceiling(model, 16).value == pytest.approx(state.held(model, 10**7, 16).value - state.per_token(model, 16).value * 10**7, rel=1e-6,
    abs=1)


@pytest.mark.parametrize(("id", "bits", "tokens"), [
    ("qwen3.5-35b-a3b", 32, 3144), ("nemotron-3-nano-30b-a3b", 32, 7988.6667), ("gemma-3-27b", 32, 5324.8), ("deepseek-v4-flash", 32, 819.2),
])
def test_where_growth_passes_what_is_fixed(id, bits, tokens):
    """Below this context a conversation's fixed part is the larger one."""
    assert state.crossover(MODELS[id], 16, recurrent_bits=bits).value == pytest.approx(tokens, rel=1e-6)


@pytest.mark.parametrize(("id", "tokens", "expected"), [
    ("qwen3-32b", 1000, 262_144_000), ("gemma-3-27b", 32768, 10 * 32768 * 8192 + 52 * 1024 * 8192),
    ("qwen3.5-35b-a3b", 1000, 20480 * 1000 + 2 * 61.40625 * MIB),
    ("deepseek-v3.2", 16384, 61 * 2 * (128 * 16384 + 576 * 2048)), ("deepseek-v3.2", 1000, 61 * 2 * 1000 * (128 + 576)),
    ("deepseek-v4-flash", 8192, (5.375 + 21 + 1.25) * MIB), ("mamba-2.8b", 9, 2 * 64 * 5120 * (16 * 4 + 3 * 2)),
])
def test_what_a_step_reads(id, tokens, expected):
    """A decode step reads every row it consults, scans an index whole, and reads and writes a recurrent state."""
    assert state.read(MODELS[id], tokens, 16).value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("id", DECODERS)
def test_what_a_token_writes_is_what_it_adds(id):
    """Inside all windows, the rows that one token writes are what the state grows by, besides recurrent state."""
    model = MODELS[id]
    if set(layers.mixers(model)) & set(layers.COMPRESSED):
        return
    grown = state.held(model, 101, 16).value - state.held(model, 100, 16).value
    assert state.written(model, 16).value - state.constant(model).value == pytest.approx(grown, abs=1e-3)


@pytest.mark.parametrize("id", DECODERS)
def test_a_pass_over_one_token_reads_what_a_step_reads(id):
    """The rows read by a pass over one token, kind by kind, are those of a decode step; recurrent state is counted once each way."""
    model = MODELS[id]
    moved = [state.pass_of_kind(model, kind, q(1), q(3000), 16) for kind in layers.mixers(model)]
    step = state.rows_read(model, 3000, 16).value + state.index_read(model, 3000, 16).value + state.constant(model).value
    assert sum(read.value for read, _ in moved) == pytest.approx(step, rel=1e-12)
    assert sum(written.value for _, written in moved) == pytest.approx(state.written(model, 16).value, rel=1e-12)


@pytest.mark.parametrize(("id", "tokens", "devices", "gibibytes"), [
    ("qwen3-235b-a22b", 16 * 32768, 8, 23.5), ("qwen3-235b-a22b", 16 * 32768, 4, 23.5), ("deepseek-v3", 16 * 32768, 8, 34.3125),
    ("qwen3.5-35b-a3b", 262144, 8, 2.5 + 61.40625 / 8 / 1024), ("llama-3.1-70b", 8192, 3, 2.5 * 3 / 8),
])
def test_heads_are_dealt_out_and_latents_copied(id, tokens, devices, gibibytes):
    """On the fullest device: whole heads, at least one; a latent whole; a recurrent state cut evenly."""
    assert state.on_fullest(MODELS[id], tokens, 16, q(devices)).to("GiB") == pytest.approx(gibibytes, rel=1e-12)


@pytest.mark.parametrize("id", DECODERS)
def test_one_device_holds_and_reads_everything(id):
    """A group of one is no group, and a larger group never holds more on its fullest device nor less than an even share."""
    model = MODELS[id]
    whole, read = state.held(model, 3000, 16).value, state.read(model, 3000, 16).value
    assert state.on_fullest(model, 3000, 16, q(1)).value == pytest.approx(whole, rel=1e-12)
    assert state.read_on_fullest(model, 3000, 16, q(1)).value == pytest.approx(read, rel=1e-12)
    sizes = [state.on_fullest(model, 3000, 16, q(p)).value for p in (1, 2, 4, 8, 64)]
    assert sizes == sorted(sizes, reverse=True) and all(x * p >= whole * (1 - 1e-9) for x, p in zip(sizes, (1, 2, 4, 8, 64)))


def drawn(kinds):
    """A small decoder with so many blocks of each mixer kind."""
    blocks = sum(kinds.values())
    return Record("drawn", {
        "name": "drawn", "kind": "decoder", "layers": blocks, "hidden": 2560, "vocab": 100, "tied_embeddings": True, "source": "",
        "sliding_window": 512,
        "attn_layers": [{"unit": [kind], "repeat": n} for kind, n in kinds.items()], "ffn_layers": [{"unit": ["dense"], "repeat": blocks}],
        "attention": {"kind": "gqa", "heads": 8, "kv_heads": 2, "head_dim": 256, "qkv_bias": False, "o_bias": False, "qk_norm": "per_head"},
        "ffn": {"intermediate": 100, "gated": True, "bias": False}, "norm": {"kind": "rmsnorm", "per_layer": 4, "final": True}}, {})


def test_blocks_that_share_the_rows_of_earlier_ones():
    """Blocks that read the rows of earlier ones hold none and write none, and compute and read as much as if they had their own."""
    own, shared = drawn({"sliding": 35, "full": 7}), drawn({"sliding": 20, "full": 4, "sliding_reuse": 15, "full_reuse": 3})
    assert state.windowed(shared, 4096, 16, slack=1024).to("MiB") == 60  # what an engine logged for such a model
    assert state.per_token(shared, 16).value * 7 == state.per_token(own, 16).value * 4
    assert state.read(shared, 4096, 16).value == state.read(own, 4096, 16).value
    assert state.written(shared, 16).value * 42 == state.written(own, 16).value * 24
    assert flops.attention_step(shared, q(4097)).value == flops.attention_step(own, q(4097)).value
    missing = weights.total_weights(own).value - weights.total_weights(shared).value
    assert missing == 18 * (2 * 2560 * 2 * 256 + 256)
    totals = table(shared, 1, 4096)["totals"]
    assert (totals["state_read"], totals["state_written"]) == (state.read(shared, 4096, 16).value, state.written(shared, 16).value)


def test_pages_round_up():
    """Room that is handed out in pages is a whole number of them."""
    assert [state.rounded(q(n), 16).value for n in (1, 16, 17)] == [16, 16, 32]


def test_models_without_state():
    """An encoder keeps nothing from step to step, a decoder of sound its own rows and those of the encoder's positions."""
    assert state.held(MODELS["flux.1-dev"], 4096, 16).value == state.held(MODELS["vit-base-16"], 197, 16).value == 0
    assert state.per_token(MODELS["whisper-large-v3"], 16).value == 32 * 2 * 1280 * 2
    assert state.constant(MODELS["whisper-large-v3"]).value == 32 * 2 * 1280 * 2 * 1500
    with pytest.raises(MissingValue, match="is no decoder"):
        flops.attention_step(MODELS["vit-base-16"], q(10))
