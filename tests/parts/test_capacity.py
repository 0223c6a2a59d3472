"""Capacity: the budget of a device, and the `memory` command's report."""

import json

import pytest

from calc import memory
from calc.catalog import ACCELERATORS, MODELS, MissingValue
from calc.cli import main
from calc.estimator import InputError
from calc.parts import capacity, state, tensors, weights
from calc.quantity import q


@pytest.mark.parametrize(("memory_gib", "share", "reserved", "left"), [
    (79.22, 0.9, (14.96, 1.79, 1.26), 53.29), (23.58, 0.99, (21.21, 0.2, 0.37), 1.57), (16, 0.9, (20,), 0),
])
def test_the_budget_that_engines_print(memory_gib, share, reserved, left):
    """Usable share of the memory less weights, runtime and activation peak is what an engine prints for its cache, and never negative."""
    gib = [q(x, "GiB") for x in reserved]
    assert capacity.pool(q(memory_gib, "GiB"), share, *gib).to("GiB") == pytest.approx(left, abs=0.01)


@pytest.mark.parametrize(("id", "available", "devices", "bits", "tokens", "within"), [
    ("qwen3-14b", 6.51, 1, 16, 42_656, 1e-3), ("llama-3.1-8b", 2.89, 1, 16, 23_648, 2e-3), ("llama-3.1-8b", 3.81, 1, 16, 31_232, 1e-3),
    ("kimi-k2", 46.8, 8, 16, 715_072, 1e-4), ("qwen3-235b-a22b", 8.11, 4, 16, 178_880, 0.012),
])
def test_tokens_that_engines_print(id, available, devices, bits, tokens, within):
    """The bytes that an engine has left hold the tokens it prints, latents copied and heads dealt out."""
    each = state.on_fullest(MODELS[id], 1, bits, q(devices))
    assert capacity.that_fit(q(available, "GiB"), each).value == pytest.approx(tokens, rel=within)


def test_memory_readings():
    """The vendor's label is the default; what the driver reports is a choice, and is refused where it is not known."""
    assert capacity.usable(ACCELERATORS["h100-sxm"]).value == 80e9
    assert capacity.usable(ACCELERATORS["h100-sxm"], "reported").to("MiB") == 81_559
    unknown = next(a for a in ACCELERATORS.values() if not a.has("memory_reported"))
    with pytest.raises(MissingValue, match="no driver figure is known; known for"):
        capacity.usable(unknown, "reported")


def test_logits_are_upcast():
    """Output scores of 512 positions over 151,665 words are 310.6 MB, in 32 bits."""
    assert capacity.logits(2 * 256, 151_665).to("MB") == pytest.approx(310.61, rel=1e-4)


@pytest.mark.parametrize("id", MODELS)
@pytest.mark.parametrize("kv", ["bf16", "fp8"])
def test_every_model_has_a_report(id, kv):
    """Every model has a report whose totals are those of the parts; one device holds everything, and its need is weights and state."""
    model = MODELS[id]
    found = memory.report(model, 4096, 3, kv=kv, accelerator=ACCELERATORS["b200-sxm"])
    bits = 16 if kv == "bf16" else 8
    assert found["weights"]["total"] == found["weights"]["per_device"] == 2 * weights.total_weights(model).value
    assert found["state"]["per_request"] == pytest.approx(sum(found["state"]["parts"].values()))
    assert found["state"]["per_request"] == pytest.approx(state.held(model, 4096, bits).value)
    assert found["fits"]["need"] == pytest.approx(found["weights"]["total"] + 3 * found["state"]["per_request"])
    assert found["fits"]["ok"] == (found["fits"]["need"] <= 0.9 * 180e9)


@pytest.mark.parametrize(("id", "tensor", "pipeline"), [("qwen3-32b", 2, 2), ("deepseek-v3", 8, 1), ("gemma-3-27b", 1, 4), ("qwen3.5-35b-a3b", 2, 3),
                                                        ("nemotron-3-nano-30b-a3b", 1, 3), ("deepseek-v2-lite", 1, 5)])
def test_stages_and_groups(id, tensor, pipeline):
    """Stages together hold every weight (a tied table twice) and every block; the fullest device is never below the even share."""
    model = MODELS[id]
    stages = memory.shares(model, pipeline)
    table = tensors.table(model).value / weights.total_weights(model).value
    total = sum(share.value for share, _ in stages)
    assert total == pytest.approx(1 + (table if model.raw["tied_embeddings"] and pipeline > 1 else 0), rel=1e-12)
    if pipeline > 1:
        assert sum(sum(blocks.values()) for _, blocks in stages) == model.raw["layers"]
    found = memory.report(model, 8192, 4, tensor_parallel=tensor, pipeline_parallel=pipeline)
    devices = tensor * pipeline
    assert found["weights"]["per_device"] * devices >= found["weights"]["total"] * 0.999
    assert found["weights"]["per_device"] + found["state"]["per_device"] >= (found["weights"]["total"] + 4 * found["state"]["per_request"]) / devices


def test_two_formats_and_layouts(capsys):
    """Keys and values may have formats of their own; engines that ignore windows or latents have names."""
    assert memory.report(MODELS["llama-3.1-8b"], 1024, kv="iq4_nl/f16")["state"]["per_request"] == 82 * 2**20
    assert memory.report(MODELS["gemma-3-27b"], 131072, engine="no-window")["state"]["per_request"] == 62 * 2**30
    assert memory.report(MODELS["deepseek-v3"], 512, engine="expanded")["state"]["per_request"] == 2440 * 2**20
    assert memory.report(MODELS["llama-3.1-70b"], 1, weights_format="q8_0")["weights"]["total"] / 2**30 == pytest.approx(69.83, rel=5e-4)


@pytest.mark.parametrize(("words", "message"), [
    (["--model", "qwen3-9b", "--context", "1"], "model: unknown 'qwen3-9b'; nearest: qwen3-8b"),
    (["--context", "1"], "model: give --model ID or --config FILE"),
    (["--model", "qwen3-8b", "--context", "0"], "context: 0 is outside 1 to"),
    (["--model", "qwen3-8b", "--context", "5 GB"], "context: '5 GB' is bytes"),
    (["--model", "qwen3-8b", "--context", "1", "--kv", "fp9"], "kv: unknown 'fp9'; nearest:"),
    (["--model", "qwen3-8b", "--context", "1", "--weights", "int3"], "weights: format 'int3' is not known; nearest: int8; formats are fp32, bf16,"),
    (["--model", "qwen3-8b", "--context", "1", "--engine", "vllm"], "engine: unknown 'vllm'; known: native,"),
    (["--model", "qwen3-8b", "--context", "1", "--accelerator", "h100-sxmm"], "accelerator: unknown 'h100-sxmm'; nearest: h100-sxm"),
    (["--model", "qwen3-8b", "--context", "1", "--utilization", "2"], "utilization: 2 is outside 0.01 to 1"),
    (["--model", "qwen3-8b", "--context", "1", "--pipeline-parallel", "99"], "pipeline_parallel: 99 is more than the 36 blocks"),
    (["--model", "deepseek-v3", "--context", "1", "--kv", "q8_0/q4_0"], "kv: keys and values share one row in deepseek-v3"),
])
def test_bad_input_is_one_line(words, message, capsys):
    """Bad input of `calc memory` exits 2 with one line that names the input and what is allowed."""
    assert main(["memory", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith(message) and error.count("\n") == 1


@pytest.mark.parametrize("words", [["forward", "--model", "qwen3-8b", "--tokens", "8k"],
                                   ["memory", "--model", "qwen3.5-35b-a3b", "--context", "32Ki", "--accelerator", "h100-sxm"]])
def test_all_four_formats(words, capsys):
    """Both commands print text, Markdown, JSON and CSV."""
    printed = {}
    for which in ("text", "md", "json", "csv"):
        assert main([*words, "--format", which]) == 0
        printed[which] = capsys.readouterr().out
    assert "|" in printed["md"] and "," in printed["csv"] and json.loads(printed["json"])["model"] == words[2]


def test_the_contract_of_the_json(capsys):
    """The JSON has the fields that checks rely on, with bytes in B."""
    main(["memory", "--model", "qwen3-8b", "--context", "8192", "--batch", "2", "--accelerator", "h100-sxm", "--format", "json"])
    data = json.loads(capsys.readouterr().out)
    assert data["state"]["per_token"] == 147_456 and data["state"]["per_request"] == 147_456 * 8192
    assert {"total", "per_device", "unit"} <= set(data["weights"]) and {"requests", "tokens", "need", "have", "ok"} <= set(data["fits"])
    main(["forward", "--model", "qwen3-8b", "--tokens", "8192", "--format", "json"])
    data = json.loads(capsys.readouterr().out)
    assert set(data) == {"model", "tokens", "history", "batch", "output_head", "operators", "totals"} and data["output_head"] == "last"
    assert set(data["operators"][0]) == {"name", "layer_kind", "count", "shape", "flops", "weight_bytes", "activation_bytes", "state_read",
                                         "state_written", "intensity"}


def test_no_format_is_lost():
    """A cache format is one number of bits per value, and a wrong list of them is refused."""
    with pytest.raises(InputError, match="more than keys and values"):
        memory.cache_bits("fp8/fp8/fp8")
    assert memory.cache_bits("fp8/fp8") == (8, None) and memory.cache_bits("q8_0/q4_0") == (8.5, 4.5)
