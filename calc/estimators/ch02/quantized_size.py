"""How many bits per weight a quantized model really takes."""

from calc.catalog import MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import layers, weights
from calc.quantity import let, q, term, total


@estimator(
    "quantized-size", chapter=2, title="The real bits of a weight",
    question="How many bits per weight will I really store?",
    excludes="zero points beside the scales, padding to kernel tiles (8 % seen), and recipes that mix widths from layer to layer; a vision tower "
             "stays wide unless everything is quantized",
    sweep="scale_group", draws=("size", "nominal"), falling=("scale_group",),
)
def quantized_size(
    model=Pick(MODELS, "qwen2.5-7b", where=layers.is_decoder, why="is no decoder"),
    weight_bits=Choice(4, (2, 3, 4, 8), unit="bit", symbol="b_c", help="bits per code"),
    scale_group=Slider(64, 16, 256, unit="weights", log=True, symbol="g", help="weights that share one scale"),
    scale_bits=Choice(32, (8, 16, 32), unit="bit", symbol="b_s", help="bits per scale"),
    wide_bits=Choice(16, (8, 16, 32), unit="bit", symbol="b_w", help="bits per weight that is not quantized"),
    quantized_tensors=Choice("linear", ("linear", "experts", "everything"),
                             labels={"linear": "all matrices but the tables", "experts": "routed experts only", "everything": "everything"},
                             help="which weights are quantized"),
):
    N = weights.total_weights(model)
    found = weights.components(model)
    keys = {"linear": ("attention", "dense_ffn", "routed_experts", "shared_experts", "router"), "experts": ("routed_experts",)}.get(quantized_tensors)
    chosen = N if keys is None else total([found[k] for k in keys if found[k].value] or [q(0)])
    count = let("q", chosen, "quantized weights")
    packed = term("packed", count * weight_bits, "S_c", "GB", "Codes", "What the name of the format counts.")
    scales = term("scales", count * scale_bits / scale_group, "S_s", "GB", "Scales", "One for each group.")
    wide = term("wide", (N - count) * wide_bits, "S_w", "GB", "Wide tensors", "Tables, norms, a vision tower and whatever else was left alone.")
    size = term("size", total([packed, scales, wide]), "S", "GB", "Size", "What is stored and, apart from the input table, read.")
    term("wide_share", wide / size, "s", "", "Wide share", "Of the size, what is not quantized.")
    term("bits_per_weight", size / N, "b̄", "bit", "Bits per weight", "Everything over the number of weights.")
    nominal = term("nominal", N * weight_bits, "S_0", "GB", "Nominal size", "As if all weights were codes alone.")
    term("over_nominal", size / nominal, "x", "×", "Size over nominal", "By how much the name is too small.")
    term("size_gib", size, "", "GiB", "Size in GiB", "The same, as logs print it.")
    return size
