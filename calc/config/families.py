"""Families of decoders whose blocks are attention and a feed-forward part, and the table of all families by `model_type`.

What a configuration does not say (whether a family's projections have biases, how many norms a block has, whether the tables
are tied unless it says otherwise) is taken from the configuration and model classes of the Transformers library.
"""

from calc.config.fields import ConfigError, runs
from calc.inputs import echo

LAYER_TYPES = {"full_attention": "full", "attention": "full", "sliding_attention": "sliding", "chunked_attention": "chunked",
               "linear_attention": "gdn", "sliding": "sliding", "full": "full"}


def attention(fields, heads, qkv_bias=False, o_bias=False, qk_norm=None, head_dim=None, kv_heads=None):
    """The `attention` group: widths as given, the head width width/heads only where the family says so."""
    kv = kv_heads or fields.integer("num_key_value_heads", "num_kv_heads", heads)
    if heads % kv:
        raise ConfigError(f"config: num_attention_heads {heads} is no multiple of num_key_value_heads {kv}")
    width = fields.integer("head_dim", "kv_channels", None) or head_dim
    if width is None:
        hidden = fields.integer("hidden_size", "n_embd", "d_model")
        if hidden % heads:
            raise ConfigError(f"config: head_dim is missing, and hidden_size {hidden} is no multiple of {heads} heads")
        width = hidden // heads
    found = {"kind": "mha" if kv == heads else "mqa" if kv == 1 else "gqa", "heads": heads, "kv_heads": kv, "head_dim": width,
             "qkv_bias": qkv_bias, "o_bias": o_bias}
    if qk_norm:
        found["qk_norm"] = qk_norm
    return found


def layer_kinds(fields, layers, otherwise=None):
    """The mixer of each block from `layer_types`, or `otherwise` (a list, by default full attention everywhere)."""
    given = fields.items("layer_types", None, layers)
    if given is None:
        return otherwise or ["full"] * layers
    unknown = [kind for kind in given if kind not in LAYER_TYPES]
    if unknown:
        raise ConfigError(f"config: layer_types has {echo(unknown[0])}, which is not understood; known: {', '.join(LAYER_TYPES)}")
    return [LAYER_TYPES[kind] for kind in given]


def base(fields, tied=False, final=True, norm="rmsnorm", norms=2, kinds=None):
    """The groups every decoder has."""
    layers = fields.integer("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    kinds = kinds or layer_kinds(fields, layers)
    found = {"layers": layers, "hidden": fields.integer("hidden_size", "n_embd", "d_model"), "vocab": fields.integer("vocab_size"),
             "tied_embeddings": fields.flag("tie_word_embeddings", tied), "attn_layers": runs(kinds), "ffn_layers": runs(["dense"] * layers),
             "norm": {"kind": norm, "per_layer": norms, "final": final}}
    if "sliding" in kinds:
        found["sliding_window"] = fields.integer("sliding_window")
    return found


def heads_of(fields):
    """How many query heads there are."""
    return fields.integer("num_attention_heads", "n_head", "n_heads")


def llama(tied=False, gated=True, norm="rmsnorm", norms=2, final=True, qkv=None, o=None, mlp=None, qk_norm=None, head_dim=None, more=None):
    """A family of plain decoders. `qkv`, `o` and `mlp` say where biases are: a field's name with its default, or True."""
    def read(fields):
        def bias(rule):
            return rule if isinstance(rule, bool) else False if rule is None else fields.flag(*rule)

        found = base(fields, tied, final, norm, norms, windows(fields, more))
        found["attention"] = attention(fields, heads_of(fields), bias(qkv), bias(o), qk_norm, head_dim)
        found["ffn"] = {"intermediate": fields.integer("intermediate_size"), "gated": gated, "bias": bias(mlp)}
        if more:
            more(fields, found)
        return found

    return read


def windows(fields, more):
    """The mixer of each block of a family whose configuration may turn windows on without listing them."""
    layers = fields.integer("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    window = fields.integer("sliding_window", None, least=0)
    if not window or not fields.flag("use_sliding_window", not fields.family.startswith("qwen")):
        return layer_kinds(fields, layers)
    if fields.family in ("mistral", "ministral", "phi3", "starcoder2", "mixtral"):
        return layer_kinds(fields, layers, ["sliding"] * layers)
    if fields.family.startswith("qwen"):
        first = fields.integer("max_window_layers", 28, least=0)
        return layer_kinds(fields, layers, ["sliding" if i >= first else "full" for i in range(layers)])
    if more is None and fields.items("layer_types", None) is None:
        raise ConfigError(f"config: sliding_window is set, and which blocks of family {fields.family!r} have it is not understood")
    return layer_kinds(fields, layers)


def every_nth_full(n):
    """Sliding windows but for each n-th block, unless `layer_types` says otherwise."""
    def more(fields, found):
        names = [name for name in ("sliding_window_pattern", "layer_switch") if not isinstance(fields.data.get(name), str)]
        size = fields.integer(*names, n) if names else n
        if fields.items("layer_types", None) is None:
            found["attn_layers"] = runs(["full" if (i + 1) % size == 0 else "sliding" for i in range(found["layers"])])
            found["sliding_window"] = fields.integer("sliding_window")

    return more


def experts(fields, found, count, size, top=("num_experts_per_tok", "experts_per_token"), shared=0, **more):
    """The `moe` group: `count` and `size` are the names of the fields for the number of experts and their width."""
    number = fields.integer(*count)
    picked = fields.integer(*top)
    if picked > number:
        raise ConfigError(f"config: num_experts_per_tok is {picked}, more than the {number} experts")
    found["moe"] = {"experts": number, "top_k": picked, "shared_experts": 1 if shared else 0, "expert_ffn": fields.integer(*size), **more}
    if shared:
        found["moe"]["shared_ffn"] = shared
    found["ffn_layers"] = runs(["moe"] * found["layers"])


def sparse_layers(fields, found, dense):
    """Put experts into every block but those in `dense`."""
    found["ffn_layers"] = runs(["dense" if i in dense else "moe" for i in range(found["layers"])])
    if "moe" not in [run["unit"][0] for run in found["ffn_layers"]]:
        del found["moe"]


def stepped(fields, layers):
    """Blocks without experts by `mlp_only_layers` and `decoder_sparse_step`."""
    step = fields.integer("decoder_sparse_step", 1)
    only = fields.items("mlp_only_layers", [])
    return {i for i in range(layers) if i in only or (i + 1) % step}


def qwen_moe(shared):
    """Qwen's families of experts, with or without a gated shared expert."""
    def more(fields, found):
        width = fields.integer("shared_expert_intermediate_size") if shared else 0
        experts(fields, found, ("num_experts",), ("moe_intermediate_size",), shared=width, **({"shared_gate": True} if shared else {}))
        sparse_layers(fields, found, stepped(fields, found["layers"]))

    return more


def mixtral(fields, found):
    """Experts in every block, of the feed-forward width."""
    experts(fields, found, ("num_local_experts", "num_experts"), ("intermediate_size",))


def glm_moe(fields, found):
    """GLM's experts: dense blocks first, shared experts, a score bias in the router."""
    size = fields.integer("moe_intermediate_size")
    experts(fields, found, ("n_routed_experts",), ("moe_intermediate_size",), shared=size * fields.integer("n_shared_experts", 0, least=0),
            router_score_bias=True)
    sparse_layers(fields, found, set(range(fields.integer("first_k_dense_replace", 0, least=0))))
    if fields.flag("use_qk_norm", False):
        found["attention"]["qk_norm"] = "per_head"


def ernie_moe(fields, found):
    """ERNIE 4.5: experts in a range of blocks, a score bias in the router."""
    layers, size = found["layers"], fields.integer("moe_intermediate_size")
    fields.absent("use_bias")
    experts(fields, found, ("moe_num_experts", "num_experts"), ("moe_intermediate_size",), ("moe_k", "num_experts_per_tok"),
            shared=size * fields.integer("moe_num_shared_experts", 0, least=0), router_score_bias=True)
    first, last = fields.integer("moe_layer_start_index", 0, least=0), fields.data.get("moe_layer_end_index", -1)
    fields.read.add("moe_layer_end_index")
    last = layers - 1 if last in (-1, None) else fields.integer("moe_layer_end_index", least=0)
    every = fields.integer("moe_layer_interval", 1)
    sparse_layers(fields, found, {i for i in range(layers) if not (first <= i <= last and (i + 1) % every == 0)})


def phimoe(fields, found):
    """Phi-3.5-MoE: experts of the feed-forward width, a bias on the head."""
    mixtral(fields, found)
    if fields.flag("lm_head_bias", False):
        found["head_bias"] = True


def minimax_m2(fields, found):
    """MiniMax-M2: experts of the feed-forward width, norms over all heads."""
    experts(fields, found, ("num_local_experts",), ("intermediate_size",), router_score_bias=fields.flag("use_routing_bias", True))
    if fields.flag("use_qk_norm", True):
        found["attention"]["qk_norm"] = "full"


def gpt_oss(fields, found):
    """GPT-OSS: experts with biases, attention sinks."""
    experts(fields, found, ("num_local_experts",), ("intermediate_size",), bias=True, router_linear_bias=True, expert_dtype="mxfp4")
    found["attention"]["sinks"] = True
    found["sliding_window"] = fields.integer("sliding_window")


def gemma2(fields, found):
    """Gemma 2: every other block has a window."""
    if fields.items("layer_types", None) is None:
        found["attn_layers"] = runs(["full" if i % 2 else "sliding" for i in range(found["layers"])])
    found["sliding_window"] = fields.integer("sliding_window")


def gemma3(fields):
    """Gemma 3, whose text configurations leave out what is at its class's default."""
    for name, value in {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 262208, "sliding_window": 4096}.items():
        if fields.data.get(name) is None:
            fields.data[name] = value
    return llama(tied=True, norms=4, qk_norm="per_head", more=every_nth_full(6))(fields)


def head_bias(fields, found):
    """A bias on the output head."""
    found["head_bias"] = True


def cohere(fields, found):
    """One norm per block, and where it is asked for one per query and key head."""
    if fields.flag("use_qk_norm", False):
        found["attention"]["qk_norm"] = "full"


def cohere2(fields, found):
    """Cohere 2: windows but for each n-th block, n as `layer_switch` or `sliding_window_pattern` says; the windows come first."""
    fields.word("order_of_interleaved_layers", "local_attn_first", ("local_attn_first",))
    every_nth_full(4)(fields, found)


def stablelm(fields, found):
    """StableLM: a parallel block has one norm."""
    fields.absent("qk_layernorm")
    if fields.flag("use_parallel_residual", False):
        found["norm"]["per_layer"], found["parallel_block"] = 1, True


def smollm3(fields, found):
    """SmolLM3 marks blocks without rotary embedding, which changes no count."""
    fields.items("no_rope_layers", None)


def _later(module, name):
    def read(fields):
        import importlib

        return getattr(importlib.import_module(f"calc.config.{module}"), name)(fields)

    return read


ATTENTION_BIAS, NO_BIAS = ("attention_bias", False), None
FAMILIES = {
    "llama": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, mlp=("mlp_bias", False)),
    "mistral": llama(), "ministral": llama(), "smollm3": llama(tied=True, qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, more=smollm3),
    "qwen2": llama(qkv=True), "qwen3": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, qk_norm="per_head", head_dim=128),
    "qwen3_vl_text": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, qk_norm="per_head", head_dim=128),
    "qwen2_moe": llama(qkv=True, more=qwen_moe(True)),
    "qwen3_moe": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, qk_norm="per_head", more=qwen_moe(False)),
    "qwen3_vl_moe_text": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, qk_norm="per_head", more=qwen_moe(False)),
    "mimo": llama(qkv=("attention_bias", True)), "seed_oss": llama(qkv=("attention_bias", True), o=("attention_out_bias", False)),
    "mixtral": llama(more=mixtral), "granite": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, mlp=("mlp_bias", False)),
    "granitemoe": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, more=mixtral),
    "gemma": llama(tied=True, head_dim=256), "gemma2": llama(tied=True, norms=4, head_dim=256, more=gemma2),
    "gemma3_text": gemma3, "gemma3": gemma3, "phi3": llama(), "phi": llama(gated=False, norm="layernorm", norms=1, qkv=True, o=True, mlp=True,
                                                                        more=head_bias),
    "starcoder2": llama(tied=True, gated=False, norm="layernorm", qkv=("use_bias", True), o=("use_bias", True), mlp=("use_bias", True)),
    "cohere": llama(tied=True, norms=1, qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, more=cohere),
    "cohere2": llama(tied=True, norms=1, qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, more=cohere2),
    "stablelm": llama(norm="layernorm", qkv=("use_qkv_bias", False), more=stablelm),
    "olmo": llama(norms=0, final=False, qkv=ATTENTION_BIAS, o=ATTENTION_BIAS), "olmo2": llama(qk_norm="full"),
    "olmo3": llama(qk_norm="full", more=every_nth_full(4)), "nemotron": llama(gated=False, norm="layernorm", qkv=ATTENTION_BIAS, o=ATTENTION_BIAS),
    "olmoe": llama(qk_norm="full", more=mixtral), "exaone4": llama(qk_norm="per_head", more=every_nth_full(4)),
    "glm": llama(qkv=("attention_bias", True), head_dim=128), "glm4": llama(norms=4, qkv=("attention_bias", True), head_dim=128),
    "glm4_moe": llama(qkv=ATTENTION_BIAS, more=glm_moe),
    "ernie4_5": llama(tied=True, qkv=("use_bias", False), o=("use_bias", False), mlp=("use_bias", False)),
    "hunyuan_v1_dense": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, qk_norm="per_head"), "helium": llama(qkv=ATTENTION_BIAS),
    "minimax_m2": llama(more=minimax_m2), "gpt_oss": llama(qkv=("attention_bias", True), o=("attention_bias", True), more=gpt_oss),
    "dots1": llama(qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, qk_norm="per_head", more=glm_moe), "ernie4_5_moe": llama(tied=True, more=ernie_moe),
    "phimoe": llama(norm="layernorm", qkv=ATTENTION_BIAS, o=ATTENTION_BIAS, more=phimoe),
    **{name: llama(qkv=True) for name in ("qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text")},
    "mimo_v2_flash": _later("hybrid", "mimo_v2_flash"), "kimi_linear": _later("latent", "kimi_linear"),
    **{name: _later("latent", "deepseek") for name in ("deepseek_v2", "deepseek_v3", "kimi_k2", "deepseek_v32", "glm_moe_dsa")},
    **{name: _later("latent", "deepseek_v4") for name in ("deepseek_v4", "deepseek_ref")},
    **{name: _later("hybrid", "qwen_hybrid") for name in ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text")},
    **{name: _later("hybrid", name) for name in ("llama4_text", "gemma4_text", "nemotron_h", "jamba", "mamba", "mamba2")},
    **{name: _later("older", name) for name in ("gpt2", "gpt_bigcode", "opt", "bloom", "gpt_neox", "gptj", "falcon", "mpt", "dbrx")},
    **{name: _later("towers", name) for name in ("whisper", "vit")},
}
