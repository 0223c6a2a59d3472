"""Training: what one step computes, holds and sends.

A multiply-add is 2 FLOP; the backward pass costs two forward passes. N is what a token is multiplied with (output head in,
input table out) for arithmetic and everything that is stored for memory.
"""

from calc.parts import flops, weights
from calc.parts.weights import width
from calc.quantity import ceil, largest, let, positive, q, quotient, smallest, total

PASSES = 3  # forward, gradients of inputs, gradients of weights


# ---------------------------------------------------------------- arithmetic
def flops_per_token(model, sequence):
    """FLOP of training one token in sequences of s tokens: 6·A + 3·(causal attention of a sequence)/s."""
    return q(2 * PASSES, "FLOP") * weights.active(model) + PASSES * flops.attention_prompt(model, sequence) / sequence


def utilization(flop, time, devices, peak):
    """Model FLOP utilisation: the useful arithmetic of a step ÷ (devices × dense peak × its time).

    A. Chowdhery et al., arXiv 2204.02311, appendix B. Recomputation is not useful; counting it too gives the hardware's.
    """
    return flop / (devices * peak * time)


def run_time(flop, devices, peak, utilization, goodput=1):
    """Seconds of a run: FLOP/(devices × peak × MFU × goodput)."""
    return flop / (devices * peak * utilization * goodput)


# ---------------------------------------------------------------- what is resident
WEIGHT_BYTES, MASTER_BYTES, MOMENT_BYTES = 2, 4, 8
STAGE_OF = {"optimizer": 1, "gradients": 2, "parameters": 3}


def share_kept(what, stage, data_parallel):
    """Share of the "parameters", "gradients" or "optimizer" that one of n_d replicas keeps: 1/n_d from ZeRO stage 3, 2 or 1 on.

    S. Rajbhandari, J. Rasley, O. Ruwase, Y. He, SC20 (arXiv 1910.02054), section 5.
    """
    return 1 / q(data_parallel) if q(stage).value >= STAGE_OF[what] else q(1)


def parameter_bytes(count, stage=0, data_parallel=1, per_weight=None):
    """Bytes of the working weights on one replica: 2·N (bf16) × share kept."""
    return count * (q(WEIGHT_BYTES, "B") if per_weight is None else per_weight) * share_kept("parameters", stage, data_parallel)


def gradient_bytes(count, grad_bits, stage=0, data_parallel=1):
    """Bytes of the gradients on one replica: g·N × share kept; `grad_bits` 16, or 32 where they are summed in fp32."""
    return count * width(grad_bits) * share_kept("gradients", stage, data_parallel)


def optimizer_bytes(count, stage=0, data_parallel=1, per_weight=None):
    """Bytes of Adam in mixed precision on one replica: 12·N (fp32 master weights and two moments) × share kept."""
    return count * (q(MASTER_BYTES + MOMENT_BYTES, "B") if per_weight is None else per_weight) * share_kept("optimizer", stage, data_parallel)


def state_bytes(count, grad_bits, stage=0, data_parallel=1):
    """Bytes of weights, gradients and optimizer on one replica; 16·N with bf16 gradients and no sharding, 18·N with fp32 ones."""
    return total([parameter_bytes(count, stage, data_parallel), gradient_bytes(count, grad_bits, stage, data_parallel),
                  optimizer_bytes(count, stage, data_parallel)])


def activation_per_token(model):
    """Bytes that backward needs of one token in one layer, with fused attention: 2·(4h + 2·n_q·d + 2·n_kv·d) + 6·f.

    bf16: two residuals and two normed inputs; queries, keys, values and attention's output; gate, up and their product. Dense
    layers with a gate.
    """
    if not weights.is_dense(model) or weights.matrices(model.raw["ffn"]) != 3:
        from calc.catalog import MissingValue

        raise MissingValue(f"{model.id}: stored activations are counted for dense models with a gated feed-forward part; nearest: llama-3.1-8b")
    a, two = model.attention, q(2, "B")
    found = two * (4 * model.hidden + 2 * a.heads * a.head_dim + 2 * a.kv_heads * a.head_dim) + q(6, "B") * model.ffn.intermediate
    return let("a", found, "activations of a token in a layer", "B")


def gpt_activation_per_token(hidden, heads, sequence, core=True):
    """Bytes of one token in one layer of a 2022 GPT with dropout and unfused attention: 34·h + 5·n_q·s; without its core 34·h.

    V. Korthikanti et al., arXiv 2205.05198, equations 1 and 6.
    """
    return q(34, "B") * hidden + q(5, "B") * heads * sequence if core else q(34, "B") * hidden


def score_bytes_per_token(heads, sequence):
    """Bytes of attention's core that unfused attention stores per token and layer: 5·n_q·s (arXiv 2205.05198, equation 1)."""
    return q(5, "B") * heads * sequence


def activations(per_token, layers, tokens, recompute="none", boundary=None):
    """Bytes kept for backward of `tokens` tokens: "none" a·L·T; "full" (boundary·L + a)·T, each layer's input and one layer's working set."""
    if recompute == "full":
        return (boundary * layers + per_token) * tokens
    if recompute != "none":
        raise ValueError(f"unknown recompute level {recompute!r}; known: none, full")
    return per_token * layers * tokens


def layer_input(hidden):
    """Bytes of one token's input to one layer in bf16, 2·h."""
    return q(2, "B") * hidden


def logit_bytes(vocab, tokens, bits=64):
    """Bytes of the logits of `tokens` tokens: V × T × (an fp32 value and its fp32 gradient: 64 bit)."""
    return vocab * tokens * width(bits)


# ---------------------------------------------------------------- gradient traffic
def gradient_passes(stage, micro_batches=1):
    """How often per step a ring passes over the weights: 2 (reduce-scatter and all-gather), ZeRO-3 three per micro-batch."""
    return 3 * q(micro_batches) if q(stage).value == 3 else q(2)


def bytes_sent_per_weight(stage, grad_bits, micro_batches=1):
    """Bytes that a replica sends per weight and step, the ring's (n − 1)/n left out.

    ZeRO 0 and 1: g + 2 once (scatter gradients, gather weights); 2: m·g + 2, it scatters in every micro-batch to keep only its
    share; 3: m·(g + 4), it also gathers the weights for forward and for backward.
    """
    m, level, g = q(micro_batches), q(stage).value, width(grad_bits)
    if level == 3:
        return m * (g + q(4, "B"))
    return (m * g if level == 2 else g) + q(2, "B")


def exposed(communication, hiding, last=None):
    """Seconds of traffic that arithmetic does not hide: max(0, T − hiding), at least the last bucket `last` that nothing can hide."""
    return positive(communication - hiding) if last is None else largest(communication - hiding, last)


def tokens_to_hide(communication, count, rate, overlap=1):
    """Tokens per device from which on the usable share o of the backward pass hides the gradients: T·Π/(o·4·P); never at o = 0."""
    return quotient(communication * rate, q(overlap) * q(4, "FLOP") * count)


# ---------------------------------------------------------------- pipelines
SCHEDULES = ("gpipe", "1f1b", "interleaved", "zb1p", "zb2p", "dualpipe")


def _schedule(name):
    if name not in SCHEDULES:
        raise ValueError(f"unknown schedule {name!r}; known: {', '.join(SCHEDULES)}")
    return name


def bubble(schedule, stages, forward, backward, virtual_stages=1, weight_part=None):
    """Seconds that a device of a pipeline of p stages stands still in a step, whatever the number of micro-batches.

    GPipe (Y. Huang et al., arXiv 1811.06965) and 1F1B (D. Narayanan et al., arXiv 1806.03377) (p − 1)(f + b); interleaved with
    v chunks that ÷ v (arXiv 2104.04473); ZB1P (p − 1)(f + b − 2w) and ZB2P 0 (P. Qi et al., arXiv 2401.10241), w the
    weights' part of backward, b/2 unless given; DualPipe (p/2 − 1)(f + 2b − 3w) (DeepSeek-V3, arXiv 2412.19437, table 2, a
    forward and a backward pass that overlap taking f + b). Unequal stages and hops are not in it. See `least_micro_batches`.
    """
    _schedule(schedule)
    gap, w = q(stages) - 1, backward / 2 if weight_part is None else weight_part
    if schedule == "zb2p":
        return q(0, "s")
    if schedule == "zb1p":
        return gap * (forward + backward - 2 * w)
    if schedule == "dualpipe":
        return (q(stages) / 2 - 1) * (forward + 2 * backward - 3 * w)
    idle = gap * (forward + backward)
    return idle / virtual_stages if schedule == "interleaved" else idle


def least_micro_batches(schedule, stages):
    """Micro-batches from which on the schedule's bubble holds: p for interleaved (a multiple of it) and ZB1P, 2·p for ZB2P and DualPipe."""
    return {"interleaved": q(stages), "zb1p": q(stages), "zb2p": 2 * q(stages), "dualpipe": 2 * q(stages)}.get(_schedule(schedule), q(1))


def held(schedule, stages, micro_batches, virtual_stages=1):
    """Micro-batches whose activations the fullest stage holds at once: GPipe m; 1F1B and ZB1P min(m, p); interleaved
    min(m, p + (p − 1)/v); ZB2P 2p; DualPipe p + 1."""
    p, m = q(stages), q(micro_batches)
    _schedule(schedule)
    if schedule == "gpipe":
        return m
    if schedule == "interleaved":
        return smallest(m, p + (p - 1) / virtual_stages)
    return {"zb2p": 2 * p, "dualpipe": p + 1}.get(schedule, smallest(m, p))


def weight_copies(schedule):
    """Copies of the weights that a device keeps: 2 for DualPipe, else 1."""
    return q(2 if _schedule(schedule) == "dualpipe" else 1)


def busy_share(micro_batches, forward, backward, idle):
    """Share of a step that a device computes: m(f + b)/(m(f + b) + bubble)."""
    work = q(micro_batches) * (forward + backward)
    return work / (work + idle)


def micro_batches(sequences, data_parallel, per_micro_batch=1):
    """Micro-batches of the fullest replica: ⌈sequences/(n_d × sequences per micro-batch)⌉."""
    return ceil(q(sequences) / (q(data_parallel) * per_micro_batch))
