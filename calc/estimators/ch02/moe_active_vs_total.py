"""What the total and the active parameters of an expert model each cost in a decode step."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import flops, layers, roofline, state, weights
from calc.quantity import largest, let, term, total


@estimator(
    "moe-active-vs-total", chapter=2, title="Held, multiplied, read",
    question="What do total and active parameters each cost me?",
    excludes="uneven popularity of the experts, messages between accelerators, capacity, small matrices below peak, and fixed launch costs, "
             "which dominate steps of less than a few milliseconds",
    sweep="batch", draws=("step_time", "dense_same_active", "dense_same_total"), rising=("batch", "context"),
)
def moe_active_vs_total(
    model=Pick(MODELS, "qwen3-30b-a3b", where=lambda m: layers.is_decoder(m) and layers.has_experts(m), why="has no experts"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory_bandwidth", "peak.bf16|peak.fp16")),
    batch=Slider(8, 1, 1024, unit="sequences", log=True, symbol="b", help="sequences decoded together"),
    context=Slider(4096, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that each sequence holds already"),
    weight_bits=Choice(16, (4, 4.25, 8, 16), unit="bit", help="bits per weight, for every weight alike"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached value; index keys keep 8"),
):
    w = weights.per_weight(weight_bits)
    A = weights.active(model)
    term("held", weights.total_weights(model) * w, "M_w", "GB", "Weights held", "All experts, since nobody knows which will be picked.")
    fixed = term("always_read", weights.always_read(model) * w, "W₀", "GB", "Always read", "Attention, head, shared experts, dense layers: every token needs them.")
    awake = term("experts_touched", weights.touched(model.moe.experts, model.moe.top_k, batch), "u", "", "Experts touched per layer",
                 "That at least one sequence of the batch picked.", label="experts")
    expert = let("L_e·p_e·w", layers.expert_layers(model) * weights.expert(model) * w, "one expert in every layer", "GB")
    routed = term("expert_read", awake * expert, "W_e", "GB", "Experts read", "Each touched expert once.")
    weighed = term("weights_read", fixed + routed, "W", "GB", "Weights read", "Shared by the batch.")
    own = term("state_read", batch * let("r(c)", state.read(model, context, kv_bits, **state.index_width(model)), "state that one sequence reads", "GB"), "K", "GB", "State read",
               "Each conversation's own.")
    work = let("F", batch * (flops.linear(A, 1) + flops.attention_step(model, context + 1)), "arithmetic of the step", "GFLOP")
    compute = term("compute_time", roofline.compute_time(work, accelerator), "t_cmp", "ms", "Compute time", "Active weights and looking back.")
    memory = term("memory_time", roofline.memory_time(total([weighed, own]), accelerator), "t_mem", "ms", "Memory time", "Everything that is read.")
    step = term("step_time", largest(memory, compute), "t", "ms", "Step time", "The slower of the two.")
    term("tokens_per_second", batch / step, "r", "1/s", "Throughput", "One token per sequence and step.", label="tokens/s")
    term("read_per_token", weighed / batch, "W/b", "GB", "Weights read per token", "Falls with the batch, but slowly while experts wake up.")
    same = let("(A·w + K)", A * w + own, "reading of a dense model with the same active weights", "GB")
    term("dense_same_active", largest(roofline.memory_time(same, accelerator), compute), "t_A", "ms", "Dense model of the active size",
         "What the name promises.")
    whole = let("A₁", weights.always_read(model) + layers.expert_layers(model) * model.moe.experts * weights.expert(model),
                "weights that a token meeting every expert would multiply")
    full = let("(A₁·w + K)", whole * w + own, "reading of a dense model with all the weights", "GB")
    heavy = let("F₁", batch * (flops.linear(whole, 1) + flops.attention_step(model, context + 1)), "arithmetic of a dense model with all the weights",
                "GFLOP")
    term("dense_same_total", largest(roofline.memory_time(full, accelerator), roofline.compute_time(heavy, accelerator)), "t_N", "ms",
         "Dense model of the total size", "What the memory would suggest.")
    term("share_of_weights_read", weighed / (whole * w), "s", "", "Share of the weights read", "Of all but the input table, in which a row is looked up.")
    return step
