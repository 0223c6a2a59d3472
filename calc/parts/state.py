"""State: the bytes that one sequence keeps between tokens (the KV cache and what replaces it), layer kind by layer kind.

Growing: a row per token (full, global, latent and index rows; compressed layers a row per several tokens). Windowed: at
most the window. Recurrent: a matrix per head, whatever the length, read and written at every step, with a few columns
of its short convolution.

Every function takes the bits per cached value, and by name what else says how state is stored: `recurrent_bits` (32),
`conv_bits` (16), `index_bits` (default: as the cache), `value_bits` (where values are stored wider or narrower than keys),
`slack` (tokens that a window keeps beyond its width) and `layout`: "native" honours the architecture, "no-window" keeps
every token in windowed layers, "expanded" stores keys and values of every head in place of a latent, "fp8-rows" stores a
latent in 8 bits with a 32-bit scale per 128 values, its rotary key in 16 bits, and an index key with one 32-bit scale.
"""

from calc.parts import layers
from calc.parts.tensors import channels, inner_width, value_width, widths
from calc.parts.weights import width
from calc.quantity import ceil, let, q, smallest, total


class Stored:
    """How state is stored: widths in bytes per value, and the engine's layout."""

    def __init__(self, bits, recurrent_bits=32, conv_bits=16, index_bits=None, value_bits=None, layout="native", slack=0):
        if layout not in ("native", "no-window", "expanded", "fp8-rows"):
            raise ValueError(f"layout: {layout!r} is none of native, no-window, expanded, fp8-rows")
        self.kappa = per_value(bits)
        self.rho = let("ρ", width(recurrent_bits), "bytes per recurrent value", "B")
        self.conv = let("κ_c", width(conv_bits), "bytes per convolution value", "B")
        self.index = self.kappa if index_bits is None else let("κ_I", width(index_bits), "bytes per index value", "B")
        self.values = None if value_bits is None else let("κ_v", width(value_bits), "bytes per cached value of the values", "B")
        self.layout, self.slack = layout, slack


def per_value(bits):
    """Bytes per cached value, κ."""
    return let("κ", width(bits), "bytes per cached value", "B")


def index_width(model):
    """How the index keys of DeepSeek Sparse Attention are deployed, for the functions below: 8 bits each, whatever a latent takes."""
    return {"index_bits": 8} if layers.has_index(model) else {}


def row_values(model, kind, layout="native"):
    """Values that one token's row has in one block of this kind (count): keys and values, or the latent they are made from."""
    a = model.attention
    if kind in layers.LATENT:
        if layout == "expanded":
            return a.heads * (a.qk_nope_head_dim + a.qk_rope_head_dim + a.v_head_dim)
        return a.kv_lora_rank + a.qk_rope_head_dim
    if kind in layers.COMPRESSED:
        return a.head_dim
    (_, kv_heads, d), v = widths(model, kind), value_width(model, kind)
    return 2 * kv_heads * d if v is d else kv_heads * (d + v)


def _row(model, kind, stored):
    """Bytes of one token's row in one block."""
    a, latent = model.attention, kind in layers.LATENT
    if latent and stored.layout == "fp8-rows":
        return a.kv_lora_rank * q(1, "B") + a.kv_lora_rank / 128 * q(4, "B") + a.qk_rope_head_dim * q(2, "B")
    if stored.values is None:
        return row_values(model, kind, stored.layout) * stored.kappa
    if kind in layers.COMPRESSED or latent and stored.layout != "expanded":
        raise ValueError("value_bits: keys and values share one row in this model")
    if latent:
        keys, values = a.heads * (a.qk_nope_head_dim + a.qk_rope_head_dim), a.heads * a.v_head_dim
    else:
        kv_heads = widths(model, kind)[1]
        keys, values = kv_heads * widths(model, kind)[2], kv_heads * value_width(model, kind)
    return keys * stored.kappa + values * stored.values


def _index_row(model, stored):
    d = model.attention.indexer.head_dim
    return d * q(1, "B") + q(4, "B") if stored.layout == "fp8-rows" else d * stored.index


def window(model, kind):
    """Tokens that a windowed, chunked or compressed block keeps in full (count)."""
    return model.get(layers.WINDOWED.get(layers.SHARED.get(kind, kind), "sliding_window"))


def _slope(model, kind, stored):
    """Bytes that one more token adds to all blocks of this kind in the long run; None where they stop growing."""
    if kind in layers.RECURRENT or kind in layers.STATELESS or kind in layers.SHARED or kind in ("v4_window", "cross") \
            or kind in layers.WINDOWED and stored.layout != "no-window":
        return None
    row, n = _row(model, kind, stored), layers.count(model, kind)
    if kind == "dsa":
        return n * (row + _index_row(model, stored))
    if kind == "v4_csa":
        return n * (row + _index_row(model, stored)) / model.attention.csa_rate
    return n * row / model.attention.hca_rate if kind == "v4_hca" else n * row


def _windowed(model, kind, tokens, stored):
    """Bytes in the windows of all blocks of this kind; None where they have none. `tokens` of None: windows that are full."""
    if not (kind in layers.COMPRESSED or kind in layers.WINDOWED and stored.layout != "no-window"):
        return None
    room = window(model, kind) + stored.slack if stored.slack else window(model, kind)
    return layers.count(model, kind) * _row(model, kind, stored) * (room if tokens is None else smallest(tokens, room))


def elements(model, kind):
    """Values of one recurrent block's state matrices (count)."""
    if kind in layers.DELTA:
        g = model.linear_attention
        return g.value_heads * g.key_dim * g.value_dim
    return inner_width(model) * model.ssm.state


def _recurrent(model, kind, stored):
    """(bytes of the matrices, bytes of the convolution columns) of all blocks of this kind, or None."""
    if kind not in layers.RECURRENT:
        return None
    n, columns = layers.count(model, kind), (model.linear_attention if kind in layers.DELTA else model.ssm).conv - 1
    return n * elements(model, kind) * stored.rho, n * columns * channels(model, kind) * stored.conv


def _sum(parts):
    parts = [p for p in parts if p is not None]
    return total(parts) if parts else q(0, "B")


def _kinds(model):
    if model.raw["kind"] not in ("decoder", "encoder_decoder"):
        return {}
    return layers.mixers(model)


def crossed(model, bits=16, **how):
    """Bytes of keys and values of the encoder's positions that the decoder's blocks keep (0 B without an encoder)."""
    if model.raw["kind"] != "encoder_decoder":
        return q(0, "B")
    return layers.count(model, "cross") * _row(model, "cross", Stored(bits, **how)) * model.encoder_positions


def per_token(model, bits, **how):
    """Bytes of state that one more token adds to one sequence in the long run, σ₁; with full attention 2·L·n_kv·d·κ."""
    stored = Stored(bits, **how)
    return let("σ₁", _sum(_slope(model, kind, stored) for kind in _kinds(model)), "state per token", "B")


def windowed(model, tokens, bits, **how):
    """Bytes of one sequence's windows after `tokens` tokens (0 B where the model has none)."""
    stored = Stored(bits, **how)
    return _sum(_windowed(model, kind, tokens, stored) for kind in _kinds(model))


def recurrent(model, bits=16, **how):
    """Bytes of one sequence's recurrent matrices (0 B where the model has none)."""
    stored = Stored(bits, **how)
    return _sum(pair[0] for kind in _kinds(model) if (pair := _recurrent(model, kind, stored)))


def convolution(model, bits=16, **how):
    """Bytes of one sequence's convolution columns (0 B where the model has none)."""
    stored = Stored(bits, **how)
    return _sum(pair[1] for kind in _kinds(model) if (pair := _recurrent(model, kind, stored)))


def constant(model, bits=16, **how):
    """Bytes that one sequence keeps whatever its length, σ₀: recurrent matrices, convolution columns, an encoder's keys and values."""
    kept = [recurrent(model, bits, **how), convolution(model, bits, **how), crossed(model, bits, **how)]
    return let("σ₀", _nonzero(kept), "state of any length", "B")


def ceiling(model, bits, **how):
    """Bytes that the parts of the state which stop growing reach: full windows, recurrent matrices, convolution columns."""
    return _nonzero([windowed(model, None, bits, **how), constant(model, bits, **how)])


def _nonzero(parts):
    return total([p for p in parts if p.value] or [q(0, "B")])


def held(model, tokens, bits, **how):
    """Bytes of one sequence's state after `tokens` tokens, σ(tokens)."""
    slope = per_token(model, bits, **how)
    if set(_kinds(model)) <= {"full", "global", "mla", *layers.SELECTED}:
        return slope * tokens
    return _nonzero([slope * tokens, windowed(model, tokens, bits, **how), constant(model, bits, **how)])


def crossover(model, bits, **how):
    """Tokens after which the growing part of the state is as large as the full fixed part; None where nothing grows."""
    slope, fixed = per_token(model, bits, **how), ceiling(model, bits, **how)
    return fixed / slope if slope.value else None


def _read_kind(model, kind, tokens, stored):
    """(bytes of rows, bytes of index keys) that one decode step reads of all blocks of this kind."""
    n, none = layers.count(model, kind), q(0, "B")
    if kind in layers.RECURRENT or kind in layers.STATELESS or kind == "cross":
        return none, none
    row, a = _row(model, kind, stored), model.attention
    if kind in layers.SHARED:
        kept = smallest(tokens, window(model, kind)) if layers.SHARED[kind] in layers.WINDOWED and stored.layout != "no-window" else tokens
        return n * row * kept, none
    if kind in layers.SELECTED:
        return n * row * smallest(tokens, a.indexer.top_k), n * _index_row(model, stored) * tokens if kind == "dsa" else none
    kept = _windowed(model, kind, tokens, stored)
    if kind == "v4_csa":
        entries = tokens / a.csa_rate
        return kept + n * row * smallest(entries, a.indexer.top_k), n * _index_row(model, stored) * entries
    if kind == "v4_hca":
        return kept + n * row * (tokens / a.hca_rate), none
    return (n * row * tokens if kept is None else kept), none


def rows_read(model, tokens, bits, **how):
    """Bytes of keys, values and latents that one decode step reads of one sequence."""
    stored = Stored(bits, **how)
    return _nonzero([_read_kind(model, kind, tokens, stored)[0] for kind in _kinds(model)])


def index_read(model, tokens, bits, **how):
    """Bytes of index keys that one decode step scans of one sequence (0 B without an index)."""
    stored = Stored(bits, **how)
    return _nonzero([_read_kind(model, kind, tokens, stored)[1] for kind in _kinds(model)])


def read(model, tokens, bits, **how):
    """Bytes of state that one decode step moves for one sequence of `tokens` tokens, r(tokens): every row that is
    consulted, and the recurrent state twice, since it is written back."""
    if set(_kinds(model)) <= {"full", "global", "mla"}:
        return held(model, tokens, bits, **how)
    back = recurrent(model, bits, **how) + convolution(model, bits, **how)
    return _nonzero([rows_read(model, tokens, bits, **how), index_read(model, tokens, bits, **how), crossed(model, bits, **how), 2 * back])


def written(model, bits, **how):
    """Bytes of state that one new token writes: its row in every block that keeps rows, and all recurrent state."""
    stored, found = Stored(bits, **how), [recurrent(model, bits, **how), convolution(model, bits, **how)]
    for kind in _kinds(model):
        slope = _slope(model, kind, stored)
        if kind in layers.COMPRESSED or kind in layers.WINDOWED and slope is None:
            found.append(layers.count(model, kind) * _row(model, kind, stored))
        if slope is not None:
            found.append(slope)
    return _nonzero(found)


def pass_of_kind(model, kind, tokens, history, bits, **how):
    """(bytes read, bytes written) of one sequence's state by a pass of `tokens` new tokens over `history` old ones, in all
    blocks of one kind: rows that are consulted are read once, new rows and recurrent state are written once."""
    stored = Stored(bits, **how)
    if kind in layers.RECURRENT:
        moved = _sum(_recurrent(model, kind, stored))
        return moved, moved
    if kind in layers.SHARED:
        return _read_kind(model, kind, history, stored)[0], q(0, "B")
    n, row, a = layers.count(model, kind), _row(model, kind, stored), model.attention
    if kind in layers.SELECTED:
        index = _index_row(model, stored) if kind == "dsa" else q(0, "B")
        return n * (row * smallest(history, a.indexer.top_k * tokens) + index * history), n * (row + index) * tokens
    if kind not in layers.COMPRESSED:
        kept = [window(model, kind)] if kind in layers.WINDOWED and stored.layout != "no-window" else []
        return n * row * smallest(q(history), *kept), n * row * smallest(q(tokens), *kept)
    read, written = [row * smallest(history, window(model, kind))], [row * smallest(tokens, window(model, kind))]
    if kind == "v4_csa":
        index, entries = _index_row(model, stored), history / a.csa_rate
        read += [row * smallest(entries, a.indexer.top_k * tokens), index * entries]
        written.append((row + index) * tokens / a.csa_rate)
    elif kind == "v4_hca":
        read.append(row * history / a.hca_rate)
        written.append(row * tokens / a.hca_rate)
    return n * total(read), n * total(written)


def share(model, kind, devices):
    """Share of this kind's state on the fullest of `devices` devices: whole heads are dealt out, ⌈n_kv/p⌉/n_kv; a latent
    is copied to each device; a recurrent state is cut evenly."""
    if kind in layers.RECURRENT:
        return 1 / q(devices)
    if kind in layers.LATENT or kind in layers.COMPRESSED:
        return q(1)
    heads = widths(model, kind)[1]
    return ceil(heads / devices) / heads


def on_fullest(model, tokens, bits, devices, blocks=None, **how):
    """Bytes of one sequence's state that the fullest of `devices` devices holds when they share its layers by heads;
    `blocks` ({kind: how many}) are those of one pipeline stage (default: all)."""
    stored, found = Stored(bits, **how), []
    if blocks is None and set(_kinds(model)) == {"full"}:
        return held(model, tokens, bits, **how) * share(model, "full", devices)
    for kind in _kinds(model):
        slope, pair = _slope(model, kind, stored), _recurrent(model, kind, stored)
        parts = [None if slope is None else slope * tokens, _windowed(model, kind, tokens, stored), *(pair or ())]
        if kind == "cross":
            parts.append(crossed(model, bits, **how))
        part = _sum(parts) * _share(model, kind, devices, stored)
        found.append(part if blocks is None else part * (q(blocks.get(kind, 0)) / layers.count(model, kind)))
    return _nonzero(found)


def read_on_fullest(model, tokens, bits, devices, **how):
    """Bytes of one sequence's state that one decode step moves on the fullest of `devices` devices (recurrent state twice)."""
    stored, found = Stored(bits, **how), []
    for kind in _kinds(model):
        pair = _recurrent(model, kind, stored)
        moved = _nonzero([*_read_kind(model, kind, tokens, stored), *(2 * x for x in pair or ()),
                          *([crossed(model, bits, **how)] if kind == "cross" else [])])
        found.append(moved * _share(model, kind, devices, stored))
    return _nonzero(found)


def _share(model, kind, devices, stored):
    if stored.layout == "expanded" and kind in layers.LATENT:
        return ceil(model.attention.heads / devices) / model.attention.heads
    return share(model, kind, devices)


def rounded(tokens, page):
    """Tokens that are reserved when room is handed out in pages of `page` tokens: the next multiple."""
    return ceil(tokens / q(page)) * page
