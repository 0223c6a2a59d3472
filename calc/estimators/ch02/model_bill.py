"""What a model's architecture asks of the machine for each token that it generates."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import flops, layers, roofline, state, weights
from calc.quantity import floor, largest, let, limit, positive, term


@estimator(
    "model-bill", chapter=2, title="The bill of a model's body",
    question="What does this architecture ask of the machine, per generated token?",
    excludes="the quality of the answers, what the runtime and a safety margin take of the label's memory (chapter 1), pages of the cache that are only partly filled, activations, kernel launches, "
             "messages between accelerators; engines run at 0.4 to 0.8 of this bound",
    sweep="context", draws=("bytes_per_token", "state_per_request"), rising=("context",), falling=("batch",),
)
def model_bill(
    model=Pick(MODELS, "qwen3-32b", where=layers.is_decoder, why="is no decoder"),
    accelerator=Pick(ACCELERATORS, "h200-sxm", needs=("memory", "memory_bandwidth", "peak.bf16|peak.fp16")),
    batch=Slider(8, 1, 512, unit="sequences", log=True, symbol="b", help="sequences decoded together"),
    context=Slider(32768, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that each sequence holds already"),
    weight_bits=Choice(16, (4, 4.25, 8, 16), unit="bit", help="bits per weight"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached value; index keys keep 8"),
):
    held = term("weights_held", weights.held(model, weight_bits), "M_w", "GB", "Weights held",
                "All of them, whether a token meets them or not: experts, tables, towers.")
    history = term("state_per_request", state.held(model, context, kv_bits, **state.index_width(model)), "σ(c)", "GB", "State per request",
                   "What one conversation occupies.")
    memory = term("memory", held + batch * history, "M", "GB", "Memory held", "Weights once, and the state of every conversation.")
    fits = limit("Fits", memory, accelerator.memory)

    read = term("weights_read", weights.read(model, batch, weight_bits), "W", "GB", "Weights read per step",
                "Shared by the batch; of the experts, those that somebody picked.")
    own = term("state_read", batch * let("r(c)", state.read(model, context, kv_bits, **state.index_width(model)), "state that one sequence reads", "GB"), "K", "GB",
               "State read per step", "Each conversation's own; recurrent state is read and written.")
    bytes_per_token = term("bytes_per_token", (read + own) / batch, "D", "GB", "Bytes per generated token",
                           "What the memory interface has to deliver for each token that comes out.")
    work = term("flops_per_token", flops.linear(weights.active(model), 1) + flops.attention_step(model, context + 1), "F", "GFLOP",
                "FLOP per token", "Active weights, and looking back.")
    term("step_time", largest(roofline.memory_time(let("(W + K)", read + own, "bytes per step", "GB"), accelerator),
                              roofline.compute_time(batch * work, accelerator)), "t", "ms", "Step time",
         "Reading and arithmetic overlap; the slower one decides.")
    term("intensity", work / bytes_per_token, "I", "FLOP/B", "Intensity", "Where the step stands on the roofline of the machine.")
    term("fits", fits, name="Fits")
    term("requests_that_fit", floor(positive(accelerator.memory - held) / history), "b_max", "", "Requests that fit",
         "What the label of the memory leaves beside the weights, in conversations of this length; chapter 1 keeps a reserve.", label="requests")
    return bytes_per_token
