"""Models and chips of published examples that are no rows of the catalogue: only the numbers that the example prints."""

from calc.catalog import Record
from calc.quantity import q


def dense(layers, hidden, heads, kv_heads, head_dim, ffn, vocab=1, gated=True, tied=False, window=None, local=0):
    """A decoder of one dense feed-forward part per layer; of its layers, `local` see only `window` tokens."""
    raw = {
        "name": "the example's model", "kind": "decoder", "layers": layers, "hidden": hidden, "vocab": vocab, "tied_embeddings": tied,
        "attn_layers": [{"unit": ["sliding"], "repeat": local}] * bool(local) + [{"unit": ["full"], "repeat": layers - local}],
        "ffn_layers": [{"unit": ["dense"], "repeat": layers}], "source": "", "norm": {"kind": "rmsnorm", "per_layer": 2, "final": True},
        "attention": {"kind": "gqa", "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim, "qkv_bias": False, "o_bias": False},
        "ffn": {"intermediate": ffn, "gated": gated, "bias": False},
    }
    if window:
        raw["sliding_window"] = window
    return Record("example", raw, {})


def mixed(kinds, kv_heads, head_dim, wide_kv_heads=None, wide_head_dim=None, window=1024):
    """A decoder whose layers are {kind: count} of "sliding", "full" and "global" attention, for its state alone."""
    attention = {"kind": "gqa", "heads": 16, "kv_heads": kv_heads, "head_dim": head_dim, "qkv_bias": False, "o_bias": False}
    if wide_kv_heads:
        attention["global"] = {"kv_heads": wide_kv_heads, "head_dim": wide_head_dim}
    layers = sum(kinds.values())
    raw = {
        "name": "the example's model", "kind": "decoder", "layers": layers, "hidden": 2048, "vocab": 1, "tied_embeddings": True, "source": "",
        "attn_layers": [{"unit": [kind], "repeat": n} for kind, n in kinds.items()], "sliding_window": window,
        "ffn_layers": [{"unit": ["dense"], "repeat": layers}], "norm": {"kind": "rmsnorm", "per_layer": 2, "final": True},
        "attention": attention, "ffn": {"intermediate": 4096, "gated": True, "bias": False},
    }
    return Record("example", raw, {})


def chip(peak=1.0, bandwidth=1.0, memory=1.0):
    """An accelerator of so many FLOP/s, B/s and bytes."""
    raw = {"name": "the example's chip", "memory": [f"{memory!r} B", "example", ""], "memory_bandwidth": [f"{bandwidth!r} B/s", "example", ""],
           "peak": {p: [f"{peak!r} FLOP/s", "example", ""] for p in ("bf16", "int8")}}
    return Record("example", raw, {})


def flop(x):
    """A number of FLOP."""
    return q(x, "FLOP")


def byte(x):
    """A number of bytes."""
    return q(x, "B")


def rate(x):
    """A number of bytes per second."""
    return q(x, "B/s")
