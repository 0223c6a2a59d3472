"""Tensors: the weights of one block, tensor by tensor, and of a whole model by component.

Counts follow the published configurations. A component's matrices are apart from its biases, norms and convolutions, which are
all in "small".
"""

from functools import cache

from calc.parts import layers, towers
from calc.quantity import let, q, total

KEYS = ("embedding", "attention", "dense_ffn", "routed_experts", "shared_experts", "router", "small", "head", "vision")
SYMBOLS = {"embedding": ("N_emb", "input table"), "attention": ("N_att", "attention and recurrence"), "dense_ffn": ("N_ffn", "dense feed-forward"),
           "routed_experts": ("N_exp", "routed experts"), "shared_experts": ("N_sh", "shared experts"), "router": ("N_rt", "routers"),
           "small": ("N_small", "norms, biases, convolutions and other small weights"), "head": ("N_head", "output head"),
           "vision": ("N_vis", "vision tower"), "other": ("N_mod", "modulation and embedders")}


def table(model):
    """Weights of one V × h table (count): the input embedding, and the output head when it is not tied."""
    return model.vocab * model.hidden


def mixer(model, kind):
    """Weights of the projections of one block of this mixer kind (count), without biases, norms and convolutions."""
    h = model.hidden
    if kind in layers.RECURRENT:
        return _recurrent(model, kind)
    a = model.attention
    if kind in layers.LATENT:
        n, key, value = a.heads, a.qk_nope_head_dim + a.qk_rope_head_dim, a.v_head_dim
        query = h * a.q_lora_rank + a.q_lora_rank * n * key if a.raw.get("q_lora_rank") else h * n * key
        latent = h * (a.kv_lora_rank + a.qk_rope_head_dim) + a.kv_lora_rank * n * (a.qk_nope_head_dim + value)
        parts = [query, latent, n * value * h]
        return total(parts + [index(model)] if kind == "dsa" else parts)
    if kind in layers.COMPRESSED:
        return _compressed(model, kind)
    heads, kv_heads, d = widths(model, kind)
    query, v = (2 if a.raw.get("output_gate") else 1) * h * heads * d, value_width(model, kind)
    if kind in layers.SHARED:
        return query + heads * v * h
    keys = h * kv_heads * d if shares_kv(model, kind) else 2 * h * kv_heads * d if v is d else h * kv_heads * (d + v)
    return total([query, keys, heads * v * h])


def own(model, kind):
    """The attention fields of a kind of block: a group of its own name where the record has one, else the model's."""
    a, kind = model.attention, layers.SHARED.get(kind, kind)
    return a.get(kind) if isinstance(a.raw.get(kind), dict) else a


def widths(model, kind):
    """(query heads, key/value heads, head width) of an attention block (counts); a kind of block may have its own."""
    a = own(model, kind)
    return a.heads if "heads" in a.raw else model.attention.heads, a.kv_heads, a.head_dim


def value_width(model, kind):
    """Width of a value head (count): that of the keys unless the record says otherwise."""
    a = own(model, kind)
    return a.v_head_dim if "v_head_dim" in a.raw else a.head_dim


def shares_kv(model, kind):
    """Whether a block computes its values from the same matrix as its keys."""
    return kind == "global" and bool(model.raw["attention"].get("global", {}).get("k_eq_v"))


def index(model):
    """Weights of one block's index (count): its queries from the query latent, one key from the width, one weight per head."""
    a, i = model.attention, model.attention.indexer
    return a.q_lora_rank * i.heads * i.head_dim + model.hidden * i.head_dim + model.hidden * i.heads


def _recurrent(model, kind):
    h = model.hidden
    if kind in layers.DELTA:
        g = model.linear_attention
        keys, values = g.key_heads * g.key_dim, g.value_heads * g.value_dim
        if kind == "kda":  # decay per channel and an output gate, both through one head's width
            return total([3 * h * values, h * g.value_heads, 2 * (h * g.value_dim + g.value_dim * values), values * h])
        return total([h * (2 * keys + 2 * values), 2 * h * g.value_heads, values * h])
    s, inner = model.ssm, inner_width(model)
    if kind == "mamba1":
        return total([2 * h * inner, inner * (s.dt_rank + 2 * s.state), s.dt_rank * inner, inner * h])
    return total([h * (2 * inner + 2 * s.groups * s.state + s.heads), inner * h])


def inner_width(model):
    """Channels inside a Mamba block (count)."""
    s = model.ssm
    return s.d_inner if s.raw.get("d_inner") else s.heads * s.head_dim


def channels(model, kind):
    """Channels that go through a recurrent block's short convolution (count)."""
    if kind in layers.DELTA:
        g = model.linear_attention
        return 2 * g.key_heads * g.key_dim + g.value_heads * g.value_dim
    return inner_width(model) + 2 * model.ssm.groups * model.ssm.state if kind == "mamba2" else inner_width(model)


def _compressed(model, kind):
    a, h = model.attention, model.hidden
    width = a.heads * a.head_dim
    parts = [h * a.q_lora_rank + a.q_lora_rank * width, h * a.head_dim, width * a.o_lora_rank + a.o_groups * a.o_lora_rank * h]
    if kind == "v4_csa":  # two overlapping windows, each with its own keys and gates
        i = a.indexer
        parts += [4 * h * a.head_dim, a.q_lora_rank * i.heads * i.head_dim + h * i.heads + 4 * h * i.head_dim]
    if kind == "v4_hca":
        parts.append(2 * h * a.head_dim)
    return total(parts)


def small_mixer(model, kind):
    """Biases, norms, sinks and convolutions of one block of this mixer kind (count, without the block's own norms)."""
    if kind == "gdn":
        g = model.linear_attention
        return channels(model, kind) * g.conv + 2 * g.value_heads + g.value_dim
    if kind == "kda":
        g = model.linear_attention
        return channels(model, kind) * g.conv + g.value_heads * g.value_dim + g.value_heads + g.value_dim
    if kind in layers.RECURRENT:
        s, inner = model.ssm, inner_width(model)
        if kind == "mamba2":
            return channels(model, kind) * (s.conv + int(bool(s.raw.get("conv_bias")))) + 3 * s.heads + inner
        norms = s.dt_rank + 2 * s.state if s.raw.get("inner_norms") else q(0)
        return inner * (s.conv + 1) + inner + inner * s.state + inner + norms
    a, raw = model.attention, model.raw["attention"]
    if kind in layers.LATENT:
        norms = a.kv_lora_rank + a.q_lora_rank if raw.get("q_lora_rank") else a.kv_lora_rank
        return norms + 2 * a.indexer.head_dim if kind == "dsa" else norms
    if kind in layers.COMPRESSED:
        parts = [a.q_lora_rank, a.head_dim, a.heads]
        if kind == "v4_csa":
            parts += [(2 * a.csa_rate + 1) * a.head_dim, (2 * a.csa_rate + 1) * a.indexer.head_dim]
        if kind == "v4_hca":
            parts.append((a.hca_rate + 1) * a.head_dim)
        return total(parts)
    heads, kv_heads, d = widths(model, kind)
    parts = [q(0)]
    if raw.get("qkv_bias"):
        parts.append(heads * d)
        if kind not in layers.SHARED:
            parts.append((kv_heads * d if raw.get("k_bias", True) else 0) + kv_heads * value_width(model, kind))
    if raw.get("o_bias"):
        parts.append(model.hidden)
    if raw.get("qk_norm"):
        wide = (heads * d, kv_heads * d) if raw["qk_norm"] == "full" else (d, d)
        parts += wide[:1] if kind in layers.SHARED else wide
    if raw.get("sinks") or own(model, kind).raw.get("sinks"):
        parts.append(heads)
    return total(parts)


def matrices(part):
    """How many matrices a feed-forward part has: 3 with a gate, 2 without."""
    return 3 if part.get("gated", True) else 2


def expert_matrices(model):
    """Weights of one routed expert's matrices (count); experts of a latent width are narrower than the model."""
    m = model.moe
    return matrices(m.raw) * (m.latent if m.raw.get("latent") else model.hidden) * m.expert_ffn


@cache
def expert(model):
    """Weights of one routed expert with its biases, p_e (count): what reading that expert reads."""
    found = expert_matrices(model)
    return let("p_e", found + 2 * model.moe.expert_ffn + model.hidden if model.raw["moe"].get("bias") else found, "weights of one expert")


def norm(model):
    """Weights of one norm (count): a scale per channel, and a shift where the norm has one."""
    return (2 if model.raw["norm"]["kind"] == "layernorm" else 1) * model.hidden


@cache
def components(model):
    """{component: count} in the order of `KEYS`: every weight of one forward pass, in exactly one of them."""
    if not layers.is_decoder(model):
        return towers.components(model)
    raw, h, kinds = model.raw, model.hidden, layers.feed_forwards(model)
    zero, small = q(0), []
    found = dict.fromkeys(KEYS, zero)
    found["embedding"] = table(model)
    found["head"] = zero if raw["tied_embeddings"] else table(model)
    found["attention"] = total([layers.count(model, k) * mixer(model, k) for k in layers.mixers(model)])
    small += [layers.count(model, k) * x for k in layers.mixers(model) if (x := small_mixer(model, k)).value]
    dense = [layers.count(model, k) for k in ("dense", "dense+moe") if k in kinds]
    if dense:
        f = model.ffn
        found["dense_ffn"] = total(dense) * matrices(f.raw) * h * f.intermediate
        if f.raw.get("bias"):
            small.append(total(dense) * ((matrices(f.raw) - 1) * f.intermediate + h))
    if layers.has_experts(model):
        m, routed = model.moe, layers.expert_layers(model)
        found["routed_experts"] = routed * m.experts * expert_matrices(model)
        found["router"] = routed * h * m.experts
        always = [matrices(m.raw) * h * m.shared_ffn + (h if m.raw.get("shared_gate") else 0)] if m.raw.get("shared_experts") else []
        always += [2 * h * m.latent] if m.raw.get("latent") else []  # down to the experts' width and back
        if always:
            found["shared_experts"] = routed * total(always)
        small += _small_experts(model, routed)
    if raw.get("hyper_connections"):
        small.append(_hyper_connections(model))
    small.append(model.layers * raw["norm"]["per_layer"] * norm(model))
    if raw["norm"].get("final"):
        small.append(norm(model))
    if raw.get("learned_positions"):
        small.append(model.learned_positions * h)
    if raw.get("embedding_norm"):
        small.append(norm(model))
    if raw.get("head_bias"):
        small.append(model.vocab)
    if raw.get("vision"):
        found["vision"] = towers.vision(model)
    found["small"] = total(small)
    return {key: let(SYMBOLS[key][0], x, SYMBOLS[key][1]) if x is not zero else x for key, x in found.items()}


def _small_experts(model, routed):
    m, small = model.moe, []
    if m.raw.get("bias"):
        small.append(routed * m.experts * (2 * m.expert_ffn + model.hidden))
    if m.raw.get("router_linear_bias"):
        small.append(routed * m.experts)
    if m.raw.get("router_score_bias"):
        small.append((routed - m.hash_layers if m.raw.get("hash_layers") else routed) * m.experts)
    if "dense+moe" in layers.feed_forwards(model):  # three more norms, a scale per channel and one per expert
        small.append(routed * (3 * model.hidden + model.hidden + m.experts))
    return small


def _hyper_connections(model):
    """Weights that mix c parallel residual streams before and after each half block, and once before the head."""
    c, h = model.hyper_connections, model.hidden
    mixes = c * (c + 2)
    return 2 * model.layers * (mixes * c * h + mixes + 3) + (c * c * h + c + 1)
