"""The fields of a configuration, read with checks, and which of them were read."""

import math
import re

from calc.catalog import MissingValue
from calc.inputs import echo

REQUIRED = object()
LARGEST, DEEPEST = 10**8, 1000  # of any number, and of a number of blocks
# Names that say something about the shape of a model; one that is set and was never read is refused.
SHAPE = re.compile(r"expert|lora|latent|heads?$|hidden_size|intermediate|layers?$|layer_|_layer|window|chunk|^index|indexer|state_size|conv"
                   r"|head_dim|shared|per_layer|mlp|sparse|linear|ssm|mamba|_dim$|^kv_|mtp|nextn|block_configs|ffn|hash|compress|laurel|altup|codebook")
# Names that match and yet change nothing that is counted here.
HARMLESS = frozenset("""
    head_dim num_key_value_heads intermediate_size max_window_layers chunk_size_feed_forward cross_attention_hidden_size output_hidden_states
    mamba_hidden_act mlp_hidden_act mamba_ssm_cache_dtype mamba_ssm_dtype use_mamba_kernels chunk_size mamba_chunk_size
    num_expert_group n_expert_group rotary_dim expert_dtype moe_router_dtype indexer_rope_interleave moe_shared_expert_overlap norm_topk_prob
    expert_layer_period sliding_window_size shared_intermediate_size index_topk_freq layer_norm_epsilon layer_norm_eps
    compress_rope_theta mlp_layer_types num_mtp_modules mtp_transformer_layers mtp_hybrid_override_pattern mtp_layers_block_type
    mtp_use_dedicated_embeddings index_share_for_mtp_iteration index_skip_topk_offset window_size vocab_size_per_layer_input layernorm_epsilon
    layer_norm_elementwise_affine router_aux_loss_coef attn_layer_indices use_bidirectional_attention moe_latent_dtype num_local_experts_per_tok
    output_router_logits num_nextn_predict_layers use_mtp mtp_num_hidden_layers qk_head_dim num_hidden_layers sliding_window sliding_window_pattern
    image_token_index interleave_moe_layer_step layer_types no_rope_layer_interval num_experts_per_tok experts_per_token norm_head scale_depth
    encoder_layerdrop decoder_layerdrop layerdrop num_conv_pos_embeddings swiglu_limit router_jitter_noise input_jitter_noise
""".split())


class ConfigError(MissingValue):
    """What is wrong with a configuration, in one line."""


class Fields:
    """A family's configuration: each read is checked and remembered."""

    def __init__(self, data, family):
        self.data, self.family, self.read = data, family, {"model_type"}

    def _value(self, names, default):
        for name in names:
            self.read.add(name)
        for name in names:
            if self.data.get(name) is not None:
                return name, self.data[name]
        if default is REQUIRED:
            raise ConfigError(f"config: {names[0]} is missing; family {self.family!r} needs it")
        return names[0], default

    def integer(self, *names, least=1):
        """A whole number under the first of `names` that is set; a last argument that is no name is the default."""
        default = REQUIRED
        if not isinstance(names[-1], str):
            names, default = names[:-1], names[-1]
        name, value = self._value(names, default)
        if value is default:
            return value
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"config: {name} is {value}, which is not a number")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
            raise ConfigError(f"config: {name} is {echo(value)}, not a whole number")
        most = DEEPEST if name.endswith(("layers", "layer", "depth")) else LARGEST
        if not least <= value <= most:
            raise ConfigError(f"config: {name} is {str(value)[:40]}, outside {least} to {most:,}")
        return int(value)

    def flag(self, name, default=REQUIRED):
        """True or false."""
        name, value = self._value((name,), default)
        if not isinstance(value, (bool, int)) or value not in (0, 1):
            raise ConfigError(f"config: {name} is {echo(value)}, not true or false")
        return bool(value)

    def word(self, name, default=REQUIRED, allowed=None):
        """A text, one of `allowed` where that is given."""
        name, value = self._value((name,), default)
        if value is default:
            return value
        if not isinstance(value, str) or len(value) > 4096 or allowed is not None and value not in allowed:
            known = f"; known: {', '.join(sorted(allowed))}" if allowed else ""
            raise ConfigError(f"config: {name} is {echo(value)}, which is not understood{known}")
        return value

    def items(self, name, default=REQUIRED, length=None):
        """A list of numbers or words, of a given length."""
        name, value = self._value((name,), default)
        if value is default:
            return value
        if not isinstance(value, list) or length is not None and len(value) != length or len(value) > 10_000:
            wanted = f" of {length}" if length else ""
            raise ConfigError(f"config: {name} is no list{wanted}")
        return value

    def nested(self, name):
        """Another group of fields."""
        name, value = self._value((name,), REQUIRED)
        if not isinstance(value, dict):
            raise ConfigError(f"config: {name} is no group of fields")
        return Fields(value, f"{self.family} {name}")

    def absent(self, *names):
        """Refuse the model when one of these fields is set to anything but nothing, false, 0 or an empty list."""
        for name in names:
            self.read.add(name)
            if self.data.get(name) not in (None, False, 0, [], {}):
                raise ConfigError(f"config: {name} is set, and what it does to family {self.family!r} is not understood")

    def all_understood(self):
        """Refuse the model when a field about its shape is set and was not read."""
        for name, value in self.data.items():
            if value in (None, False, 0, [], {}) or name in self.read or name in HARMLESS or isinstance(value, str):
                continue
            if SHAPE.search(name):
                raise ConfigError(f"config: {name[:40]} is not understood for family {self.family!r}")


def runs(kinds):
    """[{"unit": [kind], "repeat": n}] of a list of kinds, one run after another."""
    found = []
    for kind in kinds:
        if found and found[-1]["unit"] == [kind]:
            found[-1]["repeat"] += 1
        else:
            found.append({"unit": [kind], "repeat": 1})
    return found
