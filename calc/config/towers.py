"""Vision towers of models that read images, and the encoders that stand alone: Whisper, ViT."""

from calc.config.fields import ConfigError, Fields
from calc.estimator import echo, nearest


def vision(data, outer=""):
    """The `vision` group of a record from a `vision_config`; older files name the family only on the outside."""
    kind = data.get("model_type") or outer
    if not isinstance(kind, str) or not kind:
        raise ConfigError("config: vision_config.model_type is missing; without vision_config the text model is counted alone")
    fields = Fields(data, f"vision_config {kind[:40]}")
    for family, (names, read) in TOWERS.items():
        if kind in names:
            return {"family": family, **read(fields)}
    known = [name for names, _ in TOWERS.values() for name in names]
    raise ConfigError(f"config: vision_config of {echo(kind)} is not understood; nearest: {nearest(kind, known)}; "
                      "without vision_config the text model is counted alone")


def _qwen(fields):
    return {"layers": fields.integer("depth"), "hidden": fields.integer("hidden_size"), "heads": fields.integer("num_heads"),
            "intermediate": fields.integer("intermediate_size"), "patch": fields.integer("patch_size"),
            "temporal_patch": fields.integer("temporal_patch_size"), "channels": fields.integer("in_channels", 3),
            "positions": fields.integer("num_position_embeddings"), "merge": fields.integer("spatial_merge_size"),
            "deepstack": len(fields.items("deepstack_visual_indexes", []))}


def _plain(fields):
    return {"layers": fields.integer("num_hidden_layers"), "hidden": fields.integer("hidden_size"), "heads": fields.integer("num_attention_heads"),
            "intermediate": fields.integer("intermediate_size"), "patch": fields.integer("patch_size"), "channels": fields.integer("num_channels", 3)}


def _siglip(fields):
    found = _plain(fields)
    image = fields.integer("image_size")
    return {**found, "positions": (image // found["patch"]) ** 2, "image": image}


def _llama4(fields):
    found, ratio = _plain(fields), fields.data.get("pixel_shuffle_ratio", 0.5)
    if ratio != 0.5:
        raise ConfigError(f"config: pixel_shuffle_ratio is {str(ratio)[:20]}, and only 0.5 is understood")
    return {**found, "image": fields.integer("image_size"), "shuffle_in": 4 * found["hidden"], "adapter": fields.integer("vision_output_dim", 4096)}


def _gemma4(fields):
    found = _plain(fields)
    return {**found, "head_dim": fields.integer("head_dim"), "positions": fields.integer("position_embedding_size")}


def _qwen2(fields):
    return {"layers": fields.integer("depth"), "hidden": fields.integer("embed_dim"), "heads": fields.integer("num_heads"),
            "intermediate": fields.integer("mlp_ratio") * fields.integer("embed_dim"), "patch": fields.integer("patch_size"),
            "temporal_patch": fields.integer("temporal_patch_size", 2), "channels": fields.integer("in_chans", "in_channels", 3),
            "merge": fields.integer("spatial_merge_size", 2)}


def _qwen25(fields):
    return {"layers": fields.integer("depth"), "hidden": fields.integer("hidden_size"), "heads": fields.integer("num_heads"),
            "intermediate": fields.integer("intermediate_size"), "patch": fields.integer("patch_size"),
            "temporal_patch": fields.integer("temporal_patch_size", 2), "channels": fields.integer("in_chans", "in_channels", 3),
            "merge": fields.integer("spatial_merge_size", 2)}


def _pixtral(fields):
    return {**_plain(fields), "merge": 2}


def _moonvit(fields):
    sides = fields.items("merge_kernel_size", [2, 2])
    if sides != [2, 2]:
        raise ConfigError("config: merge_kernel_size is not [2, 2], which is not understood")
    side = fields.integer("init_pos_emb_height", "pos_emb_height") * fields.integer("init_pos_emb_width", "pos_emb_width")
    return {"layers": fields.integer("vt_num_hidden_layers", "num_hidden_layers"), "hidden": fields.integer("vt_hidden_size", "hidden_size"),
            "heads": fields.integer("vt_num_attention_heads", "num_attention_heads"),
            "intermediate": fields.integer("vt_intermediate_size", "intermediate_size"), "patch": fields.integer("patch_size"), "channels": 3,
            "positions": side, "merge": 2}


TOWERS = {
    "qwen2_vl": (("qwen2_vl",), _qwen2), "qwen2_5_vl": (("qwen2_5_vl", "qwen2_5_vl_vision"), _qwen25), "pixtral": (("pixtral",), _pixtral),
    "moonvit": (("kimi_k25", "kimi_k25_vision"), _moonvit),
    "qwen3_vl": (("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "qwen3_5_vision", "qwen3_5_moe_vision"), _qwen),
    "siglip_gemma3": (("siglip_vision_model",), _siglip),
    "llama4": (("llama4_vision_model",), _llama4), "gemma4": (("gemma4_vision",), _gemma4),
}


def whisper(fields):
    """Whisper: an encoder of sound, a decoder that looks at it."""
    width = fields.integer("decoder_ffn_dim")
    heads, hidden = fields.integer("decoder_attention_heads"), fields.integer("d_model")
    if fields.integer("encoder_ffn_dim") != width or fields.integer("encoder_attention_heads") != heads:
        raise ConfigError("config: encoder_ffn_dim and encoder_attention_heads differ from the decoder's, which is not understood")
    return {"kind": "encoder_decoder", "layers": fields.integer("decoder_layers"), "encoder_layers": fields.integer("encoder_layers"),
            "hidden": hidden, "vocab": fields.integer("vocab_size"), "tied_embeddings": True,
            "encoder_positions": fields.integer("max_source_positions"), "learned_positions": fields.integer("max_target_positions"),
            "mel_bins": fields.integer("num_mel_bins"), "ffn": {"intermediate": width, "gated": False, "bias": True},
            "attention": {"kind": "mha", "heads": heads, "kv_heads": heads, "head_dim": hidden // heads, "qkv_bias": True, "o_bias": True}}


def vit(fields):
    """A vision transformer with a head that names classes."""
    hidden, heads = fields.integer("hidden_size"), fields.integer("num_attention_heads")
    names = fields.data.get("id2label")
    classes = len(names) if isinstance(names, dict) else fields.integer("num_labels")
    return {"kind": "vision_encoder", "layers": fields.integer("num_hidden_layers"), "hidden": hidden, "vocab": 0, "tied_embeddings": False,
            "image": fields.integer("image_size"), "patch": fields.integer("patch_size"), "classes": classes,
            "ffn": {"intermediate": fields.integer("intermediate_size"), "gated": False, "bias": True},
            "attention": {"kind": "mha", "heads": heads, "kv_heads": heads, "head_dim": hidden // heads, "qkv_bias": fields.flag("qkv_bias", True),
                          "o_bias": True}}
