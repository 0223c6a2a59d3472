"""Layers: which kinds of block a model is a list of, and how many there are of each.

Every block mixes positions (attention or a recurrence: the mixer) and then works within a position (the feed-forward
part). Mixers: full, sliding, chunked, global (full attention with heads of its own), mla (latent attention), dsa (mla
with an index that selects), dsa_reuse (the same with the selection of an earlier block), gdn (gated DeltaNet), kda (Kimi Delta), mamba1,
mamba2, v4_window, v4_csa, v4_hca (one compressed key/value head), full_reuse, sliding_reuse and
global_reuse (attention to the rows of an earlier block of their kind), none. An encoder-decoder has encoder, full (the
decoder's own) and cross; a vision encoder has encoder; a diffusion transformer has joint and single, or self and cross.
Feed-forward parts: dense, moe, dense+moe, none.
"""

from functools import cache

from calc.catalog import MissingValue
from calc.quantity import Q

WINDOWED = {"sliding": "sliding_window", "chunked": "attention_chunk"}
DELTA = ("gdn", "kda")  # a table of associations per head, corrected by its own error
RECURRENT = (*DELTA, "mamba1", "mamba2")
COMPRESSED = ("v4_window", "v4_csa", "v4_hca")
SHARED = {"full_reuse": "full", "sliding_reuse": "sliding", "global_reuse": "global"}  # read the rows of an earlier block, keep none
LATENT = ("mla", "dsa", "dsa_reuse")
SELECTED = ("dsa", "dsa_reuse")  # read at most top-k rows; the second reuses the selection of a block before it
STATELESS = ("encoder", "joint", "single", "self")  # nothing is kept from step to step
WORDS = {"full": "full-attention", "sliding": "sliding-window", "chunked": "chunked-attention", "global": "global-attention",
         "mla": "latent-attention", "dsa": "sparse latent-attention",
         "dsa_reuse": "sparse latent-attention that reuses a selection", "gdn": "gated DeltaNet", "kda": "Kimi Delta", "mamba1": "Mamba",
         "mamba2": "Mamba-2", "v4_window": "window-only", "v4_csa": "finely compressed", "v4_hca": "coarsely compressed",
         "full_reuse": "full-attention with the rows of an earlier layer",
         "sliding_reuse": "sliding-window with the rows of an earlier layer", "global_reuse": "global-attention with the rows of an earlier layer",
         "moe": "expert", "dense": "dense feed-forward", "dense+moe": "dense and expert", "encoder": "encoder",
         "cross": "cross-attention", "joint": "two-stream", "single": "one-stream", "self": "self-attention"}


@cache
def blocks(model):
    """[(mixer, feed-forward part)] of the model in order, one pair per block."""
    raw = model.raw
    if raw["kind"] != "decoder":
        return tuple(_other_blocks(raw))
    mixers = [kind for group in raw["attn_layers"] for kind in group["unit"] * group["repeat"]]
    parts = [kind for group in raw["ffn_layers"] for kind in group["unit"] * group["repeat"]]
    if (raw.get("attention") or {}).get("kind") == "mla":
        mixers = ["mla" if kind == "full" else kind for kind in mixers]
    return tuple(zip(mixers, parts))


def _other_blocks(raw):
    if raw["kind"] == "encoder_decoder":
        return [("encoder", "dense")] * raw["encoder_layers"] + [("full", "none"), ("cross", "dense")] * raw["layers"]
    if raw["kind"] == "vision_encoder":
        return [("encoder", "dense")] * raw["layers"]
    if raw["dit"] == "flux":
        return [("joint", "dense")] * raw["double_layers"] + [("single", "dense")] * raw["single_layers"]
    return [("self", "none"), ("cross", "dense")] * raw["layers"]


def _tally(kinds):
    found = {}
    for kind in kinds:
        if kind != "none":
            found[kind] = found.get(kind, 0) + 1
    return found


@cache
def mixers(model):
    """{mixer kind: number of blocks} in order of first appearance; blocks without a mixer are left out."""
    return _tally(mixer for mixer, _ in blocks(model))


@cache
def feed_forwards(model):
    """{feed-forward kind: number of blocks}; blocks without one are left out."""
    return _tally(part for _, part in blocks(model))


@cache
def count(model, kind):
    """How many blocks have this mixer or feed-forward kind: L where that is all of them, else a count L_kind."""
    number = mixers(model).get(kind, feed_forwards(model).get(kind, 0))
    if number == model.raw["layers"]:
        return model.layers
    return Q(number, op="leaf", symbol=f"L_{kind}", name=f"{model.name} {WORDS[kind]} layers", source=model.raw.get("source", ""),
             where="attn_layers" if kind in mixers(model) else "ffn_layers")


def expert_layers(model):
    """How many blocks route tokens to experts, L_e (count)."""
    return count(model, "dense+moe" if "dense+moe" in feed_forwards(model) else "moe")


def is_dense(model):
    """Whether this is a decoder with full attention and one dense feed-forward part in every layer."""
    return (model.raw["kind"] == "decoder" and set(mixers(model)) == {"full"} and set(feed_forwards(model)) == {"dense"}
            and len(set(blocks(model))) == 1)


def is_decoder(model):
    """Whether the model writes token after token (a decoder, with or without attention)."""
    return model.raw["kind"] == "decoder"


def has_experts(model):
    """Whether some layer routes its tokens to experts."""
    return model.raw.get("moe") is not None


def has_fixed_state(model):
    """Whether part of one sequence's state stops growing: windows, chunks, recurrent or compressed layers."""
    return is_decoder(model) and any(k in WINDOWED or k in RECURRENT or k in COMPRESSED for k in mixers(model))


def has_index(model):
    """Whether some layer selects what it reads by an index (sparse latent attention)."""
    return is_decoder(model) and "dsa" in mixers(model)


def has_latent(model):
    """Whether some layer keeps a latent in place of keys and values (MLA)."""
    return any(kind in LATENT for kind in mixers(model))


def need_decoder(model):
    """Refuse a model that is no decoder, naming the nearest one."""
    if not is_decoder(model):
        from calc.estimator import nearest

        others = [i for i, other in model.table.items() if is_decoder(other)]
        raise MissingValue(f"{model.id}: is no decoder on its own; nearest decoder: {nearest(model.id, others)}")
