"""Weights: how many there are, how many are multiplied per token, how many a pass reads, what a device holds, in bytes too.

`total_weights` is one forward pass's model, and recounts to the published total: prediction layers, second copies of a tied
table and quantisation scales that a checkpoint file holds besides are `calc.parts.formats.extras`.
"""

from functools import cache

from calc.catalog import MissingValue
from calc.parts import layers
from calc.parts.layers import is_dense  # noqa: F401  the place where estimators look for it
from calc.parts.tensors import components, expert, index, matrices, shares_kv, table, value_width, widths  # noqa: F401  likewise
from calc.quantity import ceil, let, q, total
from calc.units import unit


@cache
def total_weights(model):
    """All weights of the model, N (count)."""
    return let("N", total([x for x in components(model).values() if x.value]), "all weights")


@cache
def active(model):
    """Weights multiplied for one token, A (count): the output head is in; a separate input table, positions, the vision
    tower and the experts that were not picked are out."""
    layers.need_decoder(model)
    found, raw = total_weights(model), model.raw
    if not raw["tied_embeddings"]:
        found = found - components(model)["embedding"]
    if raw.get("learned_positions"):
        found = found - model.learned_positions * model.hidden
    if raw.get("vision"):
        found = found - components(model)["vision"]
    if layers.has_experts(model):
        found = found - layers.expert_layers(model) * (model.moe.experts - model.moe.top_k) * expert(model)
    return let("A", found, "weights multiplied per token")


def active_with_table(model):
    """`active` and, where it is separate, the input table (count): the convention of some vendors."""
    return active(model) if model.raw["tied_embeddings"] else active(model) + table(model)


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


def touched(experts, picked, tokens):
    """Experts of a layer of E that `tokens` tokens are expected to touch: E(1 − (1 − k/E)^n); one token touches k."""
    return experts * (1 - (1 - picked / experts) ** tokens)


@cache
def always_read(model):
    """Weights that any pass reads, whichever experts it picks, A − L_e·k·p_e (count)."""
    picked = layers.expert_layers(model) * model.moe.top_k * expert(model)
    return let("A₀", active(model) - picked, "weights that every pass reads")


def experts_touched(model, tokens):
    """Experts of one layer that a pass over `tokens` tokens is expected to touch, u(n)."""
    return let("u", touched(model.moe.experts, model.moe.top_k, tokens), "experts touched per layer")


def read_count(model, tokens):
    """Weights that a pass over `tokens` tokens reads, R(n) (count): A, and in an expert model A₀ + L_e·u(n)·p_e."""
    if not layers.has_experts(model):
        return active(model)
    return always_read(model) + layers.expert_layers(model) * experts_touched(model, tokens) * expert(model)


def read(model, tokens, bits):
    """Bytes of weights that one pass over `tokens` tokens reads: R(n)·w."""
    return read_count(model, tokens) * per_weight(bits)


def routers(model):
    """Weights of all routers (count); every device needs them whole."""
    return components(model)["router"]


@cache
def copied(model, kind):
    """Weights of one block's mixer that no cut by heads divides (count): the down-projections of a latent, and its index."""
    if kind not in layers.LATENT:
        return q(0)
    a = model.attention
    rank = a.kv_lora_rank + a.qk_rope_head_dim
    parts = [model.hidden * (a.q_lora_rank + rank if a.raw.get("q_lora_rank") else rank)]
    return total(parts + [index(model)] if kind == "dsa" else parts)


def count_on_fullest(model, devices, attention_split="tensor"):
    """Weights on the fullest of g devices (count): N cut into g, but routers, latent down-projections and indexes whole, and
    the key and value projections of heads that exist more than once. With attention_split "data-parallel" every device has
    all attention matrices. Compressed attention (DeepSeek-V4) is refused: how engines cut it is not known."""
    layers.need_decoder(model)
    if any(kind in layers.COMPRESSED for kind in layers.mixers(model)):
        raise MissingValue(f"{model.id}: how compressed attention is cut over devices is not known; nearest: deepseek-v3")
    whole = [routers(model)] if routers(model).value else []
    extra = []
    if attention_split == "data-parallel":
        whole.append(components(model)["attention"])
    else:
        for kind in layers.mixers(model):
            if copied(model, kind).value:
                whole.append(layers.count(model, kind) * copied(model, kind))
            elif kind not in layers.RECURRENT and kind not in layers.LATENT and kind not in layers.SHARED:
                heads, d = widths(model, kind)[1:]
                wide = d if shares_kv(model, kind) else d + value_width(model, kind)
                beyond = ceil(heads / devices) / heads - 1 / q(devices)
                extra.append(layers.count(model, kind) * model.hidden * heads * wide * beyond)
    kept = let("r", total(whole) if whole else q(0), "weights that every device has")
    return total([(total_weights(model) - kept) / devices, kept, *[x for x in extra if x.value]])


def on_fullest(model, bits, devices, attention_split="tensor"):
    """Bytes of weights on the fullest of g devices that share the model by tensor parallelism."""
    return count_on_fullest(model, devices, attention_split) * per_weight(bits)
