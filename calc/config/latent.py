"""Families with latent or compressed attention: DeepSeek, Kimi, GLM-5."""

from calc.config.families import base, experts, sparse_layers
from calc.config.fields import ConfigError, runs


def deepseek(fields):
    """DeepSeek-V2 to V3.2, Kimi-K2 and GLM-5: a latent cache, experts after a few dense blocks, an index where it is given."""
    rank = fields.integer("q_lora_rank", None)
    layers = fields.integer("num_hidden_layers")
    index = fields.integer("index_topk", None)
    kinds = ["dsa" if index else "full"] * layers
    if (types := fields.items("indexer_types", None, layers)) and index:
        if set(types) - {"full", "shared"}:
            raise ConfigError("config: indexer_types should give each block \"full\" or \"shared\"")
        kinds = ["dsa" if kind == "full" else "dsa_reuse" for kind in types]
    found = base(fields, kinds=kinds)
    found["attention"] = {"kind": "mla", "heads": fields.integer("num_attention_heads"), "q_lora_rank": rank,
                          "kv_lora_rank": fields.integer("kv_lora_rank"), "qk_nope_head_dim": fields.integer("qk_nope_head_dim"),
                          "qk_rope_head_dim": fields.integer("qk_rope_head_dim"), "v_head_dim": fields.integer("v_head_dim"),
                          "qkv_bias": False, "o_bias": False}
    if rank is None:
        del found["attention"]["q_lora_rank"]
    fields.absent("attention_bias")
    if index:
        if rank is None:
            raise ConfigError("config: q_lora_rank is missing; an index needs it")
        found["attention"]["indexer"] = {"heads": fields.integer("index_n_heads"), "head_dim": fields.integer("index_head_dim"), "top_k": index}
    found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": True, "bias": False}
    size, shared = fields.integer("moe_intermediate_size"), fields.integer("n_shared_experts", 0, least=0)
    scored = fields.word("topk_method", "noaux_tc" if fields.family != "deepseek_v2" else "greedy") == "noaux_tc"
    experts(fields, found, ("n_routed_experts", "num_experts"), ("moe_intermediate_size",), shared=size * shared, router_score_bias=scored)
    sparse_layers(fields, found, _dense(fields, layers))
    if mtp := fields.integer("num_nextn_predict_layers", 0, least=0):
        found["mtp"] = {"layers": mtp, "in_checkpoint": True}
    return found


def _dense(fields, layers):
    """Blocks without experts: the first ones, and those that `moe_layer_freq` or `mlp_layer_types` leaves out."""
    fields.read |= {"moe_layer_freq", "first_k_dense_replace"}
    types = fields.items("mlp_layer_types", None, layers)
    if types is not None:
        return {i for i, kind in enumerate(types) if kind == "dense"}
    every, first = fields.data.get("moe_layer_freq", 1), fields.integer("first_k_dense_replace", 0, least=0)
    if isinstance(every, list):
        return {i for i, routed in enumerate(fields.items("moe_layer_freq", None, layers)) if not routed}
    step = fields.integer("moe_layer_freq", 1)
    return {i for i in range(layers) if i < first or i % step}


def kimi_linear(fields):
    """Kimi Linear: three Kimi Delta blocks to one of latent attention, experts after a few dense blocks."""
    fields.absent("attn_res_block_size", "mla_use_output_gate", "latent_moe_use_norm", "attention_bias")
    layers, older = fields.integer("num_hidden_layers"), fields.data.get("linear_attn_config") is not None
    if older:
        inner = fields.nested("linear_attn_config")
        full = set(inner.items("full_attn_layers"))
        kinds = ["full" if i + 1 in full else "kda" for i in range(layers)]
        heads, width, conv = inner.integer("num_heads"), inner.integer("head_dim"), inner.integer("short_conv_kernel_size")
    else:
        kinds = ["full" if kind == "full_attention" else "kda" for kind in fields.items("layer_types", length=layers)]
        heads, width, conv = (fields.integer(name) for name in ("linear_num_heads", "linear_head_dim", "linear_conv_kernel_dim"))
    found = base(fields, kinds=kinds)
    found["linear_attention"] = {"kind": "kda", "key_heads": heads, "value_heads": heads, "key_dim": width, "value_dim": width, "conv": conv}
    rank = fields.integer("q_lora_rank", None)
    found["attention"] = {"kind": "mla", "heads": fields.integer("num_attention_heads"), "kv_lora_rank": fields.integer("kv_lora_rank"),
                          "qk_nope_head_dim": fields.integer("qk_nope_head_dim"), "qk_rope_head_dim": fields.integer("qk_rope_head_dim"),
                          "v_head_dim": fields.integer("v_head_dim"), "qkv_bias": False, "o_bias": False}
    if rank is not None:
        found["attention"]["q_lora_rank"] = rank
    found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": True, "bias": False}
    shared = fields.integer("num_shared_experts", "n_shared_experts", 0, least=0) * fields.integer("moe_intermediate_size")
    experts(fields, found, ("num_experts", "num_local_experts"), ("moe_intermediate_size",), ("num_experts_per_token", "num_experts_per_tok"),
            shared=shared, router_score_bias=True)
    sparse_layers(fields, found, _dense(fields, layers))
    return found


def deepseek_v4(fields):
    """DeepSeek-V4: one compressed key/value head, windows, indexed and coarse compression, parallel residual streams."""
    layers = fields.integer("num_hidden_layers")
    ratios = fields.items("compress_ratios")[:layers]
    rates = sorted({r for r in ratios if r})
    if len(ratios) != layers or not all(isinstance(r, int) for r in ratios) or len(rates) != 2:
        raise ConfigError("config: compress_ratios should give each block 0 or one of two rates")
    kind = {0: "v4_window", rates[0]: "v4_csa", rates[1]: "v4_hca"}
    found = base(fields, kinds=[kind[r] for r in ratios])
    found["sliding_window"] = fields.integer("sliding_window")
    found["hyper_connections"] = fields.integer("hc_mult")
    found["attention"] = {"kind": "mqa_compressed", "heads": fields.integer("num_attention_heads"), "kv_heads": 1,
                          "head_dim": fields.integer("head_dim"),
                          "qk_rope_head_dim": fields.integer("qk_rope_head_dim"), "q_lora_rank": fields.integer("q_lora_rank"),
                          "o_groups": fields.integer("o_groups"), "o_lora_rank": fields.integer("o_lora_rank"), "csa_rate": rates[0],
                          "hca_rate": rates[1], "sinks": True,
                          "indexer": {"heads": fields.integer("index_n_heads"), "head_dim": fields.integer("index_head_dim"),
                                      "top_k": fields.integer("index_topk")}}
    size, shared = fields.integer("moe_intermediate_size"), fields.integer("n_shared_experts", 0, least=0)
    experts(fields, found, ("n_routed_experts",), ("moe_intermediate_size",), shared=size * shared, router_score_bias=True,
            hash_layers=fields.integer("num_hash_layers", 0, least=0))
    found["ffn_layers"] = runs(["moe"] * layers)
    if mtp := fields.integer("num_nextn_predict_layers", 0, least=0):
        found["mtp"] = {"layers": mtp, "attn": "v4_window", "in_checkpoint": True}
    return found
