"""State: the bytes that one sequence keeps between tokens (the KV cache and what replaces it)."""

from calc.parts.weights import _check, width
from calc.quantity import ceil, let


def per_value(bits):
    """Bytes per cached value, κ."""
    return let("κ", width(bits), "bytes per cached value", "B")


def per_token(model, bits):
    """Bytes of state that one more token adds to one sequence: 2·L·n_kv·d·κ (keys and values, full attention)."""
    _check(model)
    a = model.attention
    return let("σ₁", 2 * model.layers * a.kv_heads * a.head_dim * per_value(bits), "state per token", "B")


def held(model, tokens, bits):
    """Bytes of one sequence's state after `tokens` tokens, σ(tokens)."""
    return per_token(model, bits) * tokens


def per_device(model, tokens, bits, devices):
    """Bytes of one sequence's state on one of p devices that share its heads: ⌈n_kv/p⌉/n_kv of σ(tokens)."""
    heads = model.attention.kv_heads
    return held(model, tokens, bits) * (ceil(heads / devices) / heads)
