"""How long one decode step takes, and what decides it."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import decode, roofline, state, weights
from calc.quantity import largest, let, term


@estimator(
    "decode-step", chapter=1, title="One decode step",
    question="How long does one decode step take, and what decides it?",
    excludes="whether it fits (see does-it-fit), launch and host time (fixed milliseconds), sampling, activations' traffic, writing the new token's state, messages between accelerators, "
             "page gaps in the cache",
    sweep="batch", draws=("memory_time", "compute_time", "step_time"),
    rising=("batch", "context"), falling=("bandwidth_efficiency", "compute_efficiency"),
)
def decode_step(
    model=Pick(MODELS, "llama-3.1-8b", where=weights.is_dense, why="is no dense decoder with full attention"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory_bandwidth", "peak.bf16|peak.fp16")),
    batch=Slider(8, 1, 1024, unit="sequences", log=True, symbol="b", help="sequences decoded together"),
    context=Slider(8192, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that each sequence holds already"),
    weight_bits=Choice(16, (4, 4.25, 4.5, 8, 8.5, 16), unit="bit", help="bits per weight"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value"),
    bandwidth_efficiency=Slider(1, 0.1, 1, symbol="e_b", help="share of the memory bandwidth that is reached", more=True, whole=False),
    compute_efficiency=Slider(1, 0.1, 1, symbol="e_c", help="share of the arithmetic peak that is reached", more=True, whole=False),
):
    read = term("weights_read", weights.read(model, batch, weight_bits), "W", "GB", "Weights read",
                "Every weight once, shared by the whole batch.")
    history = let("σ(c)", state.held(model, context, kv_bits), "state of one sequence", "GB")
    own = term("state_read", batch * history, "K", "GB", "State read", "Each sequence reads its own history; nobody shares it.")
    work = term("arithmetic", decode.arithmetic(model, batch, context), "F", "GFLOP", "Arithmetic",
                "Two operations per weight and sequence, and attention over the history.")
    memory = term("memory_time", roofline.memory_time(read + own, accelerator, bandwidth_efficiency), "t_mem", "ms", "Memory time",
                  "All of it has to come through the memory interface.")
    compute = term("compute_time", roofline.compute_time(work, accelerator, "bf16", compute_efficiency), "t_cmp", "ms", "Compute time",
                   "What the matrix units would need if data were always there.")
    time = term("step_time", largest(memory, compute), "t", "ms", "Step time",
                "Reading and arithmetic overlap; the slower one decides.")
    term("tokens_per_second", batch / time, "r", "1/s", "Throughput", "One token per sequence and step.", label="tokens/s")
    term("per_request", 1 / time, "r₁", "1/s", "Speed of one stream", "What one user sees.", label="tokens/s")
    term("batch_where_state_passes_weights", read / history, "b_eq", "", "Batch where state passes weights",
         "From here on more sequences mostly add reading.", label="sequences")
    term("memory_over_compute", memory / compute, "", "×", "Memory over compute time",
         "How far the step is from being limited by arithmetic.")
    return time
