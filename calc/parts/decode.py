"""One decode step: what it reads, what it computes, how long that takes at least."""

from calc.parts import flops, roofline, state, weights
from calc.quantity import largest, let


def arithmetic(model, batch, context):
    """FLOP of one new token for each of `batch` sequences that hold `context` tokens: b·(2A + φ(c + 1))."""
    return batch * (flops.linear(weights.active(model), 1) + flops.attention_step(model, context + 1))


def traffic(model, batch, context, weight_bits, kv_bits):
    """Bytes of one step: the weights once for the batch, and every sequence's own state: A·w + b·σ(c)."""
    return weights.read(model, batch, weight_bits) + batch * state.held(model, context, kv_bits)


def step_time(model, accelerator, batch, context, weight_bits, kv_bits, precision="bf16"):
    """Seconds of one step on one accelerator: the larger of its memory time and its compute time."""
    memory = let("t_mem", roofline.memory_time(traffic(model, batch, context, weight_bits, kv_bits), accelerator), "memory time", "ms")
    compute = let("t_cmp", roofline.compute_time(arithmetic(model, batch, context), accelerator, precision), "compute time", "ms")
    return largest(memory, compute)


def time_per_sequence(model, accelerator, context, kv_bits, precision="bf16"):
    """Seconds that one more sequence adds to a very large batch: the larger of its state read and its arithmetic."""
    read = roofline.memory_time(state.held(model, context, kv_bits), accelerator)
    return largest(read, roofline.compute_time(arithmetic(model, 1, context), accelerator, precision))
