"""A reader's config.json: what is read, what is refused, and that nothing is executed."""

import json
import pathlib

import pytest

from calc import config
from calc.catalog import MODELS
from calc.cli import main
from calc.config.families import FAMILIES
from calc.config.fields import ConfigError
from calc.forward import table
from calc.parts import flops, layers, state, tensors, weights
from calc.quantity import q

FOLDER = pathlib.Path(__file__).parent / "configs"
FILES = sorted(FOLDER.glob("*.json"))
# Totals that the publishers' checkpoints have, for configurations that are not in the catalogue.
PUBLISHED = {
    "pythia-6.9b": 6_857_302_016, "phi-2": 2_779_683_840, "aya-expanse-8b": 8_028_033_024, "olmoe-1b-7b": 6_919_161_856,
    "qwen1.5-moe-a2.7b": 14_315_784_192, "glm-4-9b-0414": 9_400_279_040, "seed-oss-36b": 36_151_104_512,
    "qwen2.5-vl-7b": 8_292_166_656, "mistral-small-3.1-24b": 24_011_361_280, "starcoder": 15_517_456_384,
}
TEXT_ONLY = {"llama-4-scout-text": "llama-4-scout", "llama-4-maverick-text": "llama-4-maverick"}
PLAIN = {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
         "intermediate_size": 14336, "vocab_size": 128256}


@pytest.fixture(autouse=True)
def _only_the_catalogue():
    """Records that a test adds do not stay for the tests after it."""
    yield
    for id in [i for i in MODELS if MODELS[i].own]:
        del MODELS._rows[id]


def read(**changes):
    """The record of a Llama configuration with some fields changed; None removes one."""
    return config.parse(json.dumps({k: v for k, v in {**PLAIN, **changes}.items() if v is not None}), "changed")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_known_models_are_read_as_they_are_in_the_catalogue(path):
    """A configuration recounts to its published total and keeps the same state as the catalogue's record of the model."""
    model, name = config.load(str(path)), path.stem
    if name in PUBLISHED:
        assert weights.total_weights(model).value == PUBLISHED[name]
    elif name in MODELS or name in TEXT_ONLY:
        known = MODELS[TEXT_ONLY.get(name, name)]
        expected = weights.total_weights(known).value - (tensors.components(known)["vision"].value if name in TEXT_ONLY else 0)
        assert weights.total_weights(model).value == expected
        assert layers.blocks(model) == layers.blocks(known)
        for tokens in (100, 10_000):
            assert state.held(model, tokens, 16).value == state.held(known, tokens, 16).value
    else:
        assert weights.total_weights(model).value > 0


def test_many_families_are_known():
    """Sixty families and more are read, and the files here stand for at least thirty-five of them."""
    kinds = {json.loads(p.read_text()).get("text_config", json.loads(p.read_text()))["model_type"] for p in FILES}
    assert len(FAMILIES) >= 60 and len(kinds) >= 35 and kinds <= set(FAMILIES)


@pytest.mark.parametrize(("name", "size", "active"), [
    ("nemotron-3-super-120b-a12b", 120e9, 12e9), ("kimi-linear-48b-a3b", 48e9, 3e9), ("mimo-v2-flash", 309e9, 15e9), ("ernie-4.5-21b-a3b", 21e9, 3e9),
    ("phi-3.5-moe", 42e9, 6.6e9),
])
def test_marketing_sizes_of_models_without_a_total_at_hand(name, size, active):
    """Configurations whose published total is not at hand recount to the sizes that their makers name, within their rounding."""
    model = config.load(str(FOLDER / f"{name}.json"))
    assert weights.total_weights(model).value == pytest.approx(size, rel=0.04)
    assert weights.active_with_table(model).value == pytest.approx(active, rel=0.17)


def test_windows_with_heads_of_their_own():
    """Where windowed blocks have other heads, and values are narrower than keys, each kind of block is counted by its own."""
    model = config.load(str(FOLDER / "mimo-v2-flash.json"))
    assert state.per_token(model, 16).value == 9 * 4 * (192 + 128) * 2
    assert state.windowed(model, 5000, 16).value == 39 * 128 * 8 * (192 + 128) * 2
    assert flops.per_key(model, "sliding").value == 2 * 64 * (192 + 128)


def test_a_recurrence_with_decay_per_channel():
    """Kimi Delta keeps a table of 128 by 128 per head, and three quarters of the blocks have one."""
    model = config.load(str(FOLDER / "kimi-linear-48b-a3b.json"))
    assert layers.mixers(model) == {"kda": 20, "mla": 7}
    assert state.recurrent(model).value == 20 * 32 * 128 * 128 * 4 and state.per_token(model, 16).value == 7 * 576 * 2


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_table_of_a_pass_agrees_with_the_parts(path):
    """For every configuration, the operators of a decode step do 2 FLOP per matrix weight and attention's own arithmetic."""
    model = config.load(str(path))
    if model.raw["kind"] != "decoder":
        return
    small, experts = tensors.components(model)["small"].value, layers.has_experts(model) and model.raw["moe"].get("bias")
    if experts:
        return
    small -= model.raw.get("learned_positions", 0) * model.raw["hidden"]
    work = 2 * (weights.active(model).value - small) + flops.attention_step(model, q(2001)).value
    if "chunked" not in layers.mixers(model):
        assert table(model, 1, 2000)["totals"]["flops"] == pytest.approx(work, rel=1e-12)


@pytest.mark.parametrize(("changes", "message"), [
    ({"hidden_size": None}, "hidden_size is missing; family 'llama' needs it"),
    ({"model_type": None}, "model_type is missing"),
    ({"model_type": "lama"}, "family 'lama' is not known; nearest: llama"),
    ({"num_hidden_layers": "32"}, "num_hidden_layers is '32', not a whole number"),
    ({"num_hidden_layers": 2.5}, "num_hidden_layers is 2.5, not a whole number|num_hidden_layers is '2.5', not a whole number"),
    ({"num_hidden_layers": -1}, "num_hidden_layers is -1, outside 1 to"),
    ({"num_hidden_layers": 10**7}, "num_hidden_layers is 10000000, outside 1 to 1,000"),
    ({"hidden_size": 10**30}, "hidden_size is 1000000000000000000000000000000, outside"),
    ({"num_key_value_heads": 5}, "num_attention_heads 32 is no multiple of num_key_value_heads 5"),
    ({"num_attention_heads": 30, "num_key_value_heads": 30}, "head_dim is missing, and hidden_size 4096 is no multiple of 30 heads"),
    ({"num_experts": 8}, "num_experts is not understood for family 'llama'"),
    ({"moe_latent_size": 8}, "moe_latent_size is not understood"),
    ({"sliding_window": 1024}, "sliding_window is set, and which blocks"),
    ({"layer_types": ["magic"] * 32}, "layer_types has 'magic', which is not understood"),
    ({"layer_types": ["full_attention"]}, "layer_types is no list of 32"),
    ({"attention_bias": "yes"}, "attention_bias is 'yes', not true or false"),
    ({"hidden_size": float("nan")}, "hidden_size is nan, which is not a number"),
    ({"hidden_size": float("inf")}, "hidden_size is inf, which is not a number"),
    ({"model_type": "x" * 200}, f"family '{'x' * 40}'... is not known"),
    ({"architectures": ["Qwen2ForCausalLM"]}, "architectures name 'Qwen2ForCausalLM', of family 'qwen2', and model_type is 'llama'"),
    ({"vision_config": {"hidden_size": 5}, "model_type": None, "text_config": PLAIN}, "vision_config.model_type is missing"),
    ({"model_type": "cohere2", "sliding_window": 4096, "order_of_interleaved_layers": "global_attn_first"}, "is 'global_attn_first', which is not"),
    ({"vision_config": {"model_type": "moonvit"}}, "vision_config of 'moonvit' is not understood; nearest:"),
    ({"audio_config": {"model_type": "conformer"}}, "audio_config is not understood"),
])
def test_what_is_not_understood_is_refused_by_name(changes, message):
    """A missing, wrong or unknown field is refused in one line that names it and the nearest known thing."""
    with pytest.raises(ConfigError, match=message) as refusal:
        read(**changes)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 400


@pytest.mark.parametrize(("text", "message"), [
    ("{", "is no JSON"), ("[]", "is no JSON object"), ("[" * 100_000, "nested deeper"), ('{"a": ' * 50 + "1" + "}" * 50, "nested deeper"),
    ("null", "no JSON object"),
    ('{"model_type": ["llama"]}', "model_type is .*, not a text"), ('__import__("os").system("true")', "is no JSON"),
])
def test_hostile_files_are_refused(text, message):
    """A file is parsed as bounded JSON and never executed."""
    with pytest.raises(ConfigError, match=message):
        config.parse(text)


def test_files_that_are_not_there_or_too_large(tmp_path, capsys):
    """A missing file, a huge one and a binary one exit 2 with one line."""
    (tmp_path / "huge.json").write_text(" " * (config.LARGEST_FILE + 1))
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    for name, words in (("none.json", "cannot be read"), ("huge.json", "at most"), ("binary.json", "no text in UTF-8")):
        assert main(["memory", "--config", str(tmp_path / name), "--context", "10"]) == 2
        error = capsys.readouterr().err
        assert words in error and error.count("\n") == 1


def test_a_name_from_a_file_is_only_a_slug():
    """Markup in a name does not survive into the record's id or name, and a file cannot replace a model of the catalogue."""
    record = config.parse(json.dumps(PLAIN), "<script>alert(1)</script>")
    assert "<" not in record.id + record.name and record.own
    before = MODELS["llama-3.1-8b"]
    assert config.parse(json.dumps({**PLAIN, "vocab_size": 5}), "llama-3.1-8b").id == "own-llama-3.1-8b" and MODELS["llama-3.1-8b"] is before


def test_implied_widths_and_ties():
    """The head width is width over heads only when it is not given, and tables are tied as the family's default says."""
    assert read(head_dim=None).attention.head_dim.value == 128 and read(head_dim=64).attention.head_dim.value == 64
    assert read().raw["tied_embeddings"] is False and read(model_type="gemma", head_dim=256).raw["tied_embeddings"] is True
    assert layers.mixers(read(model_type="qwen2", use_sliding_window=True, sliding_window=512, max_window_layers=20)) == {"full": 20, "sliding": 12}


def test_a_device_without_end_is_not_read_to_the_end(capsys):
    """No more than the limit is read of a file, a pipe or a device, whatever its size is said to be."""
    assert main(["memory", "--config", "/dev/zero", "--context", "10"]) == 2
    error = capsys.readouterr().err
    assert "'/dev/zero' has more than 4,194,304 B" in error and error.count("\n") == 1


@pytest.mark.parametrize(("given", "name"), [
    ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8"), ({"quant_method": "awq", "bits": 4}, "awq"),
    ({"quant_method": "gptq", "bits": 8}, "gptq 8-bit"), ({"quant_method": "mxfp4"}, "mxfp4"),
    ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4"),
    ({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"}}}}, "int4"),
    ({"quant_method": "compressed-tensors", "config_groups": []}, "compressed-tensors"),
    ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
    ({"quant_method": "<b>new</b>\n"}, "b-new-b"), ({"bits": 3}, "a quantised format 3-bit"), ({"quant_method": ["x"]}, "x"),
    (None, None), ({}, None), ("fp8", None),
])
def test_the_format_of_the_checkpoint_is_named(given, name, tmp_path, capsys):
    """A configuration's own quantization is not silently dropped: the report says what it is and that bf16 is counted."""
    (tmp_path / "mine.json").write_text(json.dumps({**PLAIN, "quantization_config": given}))
    words = ["memory", "--config", str(tmp_path / "mine.json"), "--context", "10"]
    assert main([*words, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["weights"]["published_format"] == name and data["weights"]["total"] == 2 * data["weights"]["count"]
    assert main(words) == 0
    assert (f"note: published as {name}; counted as bf16, see --weights" in capsys.readouterr().out) == (name is not None)
    assert main([*words, "--weights", "fp8"]) == 0
    assert "published" not in capsys.readouterr().out


def test_windows_by_layer_switch():
    """Cohere 2 names the period of its full-attention blocks `layer_switch`."""
    model = read(model_type="cohere2", sliding_window=4096, layer_switch=8, order_of_interleaved_layers="local_attn_first")
    assert layers.mixers(model) == {"sliding": 28, "full": 4} and layers.blocks(model)[7][0] == "full"
    assert layers.mixers(read(model_type="cohere2", sliding_window=4096)) == {"sliding": 24, "full": 8}


@pytest.mark.parametrize("name", ["LlamaForCausalLM", "MyOwnForCausalLM", "LLaMAForCausalLM", 5])
def test_architectures_that_agree(name):
    """A class of the same family, or of none that is known, is no contradiction."""
    assert read(architectures=[name]).raw["layers"] == 32
