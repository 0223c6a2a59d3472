"""How long a prompt takes before the first token of the answer."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import flops, roofline, weights
from calc.quantity import largest, term, total


@estimator(
    "prefill-time", chapter=1, title="Time to the first token",
    question="How long until the first token?",
    excludes="writing the prompt's state, activations' traffic, chunking, keys and values read again by tiled attention, reuse of a cached prefix, queueing before it, launches and host time",
    sweep="prompt", draws=("compute_time", "read_time", "time"), rising=("prompt",), falling=("compute_efficiency", "bandwidth_efficiency"),
)
def prefill_time(
    model=Pick(MODELS, "llama-3.1-8b", where=weights.is_dense, why="is no dense decoder with full attention"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory_bandwidth", "peak.bf16|peak.fp16")),
    prompt=Slider(256, 1, 262144, unit="tokens", log=True, symbol="P", help="tokens of the prompt"),
    weight_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per weight"),
    precision=Choice("bf16", ("bf16", "fp8"), labels={"bf16": "BF16", "fp8": "FP8"}, help="number format of the arithmetic"),
    compute_efficiency=Slider(1, 0.1, 1, symbol="e_c", help="share of the arithmetic peak that is reached", whole=False),
    bandwidth_efficiency=Slider(1, 0.1, 1, symbol="e_b", help="share of the memory bandwidth that is reached", more=True, whole=False),
):
    A, H = weights.active(model), weights.head(model)
    linear = term("linear", flops.linear(A - H, prompt), "F_lin", "TFLOP", "Linear layers", "Every token through every matrix.")
    attention = term("attention", flops.attention_prompt(model, prompt), "F_att", "TFLOP", "Attention", "Every pair of a token with an earlier one or itself.")
    head = term("head", flops.linear(H, 1), "F_head", "GFLOP", "Output head", "Only the last position's next token is wanted.")
    compute = term("compute_time", roofline.compute_time(total([linear, attention, head]), accelerator, precision, compute_efficiency),
                   "t_cmp", "ms", "Compute time", "Grows with the prompt.")
    bytes_read = term("weights_read", weights.read(model, prompt, weight_bits), "W", "GB", "Weights read", "Once for the whole prompt.")
    read = term("read_time", roofline.memory_time(bytes_read, accelerator, bandwidth_efficiency), "t_mem", "ms", "Read time",
                "The same for every prompt.")
    time = term("time", largest(compute, read), "t", "ms", "Time to the first token", "The two overlap; the slower one decides.")
    term("prompt_rate", prompt / time, "r", "1/s", "Prompt rate", "Tokens taken in per second.", label="tokens/s")
    term("naive_all_positions", flops.linear(A, prompt), "", "TFLOP", "By 2 per weight and token",
         "The usual shortcut: the head at every position, and no attention.")
    return time
