"""At which batch decoding stops waiting for memory, if there is such a batch."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import flops, roofline, state, weights
from calc.quantity import let, limit, q, quotient, term


@estimator(
    "batch-crossover", chapter=1, title="The batch that fills the arithmetic units",
    question="How many requests together make decode compute-bound?",
    excludes="capacity (see the state held at the crossover), the lower efficiency of small matrix tiles, the time to form the batch, "
             "and models that read only some of their weights per token",
    sweep="context", draws=("crossover_batch", "rule_of_thumb"), rising=("context",),
)
def batch_crossover(
    model=Pick(MODELS, "llama-3.1-8b", where=weights.is_dense, why="is no dense decoder with full attention"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory_bandwidth", "peak.bf16|peak.fp16")),
    context=Slider(256, 1, 8192, unit="tokens", log=True, symbol="c", help="tokens that each sequence holds already"),
    weight_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per weight"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value"),
    precision=Choice("bf16", ("bf16", "fp8"), labels={"bf16": "BF16", "fp8": "FP8"}, help="number format of the arithmetic"),
):
    A = weights.active(model)
    read = term("weight_read_time", roofline.memory_time(weights.read(model, 1, weight_bits), accelerator), "t_W", "ms", "Weight read time",
                "Shared by all requests, so it is what the batch has to work off.")
    phi = let("φ(c + 1)", flops.attention_step(model, context + 1), "attention arithmetic of one token", "GFLOP")
    compute = term("compute_per_request", roofline.compute_time(flops.linear(A, 1) + phi, accelerator, precision), "t_F", "us",
                   "Compute per request", "The arithmetic that one more request brings along.")
    history = let("σ(c)", state.held(model, context, kv_bits), "state of one sequence", "MB")
    own = term("state_read_per_request", roofline.memory_time(history, accelerator), "t_K", "us", "State read per request",
               "The reading that one more request brings along, for itself alone.")
    gain = term("gain_per_request", compute - own, "g", "us", "Gain per request", "Only the difference works off the weight read.")
    exists = limit("Arithmetic outgrows state reading", own, compute, "no such batch", strict=True, meter=False)
    crossover = term("crossover_batch", quotient(read, gain), "B*", "", "Crossover batch",
                     "Where the arithmetic takes as long as all the reading.", label="requests")
    w, beta, pi = weights.per_weight(weight_bits), accelerator.memory_bandwidth, roofline.peak(accelerator, precision)
    term("rule_of_thumb", w * pi / (q(2, "FLOP") * beta), "B_rule", "", "Rule of thumb",
         "The popular rule counts only what requests share.", label="requests")
    per_token = roofline.memory_time(state.per_token(model, kv_bits), accelerator) \
        - roofline.compute_time(flops.attention_per_key(model), accelerator, precision)
    base = flops.linear(A, 1) + flops.attention_per_key(model)
    term("context_limit", quotient(roofline.compute_time(base, accelerator, precision), per_token), "c_∞", "tokens",
         "Context limit", "Beyond it each request brings more reading than arithmetic.")
    term("state_at_crossover", crossover * history, "S*", "GB", "State held at the crossover", "It has to fit as well.")
    term("exists", exists, name="Such a batch exists")
    return crossover
