"""Families with field names of their own: GPT-2, OPT, BLOOM, GPT-NeoX, GPT-J, Falcon, MPT, DBRX."""

from calc.config.families import attention, base, experts, heads_of
from calc.config.fields import ConfigError


def _with_biases(fields, intermediate, tied, norms=2, qkv=True, o=True, mlp=True, kv_heads=None):
    found = base(fields, tied, norm="layernorm", norms=norms)
    heads = heads_of(fields)
    found["attention"] = attention(fields, heads, qkv, o, kv_heads=kv_heads or heads)
    found["ffn"] = {"intermediate": intermediate, "gated": False, "bias": mlp}
    return found


def gpt2(fields):
    """GPT-2: learned positions, tied tables, biases everywhere."""
    found = _with_biases(fields, fields.integer("n_inner", None) or 4 * fields.integer("n_embd", "hidden_size"), True)
    found["learned_positions"] = fields.integer("n_positions", "n_ctx", "max_position_embeddings")
    return found


def gpt_bigcode(fields):
    """GPT-BigCode: GPT-2 with one key/value head."""
    found = gpt2(fields)
    if fields.flag("multi_query", True):
        found["attention"].update(kind="mqa", kv_heads=1)
    return found


def opt(fields):
    """OPT: learned positions with two to spare, norms before the blocks."""
    hidden = fields.integer("hidden_size")
    if fields.integer("word_embed_proj_dim", hidden) != hidden or not fields.flag("do_layer_norm_before", True):
        raise ConfigError("config: word_embed_proj_dim or do_layer_norm_before is that of OPT-350M, which is not understood")
    bias = fields.flag("enable_bias", True)
    found = _with_biases(fields, fields.integer("ffn_dim"), True, qkv=bias, o=bias, mlp=bias)
    found["learned_positions"] = fields.integer("max_position_embeddings") + 2
    return found


def bloom(fields):
    """BLOOM: a norm after the input table, no positions."""
    found = _with_biases(fields, 4 * fields.integer("hidden_size", "n_embed"), True)
    found["embedding_norm"] = True
    return found


def gpt_neox(fields):
    """GPT-NeoX and Pythia: two norms per parallel block."""
    bias = fields.flag("attention_bias", True)
    return _with_biases(fields, fields.integer("intermediate_size"), False, qkv=bias, o=bias)


def gptj(fields):
    """GPT-J: one norm per parallel block, biases in the feed-forward part and the head."""
    found = _with_biases(fields, fields.integer("n_inner", None) or 4 * fields.integer("n_embd"), False, norms=1, qkv=False, o=False)
    found["head_bias"] = found["parallel_block"] = True
    return found


def falcon(fields):
    """Falcon: multi-query or grouped heads, parallel blocks."""
    new = fields.flag("new_decoder_architecture", False)
    heads = fields.integer("num_attention_heads", "n_head")
    kv = fields.integer("num_kv_heads", "n_head_kv", heads) if new else 1 if fields.flag("multi_query", True) else heads
    parallel = fields.flag("parallel_attn", True)
    norms = fields.integer("num_ln_in_parallel_attn", 2) if new else 1 if parallel else 2
    bias = fields.flag("bias", False)
    width = fields.integer("ffn_hidden_size", None) or 4 * fields.integer("hidden_size")
    found = _with_biases(fields, width, True, norms, bias, bias, bias, kv)
    found["parallel_block"] = parallel
    return found


def mpt(fields):
    """MPT: no biases, attention biased by distance."""
    shape = fields.nested("attn_config") if fields.data.get("attn_config") else None
    usual = shape is None or shape.flag("alibi", False) and shape.word("attn_type", "multihead_attention") == "multihead_attention"
    if not fields.flag("no_bias", True) or not usual:
        raise ConfigError("config: attn_config or no_bias is not that of MPT-7B or MPT-30B, and is not understood")
    width = fields.integer("expansion_ratio", 4) * fields.integer("d_model")
    found = _with_biases(fields, width, True, qkv=False, o=False, mlp=False)
    found["norm"]["kind"] = "rmsnorm"  # a layer norm without shifts has as many weights
    return found


def dbrx(fields):
    """DBRX: experts in every block, norms without shifts."""
    shape, feed = fields.nested("attn_config"), fields.nested("ffn_config")
    found = base(fields)
    found["attention"] = attention(fields, heads_of(fields), kv_heads=shape.integer("kv_n_heads"))
    experts(feed, found, ("moe_num_experts",), ("ffn_hidden_size",), ("moe_top_k",))
    return found
