"""The format of a checkpoint's weights, as a configuration's `quantization_config` names it."""

import re

KNOWN = {"fbgemm_fp8": "fp8", "finegrained_fp8": "fp8", "fp8": "fp8", "mxfp4": "mxfp4"}


def stored_format(given):
    """The name of the format that a `quantization_config` describes, or None without one: a slug of `calc.parts.formats` where it
    is one of those, else the words of the file."""
    if not isinstance(given, dict) or not given:
        return None
    method = str(given.get("quant_method") or given.get("quant_algo") or "").lower()
    bits = given.get("bits") or given.get("w_bit")
    if method in KNOWN:
        return KNOWN[method]
    if method == "bitsandbytes":
        return "int8" if given.get("load_in_8bit") else "nf4" if given.get("bnb_4bit_quant_type") == "nf4" else "bitsandbytes 4-bit"
    if method == "compressed-tensors":
        return _compressed(given)
    if method == "modelopt":
        method = str(given.get("quant_algo") or method).lower()
    name = re.sub(r"[^a-z0-9_.-]+", "-", method)[:32].strip("-") or "a quantised format"
    return f"{name} {bits}-bit" if isinstance(bits, int) and 0 < bits < 64 and not (bits == 4 and name in ("awq", "gptq")) else name


def _compressed(given):
    """The format of the first group of weights that compressed-tensors describes."""
    groups = given.get("config_groups")
    group = next(iter(groups.values()), None) if isinstance(groups, dict) else None
    weights = group.get("weights") if isinstance(group, dict) else None
    if not isinstance(weights, dict):
        return "compressed-tensors"
    kind = weights.get("type"), weights.get("num_bits")
    known = {("float", 8): "fp8", ("int", 8): "int8", ("int", 4): "int4", ("float", 4): "nvfp4"}
    return next((name for key, name in known.items() if key == kind), "compressed-tensors")
