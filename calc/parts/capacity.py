"""Capacity: what is left of an accelerator's memory for state, and how many tokens or requests that holds."""

from calc.catalog import ACCELERATORS, MissingValue
from calc.quantity import floor, positive, q, quotient, total


def usable(accelerator, reading="label"):
    """Bytes of an accelerator: "label" is the vendor's figure times 10⁹ B, "reported" what its driver reports."""
    if reading == "label":
        return accelerator.memory
    if not accelerator.has("memory_reported"):
        having = [i for i in ACCELERATORS if ACCELERATORS[i].has("memory_reported")]
        raise MissingValue(f"{accelerator.id}: no driver figure is known; known for {', '.join(having)}")
    return accelerator.memory_reported


def pool(memory, share, weights, *reserved):
    """Bytes that a share of the memory leaves for state once weights and reserves (activations, runtime) are in; at least 0."""
    return positive(share * q(memory) - total([weights, *reserved]))


def that_fit(room, each):
    """How many whole tokens or requests of `each` bytes a pool of `room` bytes holds; never where each takes nothing."""
    return floor(quotient(room, each))


def logits(tokens, vocab, bits=32):
    """Bytes of the output scores of `tokens` positions over a vocabulary, 32 bits each unless said otherwise."""
    return q(tokens) * vocab * q(bits, "bit")
