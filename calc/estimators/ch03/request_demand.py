"""How many accelerators a stream of requests keeps busy, and which of its two phases decides."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import layers, queueing, requests, roofline, state, weights
from calc.quantity import largest, let, limit, term


@estimator(
    "request-demand", chapter=3, title="Two jobs, one stream of requests",
    question="How many accelerators do these requests keep busy, and which phase decides?",
    excludes="queueing and idle headroom, launch and scheduler gaps, messages between accelerators, interference of prefill with decode, "
             "prompts that share a pass, embedding look-ups, sampling",
    sweep="output", draws=("prefill_accelerators", "decode_accelerators", "accelerators_busy"),
    rates=("accelerators_busy", "decode_accelerators"),
    rising=("arrival_rate", "prompt", "output"), falling=("batch", "bandwidth_efficiency", "compute_efficiency"),
)
def request_demand(
    model=Pick(MODELS, "qwen3-8b", where=layers.is_decoder, why="writes no text token by token"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory", "memory_bandwidth", "peak.bf16|peak.fp16")),
    arrival_rate=Slider(20, 0.1, 1000, unit="1/s", log=True, symbol="λ", whole=False, help="requests that arrive per second"),
    prompt=Slider(2048, 16, 131072, unit="tokens", log=True, symbol="P", help="tokens of the prompt"),
    output=Slider(256, 2, 8192, unit="tokens", log=True, symbol="G", help="tokens of the answer"),
    batch=Slider(64, 1, 512, unit="sequences", log=True, symbol="b", help="sequences decoded together on one accelerator"),
    weight_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per weight", more=True),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value", more=True),
    precision=Choice("bf16", ("bf16", "fp8"), labels={"bf16": "BF16", "fp8": "FP8"}, help="number format of the arithmetic", more=True),
    bandwidth_efficiency=Slider(1, 0.1, 1, symbol="e_b", help="share of the memory bandwidth that is reached", more=True, whole=False),
    compute_efficiency=Slider(1, 0.1, 1, symbol="e_c", help="share of the arithmetic peak that is reached", more=True, whole=False),
):
    steps = let("(G − 1)", output - 1, "decode steps of one request")
    term("prefill_tokens", arrival_rate * prompt, "λP", "1/s", "Prompt tokens", "One currency of the load.", label="tokens/s")
    term("decode_steps", arrival_rate * steps, "λ(G − 1)", "1/s", "Decode steps", "The other currency: the prompt's pass yields the first output token.",
         label="steps/s")
    work = term("prefill_flops", requests.prefill(model, prompt), "F", "TFLOP", "Prompt, arithmetic",
                "Weights times tokens, and every pair of a token with an earlier one.", label="per request")
    counted = let("t_F", roofline.compute_time(work, accelerator, precision, compute_efficiency), "arithmetic of the prompt", "ms")
    fetched = let("t_W", roofline.memory_time(weights.read(model, prompt, weight_bits), accelerator, bandwidth_efficiency),
                  "reading the weights once", "ms")
    first = term("prefill_seconds", largest(counted, fetched), "t_p", "ms", "Prompt, time",
                 "Arithmetic for all but short prompts, which still have to read the weights.", label="per request")
    old = term("mean_context", requests.mean_context(prompt, output), "S̄", "", "Mean context", "Old tokens that a step reads.", label="tokens")
    read = weights.read(model, batch, weight_bits) + batch * state.read(model, old, kv_bits)
    memory = term("step_memory", roofline.memory_time(read, accelerator, bandwidth_efficiency), "t_m", "ms", "Step, memory time",
                  "The weights once, and every sequence's own history.")
    compute = term("step_compute", roofline.compute_time(batch * requests.token(model, old), accelerator, precision, compute_efficiency),
                   "t_c", "ms", "Step, compute time", "Overlaps with the reading.")
    rest = term("decode_seconds", steps * largest(memory, compute) / batch, "t_d", "ms", "Answer, time",
                "Each step is shared by the sequences of the batch.", label="per request")
    one = term("prefill_accelerators", queueing.present(arrival_rate, first), "a_p", "", "Accelerators for prompts",
               "Requests per second × seconds per request.", label="accelerators")
    two = term("decode_accelerators", queueing.present(arrival_rate, rest), "a_d", "", "Accelerators for answers",
               "The same device, so the seconds add.", label="accelerators")
    busy = term("accelerators_busy", one + two, "a", "", "Accelerators busy", "The offered load; divide by the utilization you dare for a fleet.",
                label="accelerators")
    held = term("memory_held", weights.held(model, weight_bits) + batch * state.held(model, prompt + output, kv_bits), "M", "GB", "Memory held",
                "By a batch at the end of its answers.")
    have = term("memory_have", accelerator.memory, "C", "GB", "Memory to be had", "What the card has; a batch that does not fit cannot be run.")
    limit("Weights and state fit", held, have)
    return busy
