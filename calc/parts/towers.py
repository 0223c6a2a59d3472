"""Towers: weights and arithmetic of what is no text decoder: vision towers, encoders, diffusion transformers."""

from calc.catalog import MissingValue
from calc.quantity import let, q, total


def _linear(rows, columns, bias=True):
    return rows * columns + (columns if bias else 0)


def _attention(h, inner=None, k_bias=True):
    """Four projections with biases."""
    return 4 * h * (inner or h) + (3 if k_bias else 2) * (inner or h) + h


def _block(h, f, k_bias=True):
    """A pre-norm encoder block: attention, a two-matrix feed-forward part, two norms, all with biases."""
    return _attention(h, None, k_bias) + _linear(h, f) + _linear(f, h) + 4 * h


def vision(model):
    """Weights of the vision tower and of what joins it to the text model (count)."""
    v, family = model.vision, model.raw["vision"]["family"]
    h, f = v.hidden, v.intermediate
    pixels = v.channels * v.patch * v.patch
    if family == "siglip_gemma3":
        return total([_linear(pixels, h), v.positions * h, v.layers * _block(h, f), 2 * h, h * model.hidden + h])
    if family == "qwen3_vl":
        merged = v.merge * v.merge * h
        merger = _linear(merged, merged) + _linear(merged, model.hidden)
        deep = v.raw["deepstack"] * (2 * merged + merger) if v.raw["deepstack"] else q(0)
        return total([_linear(pixels * v.temporal_patch, h), v.positions * h, v.layers * _block(h, f), 2 * h + merger, deep])
    if family in ("qwen2_vl", "qwen2_5_vl"):
        merged, thin = v.merge * v.merge * h, family == "qwen2_5_vl"  # norms without shifts, three gated matrices
        block = _attention(h) + (3 * h * f + 2 * f + h + 2 * h if thin else _linear(h, f) + _linear(f, h) + 4 * h)
        merger = (h if thin else 2 * h) + _linear(merged, merged) + _linear(merged, model.hidden)
        return total([pixels * v.temporal_patch * h, v.layers * block, merger])
    if family == "pixtral":
        joint = h + v.merge * v.merge * h * h + h * model.hidden + model.hidden * model.hidden
        return total([pixels * h, h, v.layers * (4 * h * h + 3 * h * f + 2 * h), joint])
    if family == "moonvit":
        merged = v.merge * v.merge * h
        merger = 2 * h + _linear(merged, merged) + _linear(merged, model.hidden)
        return total([_linear(pixels, h), v.positions * h, v.layers * _block(h, f), 2 * h, merger])
    if family == "llama4":
        side = v.image / v.patch
        joint = v.shuffle_in * v.adapter + v.adapter * v.adapter + v.adapter * model.hidden
        return total([pixels * h, h, (side * side + 1) * h, 4 * h, v.layers * _block(h, f), joint])
    if family == "gemma4":
        block = 4 * h * v.heads * v.head_dim + 3 * h * f + 4 * h + 2 * v.head_dim
        return total([pixels * h, 2 * v.positions * h, v.layers * block, h * model.hidden])
    raise MissingValue(f"{model.id}: vision towers of family {family!r} are not understood; nearest: qwen3_vl")


def components(model):
    """{component: count} of a model that is no text decoder, as `calc.parts.tensors.components`."""
    kind = model.raw["kind"]
    if kind == "encoder_decoder":
        return _encoder_decoder(model)
    if kind == "vision_encoder":
        return _vision_encoder(model)
    return _flux(model) if model.raw["dit"] == "flux" else _wan(model)


def _named(**parts):
    from calc.parts.tensors import SYMBOLS

    return {key: let(SYMBOLS[key][0], x, SYMBOLS[key][1]) for key, x in parts.items()}


def _encoder_decoder(model):
    h, f = model.hidden, model.ffn.intermediate
    attentions = model.encoder_layers + 2 * model.layers
    blocks = model.encoder_layers + model.layers
    biases = attentions * 3 * h + blocks * (f + h)
    norms = (2 * model.encoder_layers + 3 * model.layers + 2) * 2 * h
    convolutions = _linear(3 * model.mel_bins, h) + _linear(3 * h, h)
    positions = (model.encoder_positions + model.learned_positions) * h
    return _named(embedding=model.vocab * h, attention=attentions * 4 * h * h, dense_ffn=blocks * 2 * h * f,
                  small=total([biases, norms, convolutions, positions]))


def _vision_encoder(model):
    h, f, side = model.hidden, model.ffn.intermediate, model.image / model.patch
    biases = model.layers * (4 * h + f + h)
    small = [biases, (2 * model.layers + 1) * 2 * h, h, (side * side + 1) * h]
    return _named(embedding=_linear(3 * model.patch * model.patch, h), attention=model.layers * 4 * h * h,
                  dense_ffn=model.layers * 2 * h * f, small=total(small), head=_linear(h, model.classes))


def _flux(model):
    h, f, d = model.hidden, model.ffn.intermediate, model.attention.head_dim
    two, one = model.double_layers, model.single_layers
    times = [_linear(256, h) + _linear(h, h), _linear(model.pooled_dim, h) + _linear(h, h)]
    times += [_linear(256, h) + _linear(h, h)] if model.raw["guidance_embed"] else []
    entry = [_linear(model.in_channels, h), _linear(model.text_dim, h), *times]
    modulation = two * 2 * _linear(h, 6 * h) + one * _linear(h, 3 * h) + _linear(h, 2 * h)
    attention = two * 2 * (4 * h * h + 4 * h + 2 * d) + one * (3 * h * h + 3 * h + 2 * d)
    feed = two * 2 * (_linear(h, f) + _linear(f, h)) + one * (_linear(h, f) + _linear(h + f, h))
    return _named(attention=attention, dense_ffn=feed, other=total([*entry, modulation]), head=_linear(h, model.in_channels))


def _wan(model):
    h, f = model.hidden, model.ffn.intermediate
    patch = 4  # 1 × 2 × 2 latent positions make one token
    entry = [_linear(patch * model.in_channels, h), _linear(256, h) + _linear(h, h), _linear(h, 6 * h), _linear(model.text_dim, h) + _linear(h, h)]
    attention = model.layers * 2 * (_attention(h) + 2 * h)
    feed = model.layers * (_linear(h, f) + _linear(f, h))
    small = model.layers * (2 * h + 6 * h) + 2 * h
    return _named(attention=attention, dense_ffn=feed, small=small, other=total(entry), head=_linear(h, patch * model.in_channels))
