"""How much memory the requests hold that are being answered, and those that wait for a tool or a person."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import layers, queueing, requests, roofline, state, weights
from calc.quantity import apply, let, limit, positive, q, quotient, smallest, term


def _decoding(model, outflow, room, weight_bits):
    """Sequences n that decode in the steady state: n·room = outflow·W(n); W grows with n only where experts are routed."""
    if not layers.has_experts(model):
        return quotient(outflow * weights.read(model, 1, weight_bits), room)
    per_weight = weights.per_weight(weight_bits)
    expert = weights.expert(model) * layers.expert_layers(model) * per_weight
    return apply("n where n·left = λ(G − 1)·W(n) + n·need", _halving, outflow, room, weights.always_read(model) * per_weight, expert,
                 model.moe.experts, model.moe.top_k)


def _halving(outflow, room, always, expert, experts, picked):
    if room <= 0:
        return None
    low, high = 0.0, outflow * (always + experts * expert) / room
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        touched = weights.touched(experts, picked, max(1.0, middle))
        low, high = (middle, high) if middle * room < outflow * (always + touched * expert) else (low, middle)
    return high


@estimator(
    "littles-law-state", chapter=3, title="Rate × size × lifetime",
    question="How much memory do the requests in flight, and those waiting, hold?",
    excludes="the state of prompts that are being read or queued, reading the weights for a prompt (longer than its arithmetic if it is short), "
             "rounding to pages, prefixes shared between requests, the activation peak, skewed expert routing, fluctuations of the batch",
    sweep="arrival_rate", draws=("resident_state", "active_state", "parked_state"),
    rising=("arrival_rate", "think_time", "prompt"), falling=("bandwidth_efficiency", "compute_efficiency"),
)
def littles_law_state(
    model=Pick(MODELS, "qwen3-8b", where=layers.is_decoder, why="is no decoder on its own"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory", "memory_bandwidth", "peak.bf16|peak.fp16")),
    arrival_rate=Slider(10, 0.1, 100, unit="1/s", log=True, symbol="λ", whole=False, help="requests per second for each accelerator"),
    prompt=Slider(2048, 16, 131072, unit="tokens", log=True, symbol="P", help="tokens of the prompt"),
    output=Slider(256, 2, 8192, unit="tokens", log=True, symbol="G", help="tokens of the answer"),
    think_time=Slider(10, 0, 3600, unit="s", symbol="τ", whole=False, ladder="125", help="how long a tool or a person takes while the state is kept"),
    weight_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per weight", more=True),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value", more=True),
    bandwidth_efficiency=Slider(1, 0.1, 1, symbol="e_b", help="share of the memory bandwidth that is reached", more=True, whole=False),
    compute_efficiency=Slider(1, 0.1, 1, symbol="e_c", help="share of the arithmetic peak that is reached", more=True, whole=False),
):
    steps = let("(G − 1)", output - 1, "decode steps of one request")
    outflow = let("λ(G − 1)", arrival_rate * steps, "decode steps per second", "1/s")
    one = term("state_per_request", state.held(model, prompt + output, kv_bits), "S", "GB", "State per request", "With its whole answer, as it is parked.")
    bandwidth = let("e_bβ", bandwidth_efficiency * accelerator.memory_bandwidth, "bandwidth that is reached", "TB/s")
    first = let("t_p", roofline.compute_time(requests.prefill(model, prompt), accelerator, "bf16", compute_efficiency), "time of one prompt", "ms")
    share = term("prefill_share", queueing.present(arrival_rate, first), "ψ", "", "Share of the time for prompts", "Taken away from decoding.",
                 label="of the time")
    old = let("S̄", requests.mean_context(prompt, output), "mean context", "tokens")
    history = let("r(S̄)", state.read(model, old, kv_bits), "state read per step and sequence", "GB")
    need = term("kv_bandwidth_need", outflow * history, "β_need", "TB/s", "Bandwidth for histories", "Whatever the batch: each token reads its own history.")
    left = term("bandwidth_left", positive(bandwidth * (1 - share)), "β_left", "TB/s", "Bandwidth left by prompts", "What decoding can use.")
    own = let("t_1", roofline.compute_time(requests.token(model, old), accelerator, "bf16", compute_efficiency), "arithmetic of one token", "us")
    ceiling = term("rate_limit", smallest(quotient(bandwidth, steps * history + bandwidth * first), 1 / (first + steps * own)), "λ_max", "1/s",
                   "Rate ceiling", "Here bytes or arithmetic take all the time, and no memory helps.", label="requests/s")
    steady = limit("A steady state exists", arrival_rate, ceiling, "no steady state at this rate", strict=True)

    room = left - need if steady.ok else smallest(left - need, q(0, "B/s"))
    decoding = term("sequences_decoding", _decoding(model, outflow, let("(β_left − β_need)", room, "bandwidth left for weights", "TB/s"), weight_bits),
                    "n", "", "Sequences decoding", "The batch is what comes out, not what is put in.", label="sequences")
    step = term("step_time", decoding / outflow, "t", "ms", "Step time", "n sequences get one token each.")
    term("decode_time", steps * step, "T_dec", "s", "Time of an answer", "How long one sequence stays in the batch.")
    active = term("active_state", decoding * state.held(model, prompt + output / 2, kv_bits), "M_act", "GB", "State being decoded", "Half of the answer is there on average.")
    parked = term("parked_requests", queueing.present(arrival_rate, think_time), "λτ", "", "Requests waiting", "Little's law again, with the other lifetime.",
                  label="requests")
    waiting = term("parked_state", parked * one, "M_wait", "GB", "State of those that wait", "Computes nothing and is held all the same.")
    resident = term("resident_state", active + waiting, "M", "GB", "State held", "Rate × size × lifetime, twice.")
    room_for_it = term("capacity_for_state", positive(accelerator.memory - weights.held(model, weight_bits)), "C − W", "GB", "Room for state",
                       "What the weights leave.")
    limit("The state fits", resident, room_for_it)
    return resident
