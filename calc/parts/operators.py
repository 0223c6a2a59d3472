"""Operators: the matrix multiplications, attentions and recurrences of one forward pass, one row per kind of layer.

A row says what is multiplied (rows × inner × columns), how often, and what it moves: weights, activations in and out at
16 bits, state read and written. Norms, activations' own arithmetic, softmax and rotary embedding are not counted.
"""

from calc.parts import flops, layers, state, tensors, weights
from calc.quantity import q, total

HALF = q(16, "bit")
NONE = q(0, "B")


class Operator:
    """One row: totals over `count` layers. `flops` in FLOP, the others in bytes."""

    def __init__(self, name, kind, count, shape, work, weight, activation, read=NONE, written=NONE):
        self.name, self.kind, self.count, self.shape = name, kind, count, shape
        self.flops, self.weight, self.activation, self.read, self.written = work, weight, activation, read, written

    def moved(self):
        """Bytes moved in all."""
        return total([self.weight, self.activation, self.read, self.written])


def shape(*sizes):
    """"8192 × 4096 × 6144"."""
    return " × ".join(str(int(q(size).value)) if float(q(size).value).is_integer() else f"{q(size).value:.1f}" for size in sizes)


def matmul(name, kind, count, rows, inner, columns, matrices=1, copies=1, bias=0):
    """`rows` vectors times `matrices` matrices of inner × columns, of which `copies` different ones are read (experts, streams),
    with `bias` rows of biases that no other row counts."""
    work = count * matrices * (q(2, "FLOP") * rows * inner * columns)
    weight = count * matrices * ((inner + bias) * columns * HALF if bias else inner * columns * HALF) * copies
    return Operator(name, kind, count, shape(rows, inner, matrices * columns), work, weight, count * rows * (inner + matrices * columns) * HALF)


def _attention(model, kind, count, sequences, tokens, history, bits, form):
    """Scores and weighted values of one kind of layer: arithmetic by the exact pairs, state by the rows that are consulted."""
    a = model.attention
    work = flops.of_kind(model, kind, tokens, history, form)
    heads = a.heads if kind in layers.LATENT or kind in layers.COMPRESSED else tensors.widths(model, kind)[0]
    d = a.v_head_dim if kind in layers.LATENT else a.head_dim if kind in layers.COMPRESSED else tensors.value_width(model, kind)
    read, written = state.pass_of_kind(model, kind, tokens, history, bits)
    name = "attention with index" if kind == "dsa" else "attention"
    return Operator(name, kind, count, f"{shape(tokens)} on {shape(history + tokens)} keys", count * sequences * work,
                    NONE, count * sequences * tokens * (2 * heads * d) * HALF, sequences * read, sequences * written)


def _mixer(model, kind, count, sequences, tokens, history, bits, form):
    rows, h = sequences * tokens, model.hidden
    if kind in layers.RECURRENT:
        return _recurrent(model, kind, count, sequences, tokens, bits)
    a = model.attention
    attention = _attention(model, kind, count, sequences, tokens, history, bits, form)
    if kind in layers.LATENT:
        n, key = a.heads, a.qk_nope_head_dim + a.qk_rope_head_dim
        found = [matmul("query down", kind, count, rows, h, a.q_lora_rank), matmul("query up", kind, count, rows, a.q_lora_rank, n * key)] \
            if a.raw.get("q_lora_rank") else [matmul("query", kind, count, rows, h, n * key)]
        found += [matmul("latent down", kind, count, rows, h, a.kv_lora_rank + a.qk_rope_head_dim),
                  matmul("latent up", kind, count, rows, a.kv_lora_rank, n * (a.qk_nope_head_dim + a.v_head_dim))]
        if kind == "dsa":
            i = a.indexer
            found += [matmul("index query", kind, count, rows, a.q_lora_rank, i.heads * i.head_dim),
                      matmul("index key", kind, count, rows, h, i.head_dim),
                      matmul("index weights", kind, count, rows, h, i.heads)]
        return [*found, attention, matmul("attention output", kind, count, rows, n * a.v_head_dim, h)]
    if kind in layers.COMPRESSED:
        wide, group = a.heads * a.head_dim, a.heads * a.head_dim / a.o_groups
        found = [matmul("query down", kind, count, rows, h, a.q_lora_rank), matmul("query up", kind, count, rows, a.q_lora_rank, wide),
                 matmul("key/value", kind, count, rows, h, a.head_dim)]
        if kind != "v4_window":
            found.append(matmul("compressor", kind, count, rows, h, a.head_dim, 4 if kind == "v4_csa" else 2))
        if kind == "v4_csa":
            i = a.indexer
            found += [matmul("index query", kind, count, rows, a.q_lora_rank, i.heads * i.head_dim),
                      matmul("index weights", kind, count, rows, h, i.heads),
                      matmul("index compressor", kind, count, rows, h, i.head_dim, 4)]
        return [*found, attention, matmul("grouped output down", kind, count * a.o_groups, rows, group, a.o_lora_rank),
                matmul("attention output", kind, count, rows, a.o_groups * a.o_lora_rank, h)]
    heads, kv_heads, d = tensors.widths(model, kind)
    v, gate = tensors.value_width(model, kind), 2 if model.raw["attention"].get("output_gate") else 1
    if kind in layers.SHARED:
        return [matmul("query", kind, count, rows, h, gate * heads * d), attention, matmul("attention output", kind, count, rows, heads * v, h)]
    wide = gate * heads * d + kv_heads * (d if tensors.shares_kv(model, kind) else d + v)
    return [matmul("query, key and value", kind, count, rows, h, wide), attention, matmul("attention output", kind, count, rows, heads * v, h)]


def _recurrent(model, kind, count, sequences, tokens, bits):
    rows, h, inner = sequences * tokens, model.hidden, None
    if kind == "kda":
        g = model.linear_attention
        inner = g.value_heads * g.value_dim
        entry = [matmul("query, key and value", kind, count, rows, h, 3 * inner), matmul("write strength", kind, count, rows, h, g.value_heads),
                 *_mlp("decay and output gate", kind, 2 * count, rows, h, g.value_dim, 2, columns=inner)]
    elif kind == "gdn":
        g = model.linear_attention
        inner = g.value_heads * g.value_dim
        entry = [matmul("query, key, value and gates", kind, count, rows, h, 2 * g.key_heads * g.key_dim + 2 * inner + 2 * g.value_heads)]
    else:
        s, inner = model.ssm, tensors.inner_width(model)
        if kind == "mamba1":
            entry = [matmul("in", kind, count, rows, h, 2 * inner),
                     matmul("step, input and output", kind, count, rows, inner, s.dt_rank + 2 * s.state),
                     matmul("step up", kind, count, rows, s.dt_rank, inner)]
        else:
            entry = [matmul("in", kind, count, rows, h, 2 * inner + 2 * s.groups * s.state + s.heads)]
    read, written = state.pass_of_kind(model, kind, tokens, 0, bits)
    work = count * sequences * tokens * (flops.PER_ELEMENT[kind] * q(1, "FLOP")) * state.elements(model, kind)
    step = Operator("recurrence", kind, count, f"{shape(tokens)} on {shape(state.elements(model, kind))} values", work, NONE,
                    count * rows * (tensors.channels(model, kind) + inner) * HALF, sequences * read, sequences * written)
    return [*entry, step, matmul("out", kind, count, rows, inner, h)]


def _feed_forward(model, part, count, rows):
    h, found = model.hidden, []
    if part in ("dense", "dense+moe"):
        f = model.ffn
        found += _mlp("feed-forward", part, count, rows, h, f.intermediate, tensors.matrices(f.raw))
    if part in ("moe", "dense+moe"):
        m = model.moe
        n = tensors.matrices(m.raw)
        found.append(matmul("router", part, count, rows, h, m.experts))
        if m.raw.get("shared_experts"):
            found += _mlp("shared experts", part, count, rows, h, m.shared_ffn, n)
            if m.raw.get("shared_gate"):
                found.append(matmul("gate of the shared experts", part, count, rows, h, q(1)))
        touched = weights.touched(m.experts, m.top_k, rows)
        picks = rows * m.top_k
        if m.raw.get("latent"):
            found += _mlp("latent of the experts", part, count, rows, h, m.latent, 2)
        width = m.latent if m.raw.get("latent") else h
        found += _mlp("routed experts", part, count, picks, width, m.expert_ffn, n, touched, int(bool(m.raw.get("bias"))))
    return found


def _mlp(name, part, count, rows, h, f, matrices, copies=1, bias=0, columns=None):
    return [matmul(f"{name}, in", part, count, rows, h, f, matrices - 1, copies, bias),
            matmul(f"{name}, out", part, count, rows, f, h if columns is None else columns, 1, copies, bias)]


def _small(model):
    """Small weights that a pass reads whole: not learned positions, and not the biases that experts bring themselves."""
    found = tensors.components(model)["small"]
    if model.raw.get("learned_positions"):
        found = found - model.learned_positions * model.hidden
    if layers.has_experts(model) and model.raw["moe"].get("bias"):
        found = found - layers.expert_layers(model) * model.moe.experts * (tensors.expert(model) - tensors.expert_matrices(model))
    return found


def decoder(model, tokens, history, sequences, head, bits):
    """The operators of a decoder's pass of `sequences` × `tokens` new tokens over `history` old ones; `head` is "last", "all" or "none"."""
    rows, h = sequences * tokens, model.hidden
    form = "absorbed" if q(tokens).value == 1 else "expanded"
    found = [Operator("input table", "tables", q(1), shape(rows, h), q(0, "FLOP"), rows * h * HALF, rows * h * HALF)]
    for kind in layers.mixers(model):
        found += _mixer(model, kind, layers.count(model, kind), sequences, tokens, history, bits, form)
    for part in layers.feed_forwards(model):
        found += _feed_forward(model, part, layers.count(model, part), rows)
    found.append(Operator("norms, biases, convolutions", "small", q(1), "", q(0, "FLOP"), _small(model) * HALF, NONE))
    if head != "none":
        wanted = rows if head == "all" else q(sequences)
        found.append(matmul("output head", "tables", q(1), wanted, h, model.vocab))
    return found


def _all_pairs(name, kind, count, sequences, tokens, keys, wide):
    """Attention of `tokens` positions on `keys` positions without a mask."""
    work = count * sequences * (q(4, "FLOP") * wide * tokens * keys)
    moved = count * sequences * (2 * tokens + 2 * keys) * wide * HALF
    return Operator(name, kind, count, f"{shape(tokens)} on {shape(keys)} keys", work, NONE, moved)


def _encoder_blocks(model, kind, count, sequences, tokens, streams=1):
    """Blocks whose positions all see each other; of two streams each has its own matrices, and both are read."""
    rows, h, wide = sequences * tokens, model.hidden, model.attention.heads * model.attention.head_dim
    found = [matmul("query, key and value", kind, count, rows, h, wide, 3, streams),
             _all_pairs("attention, all pairs", kind, count, sequences, tokens, tokens, wide),
             matmul("attention output", kind, count, rows, wide, h, 1, streams)]
    return found + _mlp("feed-forward", kind, count, rows, h, model.ffn.intermediate, 2, streams)


def _encoder_decoder(model, tokens, history, sequences, head, bits):
    found, h, n = [], model.hidden, layers.count(model, "cross")
    if q(history).value == 0:
        found += _encoder_blocks(model, "encoder", layers.count(model, "encoder"), sequences, model.encoder_positions)
    cross = _all_pairs("cross-attention", "cross", n, sequences, tokens, model.encoder_positions, h)
    cross.read = sequences * state.crossed(model, bits)
    rows = sequences * tokens
    found += [*_mixer(model, "full", layers.count(model, "full"), sequences, tokens, history, bits, "expanded"),
              matmul("cross query", "cross", n, rows, h, h), cross, matmul("cross output", "cross", n, rows, h, h),
              *_mlp("feed-forward", "cross", n, rows, h, model.ffn.intermediate, 2)]
    if q(history).value == 0:
        keys = matmul("cross key and value", "cross", n, sequences * model.encoder_positions, h, 2 * h)
        keys.written = sequences * state.crossed(model, bits)
        found.append(keys)
    if head != "none":
        found.append(matmul("output head", "tables", q(1), rows if head == "all" else q(sequences), h, model.vocab))
    return found


def _diffusion(model, tokens, text, sequences):
    rows, h, found = sequences * tokens, model.hidden, []
    if model.raw["dit"] == "flux":
        found += _encoder_blocks(model, "joint", layers.count(model, "joint"), sequences, tokens, 2)
        found += _encoder_blocks(model, "single", layers.count(model, "single"), sequences, tokens)
    else:
        n = layers.count(model, "self")
        found += _encoder_blocks(model, "self", n, sequences, tokens)
        found += [matmul("cross query and output", "cross", n, rows, h, h, 2),
                  matmul("cross key and value", "cross", n, sequences * text, h, h, 2),
                  _all_pairs("cross-attention", "cross", n, sequences, tokens, text, h)]
    other = tensors.components(model)["other"]
    found.append(Operator("modulation and embedders", "small", q(1), "", q(2, "FLOP") * sequences * other, other * HALF, NONE))
    return found


def of_pass(model, tokens, history, sequences, head="last", bits=16):
    """The operators of one pass of `sequences` × `tokens` new tokens over `history` old ones; `head` is "last", "all" or "none".

    A vision encoder or diffusion transformer has no history; a diffusion transformer that looks at text takes it as the number
    of text positions.
    """
    kind = model.raw["kind"]
    if kind == "decoder":
        return decoder(model, tokens, history, sequences, head, bits)
    if kind == "encoder_decoder":
        return _encoder_decoder(model, tokens, history, sequences, head, bits)
    if kind == "vision_encoder":
        return _encoder_blocks(model, "encoder", layers.count(model, "encoder"), sequences, tokens)
    return _diffusion(model, tokens, history, sequences)
