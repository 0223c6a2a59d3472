"""Number formats: the bits that a stored weight really takes, which tensors a format leaves wide, and what a file holds besides.

A block format stores codes in groups with a scale per group: (codes·g + scale)/g bits per weight. The sizes are those of
the formats' own definitions: OCP Microscaling v1.0 (MXFP4), NVFP4 (16 values, one FP8 scale), bitsandbytes NF4 with double
quantisation, and the block structures of ggml (bytes per block of 32 or 256 values).
"""

from functools import cache

from calc.catalog import MissingValue
from calc.parts import layers, tensors, weights
from calc.quantity import ceil, let, q, total

# slug -> (bits per quantised weight, where they come from)
BITS = {
    "fp32": (32, "plain"), "bf16": (16, "plain"), "fp16": (16, "plain"),
    "fp8": (8 + 32 / (128 * 128), "8-bit codes, one FP32 scale per 128 × 128 block"),
    "int8": (8 + 16 / 128, "8-bit codes, one 16-bit scale per 128"),
    "int4": (4 + 16 / 128, "4-bit codes, one 16-bit scale per 128"),
    "awq": (4 + (16 + 4) / 128, "4-bit codes, a 16-bit scale and a 4-bit zero per 128"),
    "gptq": (4 + (16 + 4) / 128, "4-bit codes, a 16-bit scale and a 4-bit zero per 128"),
    "mxfp4": (4 + 8 / 32, "4-bit codes, one 8-bit exponent per 32"),
    "nvfp4": (4 + 8 / 16, "4-bit codes, one FP8 scale per 16"),
    "nf4": (4 + 8 / 64 + 32 / (64 * 256), "4-bit codes, an 8-bit scale per 64, an FP32 scale per 256 of those"),
    "q8_0": (8 * 34 / 32, "34 bytes per 32"), "q6_k": (8 * 210 / 256, "210 bytes per 256"),
    "q5_k": (8 * 176 / 256, "176 bytes per 256"), "q4_k": (8 * 144 / 256, "144 bytes per 256"),
    "q3_k": (8 * 110 / 256, "110 bytes per 256"), "q2_k": (8 * 84 / 256, "84 bytes per 256"),
    "q5_0": (8 * 22 / 32, "22 bytes per 32"), "q5_1": (8 * 24 / 32, "24 bytes per 32"),
    "q4_0": (8 * 18 / 32, "18 bytes per 32"), "q4_1": (8 * 20 / 32, "20 bytes per 32"), "iq4_nl": (8 * 18 / 32, "18 bytes per 32"),
}
MIXES = {"q4_k_m": ("q4_k", "q6_k"), "q5_k_m": ("q5_k", "q6_k")}  # most tensors, and the sensitive ones
GGUF = [name for name in BITS if name[0] == "q" or name[0] == "i" and "_" in name]
NAMES = (*BITS, *MIXES)
LINEAR = ("attention", "dense_ffn", "routed_experts", "shared_experts")


def known(name):
    """The format's slug, or a refusal that names the nearest one."""
    slug = str(name).lower().replace("-", "_")
    if slug in BITS or slug in MIXES:
        return slug
    from calc.estimator import nearest

    raise MissingValue(f"format {name!r} is not known; nearest: {nearest(slug, NAMES)}")


def bits(name):
    """Bits per value of a block format, its scales included, as bytes per value (B)."""
    number, why = BITS[known(name)]
    return let("w", q(number, "bit"), f"bytes per value in {name}", "B", why)


def by_component(model, name):
    """{component: bytes} of the model stored in a format.

    GGUF formats quantise every matrix, the tables too, and keep norms and biases in 32 bits; the others quantise the
    matrices of attention and feed-forward and keep tables, routers, norms and the vision tower in 16. MXFP4 on a model
    that was released with MXFP4 experts quantises the experts only. The K_M mixes store the head, and value and
    down-projections in the blocks that llama.cpp counts as sensitive, in their wider format.
    """
    slug, parts = known(name), tensors.components(model)
    if slug in MIXES:
        return _mixed(model, slug)
    narrow, wide = bits(slug), q(16, "bit")
    plain = slug in ("fp32", "bf16", "fp16")
    experts_only = slug == "mxfp4" and layers.has_experts(model) and model.raw["moe"].get("expert_dtype") == "mxfp4"
    found = {}
    for key, count in parts.items():
        if not count.value:
            continue
        if plain or (key == "routed_experts" if experts_only else key in LINEAR) or slug in GGUF and key in ("embedding", "head"):
            found[key] = count * narrow
        elif slug in GGUF:
            found[key] = count * (q(32, "bit") if key in ("small", "router") else wide)
        else:
            found[key] = count * wide
    return found


def size(model, name):
    """Bytes of all weights of one forward pass in a format."""
    return let("W", total(list(by_component(model, name).values())), f"weights in {name}", "GB")


def per_weight(model, name):
    """Bytes per weight on average over the whole model in a format (B)."""
    return size(model, name) / weights.total_weights(model)


def sensitive(layer, depth):
    """Whether llama.cpp's K_M mixes store this block's value and down-projections wider."""
    return layer < depth // 8 or layer >= 7 * depth // 8 or (layer - depth // 8) % 3 == 2


def _mixed(model, slug):
    if not layers.is_dense(model):
        raise MissingValue(f"{model.id}: the K_M mixes are known for dense decoders only; nearest: llama-3.1-8b")
    most, more = (bits(name) for name in MIXES[slug])
    raw, parts, depth = model.raw, tensors.components(model), model.raw["layers"]
    wider = sum(sensitive(layer, depth) for layer in range(depth))
    values = model.hidden * model.attention.kv_heads * model.attention.head_dim
    down = model.hidden * model.ffn.intermediate
    # In its 70B class (80 layers, eight query heads per value head) llama.cpp never stores value projections in the narrow format.
    large = depth == 80 and raw["attention"]["heads"] == 8 * raw["attention"]["kv_heads"]
    rest = bits("q5_k") if slug == "q4_k_m" and large else most
    att = (parts["attention"] - model.layers * values) * most + values * (wider * more + (depth - wider) * rest)
    ffn = (parts["dense_ffn"] - wider * down) * most + wider * down * more
    found = {"embedding": parts["embedding"] * (more if raw["tied_embeddings"] else most), "attention": att, "dense_ffn": ffn,
             "small": parts["small"] * q(32, "bit")}
    if parts["head"].value:
        found["head"] = parts["head"] * more
    return found


@cache
def prediction_layer(model):
    """Weights of the multi-token prediction layers that the checkpoint holds (count; 0 where there are none)."""
    raw = model.raw
    if not raw.get("mtp") or not raw["mtp"].get("in_checkpoint"):
        return q(0)
    h, moe = model.hidden, layers.has_experts(model)
    kind = raw["mtp"].get("attn") or layers.blocks(model)[-1][0]
    block = [tensors.mixer(model, kind), tensors.small_mixer(model, kind), 2 * tensors.norm(model)]
    if moe:
        m = model.moe
        block += [m.experts * tensors.expert_matrices(model), h * m.experts]
        if m.raw.get("shared_experts"):
            block.append(tensors.matrices(m.raw) * h * m.shared_ffn + (h if m.raw.get("shared_gate") else 0))
        if m.raw.get("router_score_bias"):
            block.append(m.experts)
    else:
        block.append(tensors.matrices(model.ffn.raw) * h * model.ffn.intermediate)
    if raw.get("hyper_connections"):
        c = model.hyper_connections
        block.append(2 * (c * (c + 2) * c * h + c * (c + 2) + 3) + c * c * h + c + 1)
    joint = 2 * h * h + 3 * h  # the projection of token and state joined, and its three norms
    return let("N_mtp", model.mtp.layers * total([*block, joint]), "prediction layers")


def scale_blocks(model):
    """128 × 128 blocks, and so FP32 scales, of an FP8 checkpoint of a latent-attention expert model (count, prediction layers included)."""
    a, m, h = model.attention, model.moe, model.hidden
    if model.raw["attention"]["kind"] != "mla" or not a.raw.get("q_lora_rank"):
        raise MissingValue(f"{model.id}: FP8 scales are counted for DeepSeek-V3's tensors only; nearest: deepseek-v3")

    def blocks(rows, columns):
        return ceil(rows / 128) * ceil(columns / 128)

    key = a.qk_nope_head_dim + a.qk_rope_head_dim
    attention = total([blocks(a.q_lora_rank, h), blocks(a.heads * key, a.q_lora_rank), blocks(a.kv_lora_rank + a.qk_rope_head_dim, h),
                       blocks(a.heads * (a.qk_nope_head_dim + a.v_head_dim), a.kv_lora_rank), blocks(h, a.heads * a.v_head_dim)])
    extra = model.raw["mtp"]["layers"] if model.raw.get("mtp") else 0
    experts = layers.expert_layers(model) + extra
    parts = [(model.layers + extra) * attention, experts * (m.experts * 3 * blocks(m.expert_ffn, h) + 3 * blocks(m.shared_ffn, h))]
    if "dense" in layers.feed_forwards(model):
        parts.append(layers.count(model, "dense") * 3 * blocks(model.ffn.intermediate, h))
    return total(parts)


def extras(model):
    """{name: count} of what the published checkpoint holds beyond one forward pass's weights."""
    found = {}
    for name in model.raw["published"].get("extras", []):
        if name == "mtp":
            found[name] = prediction_layer(model)
        elif name == "mtp_embedding_and_head_copies":
            found[name] = 2 * tensors.table(model)
        elif name == "fp8_block_scales":
            found[name] = scale_blocks(model)
        elif name == "tied_head_stored":
            found[name] = tensors.table(model)
        elif name == "hash_routing_tables":
            found[name] = model.moe.hash_layers * model.vocab * model.moe.top_k
        elif name == "causal_mask_buffers":
            found[name] = model.layers * model.learned_positions * model.learned_positions
        else:
            raise MissingValue(f"{model.id}: what {name!r} adds to its checkpoint is not understood; nearest: mtp")
    return found


def stored(model):
    """Values in the published checkpoint (count): all weights and the extras."""
    return total([weights.total_weights(model), *extras(model).values()])
