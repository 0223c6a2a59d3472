"""What real systems printed, and what `calc` says of the same: one expression of parts per measured row.

The rows are tests/cases/measured.json. A row's models and chips are those of the catalogue where it has them, else only the
numbers that the row prints.
"""

from __future__ import annotations

import json
from pathlib import Path

from calc.catalog import ACCELERATORS, MODELS, Record
from calc.parts import capacity, collectives, flops, formats, layers, roofline, state, training, weights
from calc.quantity import Q, q

CASES = Path(__file__).resolve().parent.parent / "tests" / "cases" / "measured.json"
LLAMA_8B, LLAMA_70B, LLAMA_405B = (MODELS[f"llama-3.1-{size}"] for size in ("8b", "70b", "405b"))  # Llama 3 has the shapes of 3.1


def rows() -> list[dict]:
    """All measured rows in the order of their file."""
    return json.loads(CASES.read_text(encoding="utf-8"))["cases"]


def shape(blocks: int, kv_heads: int, head_dim: int, hidden: int = 4096, without: int = 0, heads: int = 0, moe: dict | None = None) -> Record:
    """A decoder of which a row prints only these numbers; `without` more blocks have no attention."""
    raw = {
        "name": "the row's model", "kind": "decoder", "layers": blocks + without, "hidden": hidden, "vocab": 1, "tied_embeddings": True,
        "source": "",
        "attn_layers": [{"unit": ["full"], "repeat": blocks}, {"unit": ["none"], "repeat": without}],
        "ffn_layers": [{"unit": ["moe" if moe else "dense"], "repeat": blocks + without}], "norm": {"kind": "rmsnorm", "per_layer": 2, "final": True},
        "attention": {"kind": "gqa", "heads": heads or kv_heads, "kv_heads": kv_heads, "head_dim": head_dim, "qkv_bias": False, "o_bias": False},
        "ffn": {"intermediate": 4 * hidden, "gated": True, "bias": False},
    }
    return Record("row", {**raw, "moe": moe} if moe else raw, {})


def kept(model: str | Record, tokens: float, bits: float = 16, **how) -> Q:
    """Bytes of state of so many tokens."""
    return state.held(MODELS[model] if isinstance(model, str) else model, q(tokens), bits, **how)


def tokens_in(gibibytes: float, model: str, devices: int = 1) -> Q:
    """Tokens that so much memory per device holds."""
    return capacity.that_fit(q(gibibytes, "GiB"), state.on_fullest(MODELS[model], 1, 16, q(devices)))


def left(row: dict) -> Q:
    """What a budget leaves for the cache: usable share less weights, runtime and activation peak."""
    x = row["inputs"]
    return capacity.pool(q(x["total"], "GiB"), x["util"], q(x["weights"], "GiB"), q(x["non_torch"], "GiB"), q(x["act"], "GiB"))


def chip(row: dict) -> Record:
    """The row's accelerator: the catalogue's where it is the same product, else the specification that the row prints."""
    x = row["inputs"]
    for id, words in {"rtx-4090": "RTX 4090", "rtx-3090": "RTX 3090", "a100-sxm-80gb": "A100 SXM", "h100-sxm": "H100 SXM"}.items():
        if words in row["hardware"] and id in ACCELERATORS:
            return ACCELERATORS[id]
    raw: dict = {"name": row["hardware"]}
    if "spec_bw_GBs" in x:
        raw["memory_bandwidth"] = [f"{x['spec_bw_GBs']} GB/s", "", ""]
    if "peak_TFLOPs" in x:
        raw["peak"] = {"bf16": [f"{x['peak_TFLOPs']} TFLOP/s", "", ""]}
    return Record("row", raw, {})


def decode_rate(row: dict) -> Q:
    """Tokens per second of one stream if reading weights and history once per token were all: devices in turn, one at a time."""
    model, x = LLAMA_70B if "70B" in row["model"] else LLAMA_8B, row["inputs"]
    if "Q4_K_M" in row["model"]:
        parts = formats.by_component(model, "q4_k_m")
        read = formats.size(model, "q4_k_m") - parts["embedding"]
    else:
        read = weights.read(model, 1, 16)
    return 1 / roofline.memory_time(read + state.read(model, x["avg_ctx"], 16), chip(row))


def decode_time(model: str, accelerator: str, devices: int, context: int = 1) -> Q:
    """Seconds of one token if reading were all, shared by a tensor-parallel group."""
    moved = weights.read(MODELS[model], 1, 16) / devices + state.read_on_fullest(MODELS[model], context, 16, q(devices))
    return roofline.memory_time(moved, ACCELERATORS[accelerator])


def prompt_rate(row: dict) -> Q:
    """Prompt tokens per second if arithmetic at the dense peak were all."""
    length = q(row["inputs"]["prompt"])
    body, head = weights.active(LLAMA_8B) - weights.head(LLAMA_8B), weights.head(LLAMA_8B)
    work = flops.linear(body, length) + flops.linear(head, 1) + flops.attention_prompt(LLAMA_8B, length)
    return length / roofline.compute_time(work, chip(row))


def reported(row: dict, model: Record | None = None, sequence: int = 8192) -> Q:
    """FLOP/s that a training log prints: FLOP per token, attention unmasked, times tokens per second."""
    if model is None:
        each = q(row["model_config"]["flops_per_token"], "FLOP")
    else:
        each = q(6, "FLOP") * weights.active(model) + training.PASSES * flops.square(model, q(sequence)) / sequence
    return each * q(row["inputs"]["tokens_per_s_per_dev"], "1/s")


def dispatch_rate(row: dict) -> Q:
    """B/s of sending 128 tokens to eight experts each, rows of 7,168 bytes and 56 scales, as DeepEP's tables count."""
    return 128 * 8 * collectives.row_bytes(7168, 8, 128) / q(row["inputs"]["us"], "us")


MIXTRAL_LIKE = {"experts": 16, "top_k": 2, "shared_experts": 0, "expert_ffn": 32768}
EXACT = {
    "kv-llama2-13b-mha": lambda r: kept(shape(40, 40, 128), 512), "kv-glm-rumination": lambda r: kept(shape(61, 8, 128), 8192),
    "need-qwen3coder30b-262k": lambda r: kept("qwen3-30b-a3b", 262144),
    "kv-nemotron-ultra-253b": lambda r: kept(shape(64, 8, 128, without=98), 12288, 8.5, value_bits=4.5),
    "kv-mamba3b-state": lambda r: kept("mamba-2.8b", 1, conv_bits=32), "kv-r1-mla-32k": lambda r: kept("deepseek-r1", 32768),
    "kv-llama2-7b-kivi": lambda r: kept(shape(32, 32, 128), 4196), "need-gptoss120b": lambda r: kept("gpt-oss-120b", 131072, slack=1024),
    "kv-qwen3-32b-8k": lambda r: kept("qwen3-32b", 8192),
    "kv-r1-mla-q8-32k": lambda r: kept("deepseek-r1", 32768, 8.5),
    "kv-qwen3-235b-f16": lambda r: kept("qwen3-235b-a22b", 32768),
    "kv-llama31-8b-iq4nl-f16": lambda r: kept("llama-3.1-8b", 1024, 4.5, value_bits=16), "kv-r1-8k": lambda r: kept("deepseek-v3", 8192),
    "kv-kimi-k2-mha": lambda r: kept("kimi-k2", 512, layout="expanded"),
    "kv-dscoder-v2-lite": lambda r: kept("deepseek-v2-lite", 512, layout="expanded"),
    "kv-qwen3-30b-4k": lambda r: kept("qwen3-30b-a3b", 4096),
    "kv-gemma3-27b-noswa": lambda r: kept("gemma-3-27b", 131072, layout="no-window"),
    "kv-r1-mha-expanded": lambda r: kept("deepseek-r1", 512, layout="expanded"),
    "budget-r1-awq-3090": left, "budget-llama3-8b": left,
    "cap-qwen3-14b": lambda r: tokens_in(6.51, "qwen3-14b"),
    "cap-tf-qwen3-32b-tp4": lambda r: r["inputs"]["before_tokens"] * (kept("qwen3-32b", 1) / state.on_fullest(MODELS["qwen3-32b"], 1, 16, q(4))),
    "cap-qwen3-235b-h100-vllm": lambda r: tokens_in(8.11, "qwen3-235b-a22b", 4), "cap-llama31-8b-3090-29k": lambda r: tokens_in(2.89, "llama-3.1-8b"),
    "cap-llama31-8b-3090-20k": lambda r: tokens_in(3.81, "llama-3.1-8b"), "cap-kimi-k2-think-tp8": lambda r: tokens_in(46.8, "kimi-k2", 8),
    "sgl-dsv32-true": lambda r: kept("deepseek-v3.2", 1462784, layout="fp8-rows"),
    "cap-qwen3next-report": lambda r: r["inputs"]["reported_tokens"] * (MODELS["qwen3-next-80b-a3b"].layers / layers.count(
        MODELS["qwen3-next-80b-a3b"], "full")) / r["inputs"]["max_len"],
    "ds-nodes": lambda r: (q(r["inputs"]["in_tok"]) / q(1, "day") / q(r["inputs"]["prefill_node"], "1/s")
                           + q(r["inputs"]["out_tok"]) / q(1, "day") / q(r["inputs"]["decode_node"], "1/s")),
    "w-llama31-8b-3090": lambda r: weights.held(LLAMA_8B, 16), "w-llama3-8b": lambda r: formats.size(LLAMA_8B, "bf16"),
    "w-llama3-8b-tp2": lambda r: weights.on_fullest(LLAMA_8B, 16, q(2)), "w-llama3-70b-q8": lambda r: formats.size(LLAMA_70B, "q8_0"),
    "w-llama3-70b-f16": lambda r: formats.size(LLAMA_70B, "fp16"), "w-dsv3-params": lambda r: weights.total_weights(MODELS["deepseek-v3"]),
    "w-qwen3-30b-params": lambda r: weights.total_weights(MODELS["qwen3-30b-a3b"]),
    "w-qwen3-32b-params": lambda r: weights.total_weights(MODELS["qwen3-32b"]),
    "w-qwen3-235b-params": lambda r: weights.total_weights(MODELS["qwen3-235b-a22b"]),
    "w-gemma3-27b-params": lambda r: weights.total_weights(MODELS["gemma-3-27b"]) - weights.components(MODELS["gemma-3-27b"])["vision"],
    "mpt13b-a100-40": reported, "mpt7b-64k-h100": reported, "mpt70b-h100-128": reported,
    "mcore-405b-fp8": lambda r: reported(r, LLAMA_405B), "mcore-8b-fp8": lambda r: reported(r, LLAMA_8B),
    "mcore-70b-fp8": lambda r: reported(r, LLAMA_70B),
    "logits-grpo": lambda r: capacity.logits(r["inputs"]["B"] * r["inputs"]["T"], 151665),
    "mt-700b-moe": lambda r: weights.total_weights(shape(56, 8, 256, 8192, heads=128, moe=MIXTRAL_LIKE)),
    "ds-llama8b-model": lambda r: weights.held(LLAMA_8B, 16),
    "ds-llama8b-optim": lambda r: training.optimizer_bytes(weights.total_weights(LLAMA_8B)),
    "ar-h100pcie-identity": lambda r: collectives.bus_bandwidth("all-reduce", q(r["inputs"]["bytes"], "B"), 2, q(r["inputs"]["time_us"], "us")),
    "deepep-ll-dispatch-ep8": dispatch_rate, "deepep-ll-dispatch-ep256": dispatch_rate,
}
BOUND = {
    "tpot-mixtral-gptfast": lambda r: decode_time("mixtral-8x7b", "a100-sxm-80gb", 2),
    "tpot-llama31-8b-h100": lambda r: decode_time("llama-3.1-8b", "h100-sxm", 1),
    "tpot-qwen25-72b-2h100": lambda r: decode_time("qwen2.5-72b", "h100-sxm", 2, 128),
}
# Rows that teach: shown, not asserted, because the row says so; these the parts can say something about.
LESSON = {
    "table-unsloth-qwen35-27b": lambda r: kept("qwen3.5-27b", 262144) - state.constant(MODELS["qwen3.5-27b"]),
    "table-unsloth-dsv31": lambda r: kept("deepseek-v3", 163840), "table-unsloth-gemma3-27b": lambda r: kept("gemma-3-27b", 131072),
    "kv-qwen3-32b-blog": lambda r: kept("qwen3-32b", 1024), "kv-qwen15-72b-mha": lambda r: kept(shape(80, 64, 128), 32848),
    "cap-llama8b-2xv100": lambda r: tokens_in(3.76, "llama-3.1-8b", 2),
    "w-llama3-70b-q4km": lambda r: formats.size(LLAMA_70B, "q4_k_m"), "w-qwen25-7b-bnb4": lambda r: formats.size(MODELS["qwen2.5-7b"], "nf4"),
    "w-gptoss120b": lambda r: formats.size(MODELS["gpt-oss-120b"], "mxfp4"),
    "tp-galaxy-kvheads": lambda r: 1 / state.share(LLAMA_70B, "full", q(32)),
    "qwen35-35b-ssm-page": lambda r: state.elements(MODELS["qwen3.5-35b-a3b"], "gdn") * weights.width(32) * state.share(MODELS["qwen3.5-35b-a3b"],
    "gdn", 8),
}
# Rows marked exact that no part can say anything about, and why.
NOT_SAID = {"mt-10t-active": "the row does not print the model's shape"}
UNITS = {"B params": ("", 1e9), "B active": ("", 1e9), "tok/s": ("1/s", 1), "tokens": ("", 1), "x": ("", 1), "nodes": ("", 1),
"effective": ("", 1), "bytes": ("B", 1)}


def said(row: dict) -> float | None:
    """What the parts say of a row, in the unit that was observed; None where they say nothing."""
    made = EXACT.get(row["id"]) or BOUND.get(row["id"]) or LESSON.get(row["id"])
    if made is None and row["id"].startswith("tg-"):
        made = decode_rate
    if made is None and row["id"].startswith("pp-"):
        made = prompt_rate
    if made is None:
        return None
    words = row["observed"]["unit"]
    name, scale = next((UNITS[u] for u in UNITS if words.startswith(u)), (words.split()[0], 1))
    return made(row).to(name) / scale
