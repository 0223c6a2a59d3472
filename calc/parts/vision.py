"""Vision: what a picture or a clip becomes on its way into a language model of the Qwen3-VL family, and what that costs.

A frame is cut into square patches; m × m neighbouring patches become one token, and two successive frames share a grid.
Sizes and layers stand in the model's published configuration (`vision` of the record).
"""

from calc.quantity import ceil, let, q, total


def understood(model):
    """Whether the model is a decoder with a vision tower of this family."""
    return model.raw["kind"] == "decoder" and (model.raw.get("vision") or {}).get("family") == "qwen3_vl"


def tokens_per_frame(model, width, height):
    """Tokens of one frame (or of two successive ones), ⌈H/pm⌉·⌈W/pm⌉; `width` and `height` in pixels.

    The family's processor (`smart_resize` in transformers) first scales each side to the nearest multiple of p·m, halves to the
    even one and at least one, and the whole to limits on its pixels. Sides that it has scaled already are counted exactly here;
    others are counted as if they were filled up.
    """
    side = let("p·m", model.vision.patch * model.vision.merge * q(1, "pixel"), "pixels that one token spans", "pixel")
    return let("n_f", ceil(height / side) * ceil(width / side), "tokens of one frame")


def frame_groups(model, frames):
    """Grids of patches of a clip, ⌈f/2⌉: a single picture is one grid."""
    return ceil(frames / model.vision.temporal_patch)


def patches_per_token(model):
    """Patches that are merged into one token, m²."""
    return let("m²", model.vision.merge * model.vision.merge, "patches per token")


def cache_sets(model):
    """Sets of features that the encoder hands over, 1 + those of intermediate layers."""
    deep = model.vision.deepstack if model.raw["vision"]["deepstack"] else q(0)
    return let("s", 1 + deep, "sets of features")


def linear_work(model, patches):
    """FLOP of the encoder's matrices over `patches` patches: the patch table and L layers of 4h² + 2hf weights."""
    v = model.vision
    block = 4 * v.hidden * v.hidden + 2 * v.hidden * v.intermediate
    table = v.channels * v.patch * v.patch * v.temporal_patch * v.hidden
    return q(2, "FLOP") * patches * (v.layers * block + table)


def attention_work(model, patches, patches_per_frame):
    """FLOP of the encoder's attention: each patch sees all patches of its own frame, 4·h·L per pair."""
    v = model.vision
    return q(4, "FLOP") * v.hidden * v.layers * patches * patches_per_frame


def merger_work(model, tokens):
    """FLOP of the mergers that turn m² patches into one vector of the text model's width, one per set of features."""
    merged = let("m²h_v", patches_per_token(model) * model.vision.hidden, "merged width")
    return q(2, "FLOP") * tokens * cache_sets(model) * (merged * merged + merged * model.hidden)


def encoder_work(model, tokens, per_frame):
    """FLOP of the whole encoder for `tokens` tokens, of which `per_frame` stand in one grid."""
    four = patches_per_token(model)
    return total([linear_work(model, tokens * four), attention_work(model, tokens * four, per_frame * four), merger_work(model, tokens)])
