"""What one request costs the machine: bytes held, arithmetic done, bytes moved, seconds."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import flops, roofline, state, weights
from calc.quantity import largest, let, limit, term, total


@estimator(
    "one-generation", chapter=1, title="One generation",
    question="What does my one request cost the machine?",
    excludes="tokenisation, sampling, kernel launches, host time, activations' traffic, network and queueing; "
             "keys and values read again inside the prompt's attention",
    sweep="output", draws=("prefill_time", "decode_time"), rising=("prompt", "output", "weight_bits", "kv_bits"),
)
def one_generation(
    model=Pick(MODELS, "llama-3.1-8b", where=weights.is_dense, why="is no dense decoder with full attention"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory", "memory_bandwidth", "peak.bf16|peak.fp16")),
    prompt=Slider(32768, 1, 131072, unit="tokens", log=True, symbol="P", help="tokens that are sent"),
    output=Slider(128, 1, 8192, unit="tokens", log=True, symbol="G", help="tokens that come back"),
    weight_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per weight"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value"),
):
    A, H = weights.active(model), weights.head(model)
    sigma = state.per_token(model, kv_bits)
    steps = let("(G − 1)", output - 1, "decode steps")

    held = term("weights_resident", weights.held(model, weight_bits), "W", "GB", "Weights held",
                "They must be in memory before the first token.")
    end = term("state_at_end", sigma * (prompt + output - 1), "S", "GB", "State at the end",
               "Grows with every token of prompt and answer; the last token is never fed back.")
    memory = term("memory", held + end, "M", "GB", "Memory held", "What has to fit on the accelerator at the same time.")
    limit("Fits", memory, accelerator.memory)

    linear = term("prefill_linear", flops.linear(A - H, prompt) + flops.linear(H, 1), "F_lin", "TFLOP", "Prompt, linear layers",
                  "Every prompt token goes through every matrix; the output head is needed once, for the last position.")
    attention = term("prefill_attention", flops.attention_prompt(model, prompt), "F_att", "TFLOP", "Prompt, attention",
                     "Every pair of a token with an earlier one or itself, once.")
    pairs = let("Σ keys", steps * prompt + output * steps / 2, "keys seen by all answer tokens")
    answer = term("decode_arithmetic", flops.linear(A, steps) + flops.attention_step(model, pairs), "F_dec", "TFLOP",
                  "Answer, arithmetic", "One token at a time, each over all that came before.")
    arithmetic = term("arithmetic", total([linear, attention, answer]), "F", "TFLOP", "Arithmetic in all",
                      "All multiplications and additions of the request.")

    prompt_bytes = term("prefill_traffic", weights.read(model, prompt, weight_bits) + sigma * prompt, "D_pre", "GB", "Prompt, traffic",
                        "The weights are fetched once for all prompt tokens; their keys and values are written once.")
    again = term("decode_weight_traffic", steps * weights.read(model, 1, weight_bits), "D_w", "TB", "Answer, weight traffic",
                 "The same weights again for every token of the answer.")
    history = let("Σ history", steps * prompt + steps * (output - 2) / 2, "tokens of history read by all decode steps")
    old = term("decode_state_traffic", sigma * history + sigma * steps, "D_s", "TB", "Answer, state traffic",
               "The whole history again for every token, and one new token written.")
    prefill = term("prefill_time", largest(roofline.memory_time(prompt_bytes, accelerator),
                                           roofline.compute_time(linear + attention, accelerator)),
                   "t_pre", "ms", "Prompt time", "Arithmetic and traffic overlap; the slower one decides.")
    decode = term("decode_time", largest(roofline.memory_time(again + old, accelerator), roofline.compute_time(answer, accelerator)),
                  "t_dec", "ms", "Answer time", "Each token waits for the one before it.")
    time = term("time", prefill + decode, "T", "s", "Shortest time", "The answer cannot start before the prompt is done.")
    traffic = term("traffic", total([prompt_bytes, again, old]), "D", "TB", "Data moved",
                   "The quantity that nobody sees on the bill.")
    return traffic, memory, arithmetic, time
