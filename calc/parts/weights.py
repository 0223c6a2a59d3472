"""Weights: how many there are, how many are multiplied per token, and how many bytes that is.

Counts follow the published configurations: a dense decoder has V·h embedding weights, per layer the attention
projections, the feed-forward matrices and the norms, and an output head unless it is tied to the embedding.
"""

from calc.catalog import MissingValue
from calc.quantity import let, q, total
from calc.units import unit


def is_dense(model):
    """Whether this is a decoder with full attention and dense feed-forward in every layer."""
    raw = model.raw
    return (raw["kind"] == "decoder" and raw["attention"]["kind"] in ("mha", "gqa", "mqa") and raw.get("moe") is None
            and all(kind == "full" for group in raw["attn_layers"] for kind in group["unit"])
            and all(kind == "dense" for group in raw["ffn_layers"] for kind in group["unit"]))


def _check(model):
    if not is_dense(model):
        raise MissingValue(f"{model.id}: only dense decoders with full attention are counted here; nearest: llama-3.1-8b")


def table(model):
    """Weights of one V × h table (count): the input embedding, and the output head when it is not tied."""
    return model.vocab * model.hidden


def attention_layer(model):
    """Weights of one layer's attention projections with their biases and query/key norms (count)."""
    a = model.attention
    width, kv = a.heads * a.head_dim, a.kv_heads * a.head_dim
    parts = [2 * model.hidden * width, 2 * model.hidden * kv]
    if a.raw.get("qkv_bias"):
        parts.append(width + 2 * kv)
    if a.raw.get("o_bias"):
        parts.append(model.hidden)
    if a.raw.get("qk_norm"):
        parts.append(2 * a.head_dim)
    return total(parts)


def total_weights(model):
    """All weights of the model, N (count)."""
    _check(model)
    raw = model.raw
    ffn = (3 if raw["ffn"].get("gated") else 2) * model.hidden * model.ffn.intermediate
    if raw["ffn"].get("bias"):
        ffn = ffn + ((2 if raw["ffn"].get("gated") else 1) * model.ffn.intermediate + model.hidden)
    norm = (2 if raw["norm"]["kind"] == "layernorm" else 1) * model.hidden
    layer = attention_layer(model) + ffn + raw["norm"]["per_layer"] * norm
    parts = [model.layers * layer, (1 if raw["tied_embeddings"] else 2) * table(model)]
    if raw["norm"].get("final"):
        parts.append(norm)
    if raw.get("learned_positions"):
        parts.append(model.learned_positions * model.hidden)
    return let("N", total(parts), "all weights")


def active(model):
    """Weights multiplied for one token, A (count): the output head is in, a separate input table is out."""
    if model.raw["tied_embeddings"]:
        return let("A", total_weights(model), "weights multiplied per token")
    return let("A", total_weights(model) - table(model), "weights multiplied per token")


def head(model):
    """Weights of the output head, H = V·h (count); it multiplies only the positions whose next token is wanted."""
    return let("H", table(model), "output head weights")


def width(bits):
    """Bytes of one value of so many bits; `bits` is a bare number or a quantity that already has the unit bit."""
    bits = q(bits)
    return bits if bits.dim == unit("bit")[1] else bits * q(1, "bit")


def per_weight(bits):
    """Bytes per weight, w."""
    return let("w", width(bits), "bytes per weight", "B")


def held(model, bits):
    """Bytes that all weights occupy: N·w."""
    return total_weights(model) * per_weight(bits)


def read(model, tokens, bits):
    """Bytes of weights that one pass over `tokens` tokens reads: A·w, whatever the number of tokens (dense)."""
    return active(model) * per_weight(bits)
