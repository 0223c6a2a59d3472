"""Families that mix kinds of blocks: gated DeltaNet, Mamba, chunked and global attention."""

from calc.config.families import attention, base, experts, heads_of, layer_kinds, sparse_layers, stepped
from calc.config.fields import ConfigError, runs


def qwen_hybrid(fields):
    """Qwen3-Next and Qwen3.5: three gated DeltaNet blocks to one of gated full attention, dense or with experts."""
    layers = fields.integer("num_hidden_layers")
    every = fields.integer("full_attention_interval", 4)
    kinds = layer_kinds(fields, layers, ["full" if (i + 1) % every == 0 else "gdn" for i in range(layers)])
    found = base(fields, kinds=kinds)
    bias = fields.flag("attention_bias", False)
    found["attention"] = attention(fields, heads_of(fields), bias, bias, "per_head", 256)
    found["attention"]["output_gate"] = fields.flag("attn_output_gate", True)
    found["linear_attention"] = {"kind": "gated_deltanet", "key_heads": fields.integer("linear_num_key_heads"),
                                 "value_heads": fields.integer("linear_num_value_heads"), "key_dim": fields.integer("linear_key_head_dim"),
                                 "value_dim": fields.integer("linear_value_head_dim"), "conv": fields.integer("linear_conv_kernel_dim")}
    if fields.integer("num_experts", None, least=0):
        shared = fields.integer("shared_expert_intermediate_size")
        experts(fields, found, ("num_experts",), ("moe_intermediate_size",), shared=shared, shared_gate=True)
        dense = stepped(fields, layers)
        if dense:
            found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": True, "bias": False}
        sparse_layers(fields, found, dense)
    else:
        found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": True, "bias": False}
    return found


def mimo_v2_flash(fields):
    """MiMo-V2-Flash: windows with sinks and heads of their own, values narrower than keys, experts with a score bias."""
    layers = fields.integer("num_hidden_layers")
    windows = fields.items("hybrid_layer_pattern", None, layers)
    found = base(fields, kinds=None if windows is None else ["sliding" if window else "full" for window in windows])
    fields.absent("n_shared_experts", "attention_bias")
    fields.read.add("attention_chunk_size")  # the window once more
    found["attention"] = {**attention(fields, heads_of(fields)), "v_head_dim": fields.integer("v_head_dim")}
    found["attention"]["sliding"] = {"heads": fields.integer("swa_num_attention_heads", found["attention"]["heads"]),
                                     "kv_heads": fields.integer("swa_num_key_value_heads"),
                                     "head_dim": fields.integer("swa_head_dim", found["attention"]["head_dim"]),
                                     "v_head_dim": fields.integer("swa_v_head_dim", found["attention"]["v_head_dim"]),
                                     "sinks": fields.flag("add_swa_attention_sink_bias", True)}
    fields.absent("add_full_attention_sink_bias")
    found["sliding_window"] = fields.integer("sliding_window")
    found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": True, "bias": False}
    experts(fields, found, ("n_routed_experts", "num_local_experts"), ("moe_intermediate_size",), router_score_bias=True)
    types = fields.items("mlp_layer_types", None, layers)
    routed = [kind == "sparse" for kind in types] if types is not None else fields.items("moe_layer_freq", None, layers)
    sparse_layers(fields, found, {i for i in range(layers) if not routed[i]})
    return found


def llama4_text(fields):
    """Llama 4: three chunked blocks to one of full attention, experts in every or every other block."""
    layers = fields.integer("num_hidden_layers")
    marked = fields.items("no_rope_layers", None) or [int((i + 1) % 4 != 0) for i in range(layers)]
    kinds = layer_kinds(fields, layers, ["chunked" if rope else "full" for rope in marked])
    found, chunk = base(fields, kinds=kinds), fields.integer("attention_chunk_size", 8192)
    found["attention"] = attention(fields, heads_of(fields), fields.flag("attention_bias", False), fields.flag("attention_bias", False))
    fields.flag("use_qk_norm", False)
    if "chunked" in kinds:
        found["attention_chunk"] = chunk
    size = fields.integer("intermediate_size")
    found["ffn"] = {"intermediate": fields.integer("intermediate_size_mlp"), "gated": True, "bias": False}
    experts(fields, found, ("num_local_experts",), ("intermediate_size",), shared=size)
    step, listed = fields.integer("interleave_moe_layer_step", 1), fields.items("moe_layers", None)
    routed = set(listed) if listed else set(range(step - 1, layers, step))
    sparse_layers(fields, found, set(range(layers)) - routed)
    return found


def gemma4_text(fields):
    """Gemma 4 without per-layer inputs: windows, global blocks with heads of their own, and last blocks that read earlier rows."""
    fields.absent("hidden_size_per_layer_input", "use_double_wide_mlp")
    layers = fields.integer("num_hidden_layers")
    kinds = ["global" if kind == "full" else kind for kind in layer_kinds(fields, layers)]
    first = layers - fields.integer("num_kv_shared_layers", 0, least=0)
    kinds = [kind if i < first else f"{kind}_reuse" for i, kind in enumerate(kinds)]
    found = base(fields, tied=True, norms=4, kinds=kinds)
    found["attention"] = attention(fields, heads_of(fields), False, False, "per_head")
    shared = fields.flag("attention_k_eq_v", False)
    own = {"kv_heads": fields.integer("num_global_key_value_heads", found["attention"]["kv_heads"]),
           "head_dim": fields.integer("global_head_dim", found["attention"]["head_dim"])}
    found["attention"]["global"] = {**own, "k_eq_v": shared}
    found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": True, "bias": False}
    if fields.flag("enable_moe_block", False):
        experts(fields, found, ("num_experts",), ("moe_intermediate_size",), ("top_k_experts",))
        found["ffn_layers"] = runs(["dense+moe"] * layers)
    return found


LETTERS = {"mamba": "M", "attention": "*", "full_attention": "*", "mlp": "-", "moe": "E"}


def nemotron_h(fields):
    """Nemotron-H and Nemotron 3: Mamba-2 (M), attention (*), feed-forward (-) and expert (E) blocks, one norm each."""
    fields.absent("use_bias", "mamba_proj_bias", "mlp_bias")
    listed = fields.items("layers_block_type", None)
    pattern = fields.word("hybrid_override_pattern") if listed is None else "".join(LETTERS.get(str(kind), "?") for kind in listed)
    layers = fields.data["num_hidden_layers"] = fields.integer("num_hidden_layers", len(pattern))
    if len(pattern) != layers or set(pattern) - set("M*-E"):
        raise ConfigError(f"config: hybrid_override_pattern should have {layers} letters out of M, *, - and E")
    found = base(fields, norms=1, kinds=[{"M": "mamba2", "*": "full"}.get(letter, "none") for letter in pattern])
    found["ffn_layers"] = runs([{"-": "dense", "E": "moe"}.get(letter, "none") for letter in pattern])
    if "*" in pattern:
        found["attention"] = attention(fields, heads_of(fields), fields.flag("attention_bias", False), fields.flag("attention_bias", False),
                                       head_dim=fields.integer("attention_head_dim", None))
    if "M" in pattern:
        found["ssm"] = {"kind": "mamba2", "heads": fields.integer("mamba_num_heads"), "head_dim": fields.integer("mamba_head_dim"),
                        "groups": fields.integer("n_groups"), "state": fields.integer("ssm_state_size"), "conv": fields.integer("conv_kernel"),
                        "conv_bias": fields.flag("use_conv_bias", True)}
    if "-" in pattern:
        found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": False, "bias": False}
    if "E" in pattern:
        kept = found["ffn_layers"]
        count = fields.integer("n_shared_experts", 0, least=0)
        shared = fields.integer("moe_shared_expert_intermediate_size") * count if count else 0
        experts(fields, found, ("n_routed_experts",), ("moe_intermediate_size",), shared=shared, gated=False, router_score_bias=True)
        if latent := fields.integer("moe_latent_size", None):
            found["moe"]["latent"] = latent
        found["ffn_layers"] = kept
    return found


def _mamba1(fields, hidden, prefix=""):
    expand = fields.integer(f"{prefix}expand", 2)
    names = ("mamba_d_state", "mamba_d_conv", "mamba_dt_rank") if prefix else ("state_size", "conv_kernel", "time_step_rank")
    if not fields.flag("mamba_conv_bias" if prefix else "use_conv_bias", True):
        raise ConfigError("config: use_conv_bias is false, which is not understood for Mamba")
    rank = fields.data.get(names[2])
    rank = -(-hidden // 16) if rank in (None, "auto") else fields.integer(names[2])
    inner = expand * hidden if prefix else fields.integer("intermediate_size", expand * hidden)
    return {"kind": "mamba1", "d_inner": inner, "state": fields.integer(names[0]), "dt_rank": rank, "conv": fields.integer(names[1])}


def jamba(fields):
    """Jamba: one attention block in a period of Mamba blocks, experts in every other block."""
    fields.absent("mamba_proj_bias")
    layers = fields.integer("num_hidden_layers")
    period, offset = fields.integer("attn_layer_period"), fields.integer("attn_layer_offset", least=0)
    found = base(fields, kinds=["full" if i % period == offset else "mamba1" for i in range(layers)])
    found["attention"] = attention(fields, heads_of(fields))
    found["ssm"] = {**_mamba1(fields, found["hidden"], "mamba_"), "inner_norms": True}
    found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": True, "bias": False}
    if fields.integer("num_experts", 1) > 1:
        experts(fields, found, ("num_experts",), ("intermediate_size",))
        period, offset = fields.integer("expert_layer_period"), fields.integer("expert_layer_offset", least=0)
        sparse_layers(fields, found, {i for i in range(layers) if i % period != offset})
    return found


def _no_attention(fields, found, ssm):
    found["ssm"] = ssm
    found["ffn_layers"] = runs(["none"] * found["layers"])
    return found


def mamba(fields):
    """Mamba: recurrent blocks alone."""
    fields.absent("use_bias")
    layers = fields.integer("num_hidden_layers", "n_layer")
    found = base(fields, tied=True, norms=1, kinds=["mamba1"] * layers)
    return _no_attention(fields, found, _mamba1(fields, found["hidden"]))


def mamba2(fields):
    """Mamba-2: recurrent blocks alone."""
    fields.absent("use_bias")
    layers = fields.integer("num_hidden_layers", "n_layer")
    found = base(fields, norms=1, kinds=["mamba2"] * layers)
    return _no_attention(fields, found, {
        "kind": "mamba2", "heads": fields.integer("num_heads"), "head_dim": fields.integer("head_dim"), "groups": fields.integer("n_groups"),
        "state": fields.integer("state_size"), "conv": fields.integer("conv_kernel"), "conv_bias": fields.flag("use_conv_bias", True)})
