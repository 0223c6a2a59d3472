"""Arithmetic: FLOP of a pass, a multiply-add counted as 2, layer kind by layer kind; causal pairs are counted exactly.

Recurrent layers have a convention of their own: 7 FLOP per state element and token in gated DeltaNet, 5 in Mamba.
A latent can be used in two forms: "absorbed" works on the latent itself (what engines do when decoding), "expanded"
rebuilds keys and values of every head (what they do with a prompt).
"""

from functools import cache

from calc.parts import layers, state
from calc.parts.tensors import value_width, widths
from calc.quantity import floor, let, positive, q, smallest, total

PER_ELEMENT = {"gdn": 7, "kda": 7, "mamba1": 5, "mamba2": 5}
FLOP = q(1, "FLOP")


def per_key(model, kind, form="absorbed"):
    """FLOP of one new token and one key it attends to, in one block: scores and weighted values, 2·n_q·(d + d_v), usually 4·n_q·d."""
    a = model.attention
    if kind in layers.LATENT:
        wide = a.kv_lora_rank + a.qk_rope_head_dim + a.kv_lora_rank if form == "absorbed" \
            else a.qk_nope_head_dim + a.qk_rope_head_dim + a.v_head_dim
        return q(2, "FLOP") * a.heads * wide
    if kind in layers.COMPRESSED:
        return q(4, "FLOP") * a.heads * a.head_dim
    (heads, _, d), v = widths(model, kind), value_width(model, kind)
    return q(4, "FLOP") * heads * d if v is d else q(2, "FLOP") * heads * (d + v)


def per_index_key(model):
    """FLOP of scoring one index key for one new token in one block: 2·n_I·d_I."""
    return q(2, "FLOP") * model.attention.indexer.heads * model.attention.indexer.head_dim


@cache
def recurrent_step(model):
    """FLOP of one token's recurrences in all blocks, whatever came before (0 where there are none)."""
    found = [layers.count(model, k) * (PER_ELEMENT[k] * FLOP) * state.elements(model, k)
             for k in layers.mixers(model) if k in layers.RECURRENT]
    return let("φ₀", total(found) if found else q(0, "FLOP"), "arithmetic of the recurrences per token", "FLOP")


@cache
def attention_per_key(model, form="absorbed"):
    """FLOP by which one new token's attention grows with each key in the long run; with full attention 4·L·n_q·d."""
    layers.need_decoder(model)
    if set(layers.mixers(model)) == {"full"} and "v_head_dim" not in model.raw["attention"]:
        a = model.attention
        return let("φ₁", q(4, "FLOP") * model.layers * a.heads * a.head_dim, "attention arithmetic per key", "FLOP")
    found = []
    for kind in layers.mixers(model):
        n = layers.count(model, kind)
        if kind == "dsa":
            found.append(n * per_index_key(model))
        elif kind == "v4_csa":
            found.append(n * per_index_key(model) / model.attention.csa_rate)
        elif kind == "v4_hca":
            found.append(n * per_key(model, kind) / model.attention.hca_rate)
        elif layers.SHARED.get(kind, kind) in ("full", "global", "mla"):
            found.append(n * per_key(model, kind, form))
    return let("φ₁", total(found) if found else q(0, "FLOP"), "attention arithmetic per key", "FLOP")


def attention_step(model, keys, form="absorbed"):
    """FLOP of one new token's attention and recurrences when it sees `keys` keys, itself included, φ(keys)."""
    layers.need_decoder(model)
    if set(layers.mixers(model)) <= {"full", "global", "mla"}:
        return attention_per_key(model, form) * keys
    return _work(model, form, _Step(keys), 1)


def attention_prompt(model, prompt, history=None, form="expanded"):
    """FLOP of causal attention and recurrences over P new tokens after `history` old ones (default: none): each token sees
    all before it and itself, P·H + P(P+1)/2 pairs in a full-attention block."""
    layers.need_decoder(model)
    if set(layers.mixers(model)) <= {"full", "global", "mla"}:
        pairs = prompt * (prompt + 1) / 2
        return attention_per_key(model, form) * (pairs if history is None else prompt * history + pairs)
    if history is None:
        return _work(model, form, _Sum(prompt), prompt)
    return _work(model, form, _Sum(history + prompt), prompt, _Sum(history))


def square(model, prompt, form="expanded"):
    """FLOP of attention over a prompt as if nothing were masked, P² pairs in every block: some kernels and many reports."""
    found = [layers.count(model, k) * per_key(model, k, form) for k in layers.mixers(model) if k not in layers.RECURRENT]
    return total(found) * (prompt * prompt) if found else q(0, "FLOP")


class _Step:
    """How many keys, windowed keys, compressed entries one token that sees `n` keys works on."""

    def __init__(self, n):
        self.n = q(n)

    def every(self):
        return self.n

    def at_most(self, width):
        return smallest(self.n, width)

    def entries(self, rate, most=None):
        found = floor(self.n / rate)
        return found if most is None else smallest(found, most)

    def chunked(self, width):
        return self.at_most(width)  # the worst place in a chunk: its end


class _Sum:
    """The same, summed over tokens that see 1, 2, ..., n keys; all in closed form."""

    def __init__(self, n):
        self.n = q(n)

    def every(self):
        return self.n * (self.n + 1) / 2

    def at_most(self, width):
        short = smallest(self.n, width)
        return short * (short + 1) / 2 + (self.n - short) * width

    def entries(self, rate, most=None):
        n = self.n if most is None else smallest(self.n, rate * most)
        full = floor(n / rate)
        found = rate * (full * (full - 1) / 2) + full * (n - rate * full + 1)
        return found if most is None else found + positive(self.n - n) * most

    def chunked(self, width):
        full = floor(self.n / width)
        rest = self.n - full * width
        return full * (width * (width + 1) / 2) + rest * (rest + 1) / 2


def _one(model, kind, form, counted):
    """FLOP of attention in one block of this kind; `counted(name, ...)` is how many keys or entries are worked on."""
    each, a, kind = per_key(model, kind, form), model.attention, layers.SHARED.get(kind, kind)
    if kind == "sliding":
        return each * counted("at_most", model.sliding_window)
    if kind == "chunked":
        return each * counted("chunked", model.attention_chunk)
    if kind in layers.SELECTED:
        chosen = each * counted("at_most", a.indexer.top_k)
        return chosen + per_index_key(model) * counted("every") if kind == "dsa" else chosen
    if kind in layers.COMPRESSED:
        work = each * counted("at_most", model.sliding_window)
        if kind == "v4_csa":
            return total([work, each * counted("entries", a.csa_rate, a.indexer.top_k), per_index_key(model) * counted("entries", a.csa_rate)])
        return work + each * counted("entries", a.hca_rate) if kind == "v4_hca" else work
    return each * counted("every")


def _work(model, form, keys, tokens, before=None):
    """FLOP in all blocks: work per key times the keys of `keys`, less those of `before`."""
    counted = _counted(keys, before)
    found = [layers.count(model, kind) * _one(model, kind, form, counted) for kind in layers.mixers(model) if kind not in layers.RECURRENT]
    steady = recurrent_step(model)
    if steady.value:
        found.append(steady if isinstance(tokens, int) and tokens == 1 else steady * tokens)
    return total(found)


def _counted(keys, before=None):
    def counted(name, *how):
        found = getattr(keys, name)(*how)
        return found if before is None else found - getattr(before, name)(*how)

    return counted


def of_kind(model, kind, tokens, history, form):
    """FLOP of attention in one block of this kind, for one sequence of `tokens` new tokens after `history` old ones."""
    if q(tokens).value == 1:
        return _one(model, kind, form, _counted(_Step(history + tokens)))
    return _one(model, kind, form, _counted(_Sum(history + tokens), _Sum(history) if q(history).value else None))


def linear(weights, tokens):
    """FLOP of multiplying `tokens` vectors with `weights` weights: 2 per weight and token."""
    work = q(2, "FLOP") * weights
    return work if isinstance(tokens, int) and tokens == 1 else work * tokens
