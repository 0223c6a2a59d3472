"""Arithmetic: FLOP of a pass, a multiply-add counted as 2, causal attention pairs counted exactly."""

from calc.parts.weights import _check
from calc.quantity import let, q


def attention_per_key(model):
    """FLOP by which one new token's attention grows with each key it sees: 4·L·n_q·d (scores and weighted values)."""
    _check(model)
    a = model.attention
    return let("φ₁", q(4, "FLOP") * model.layers * a.heads * a.head_dim, "attention arithmetic per key", "FLOP")


def attention_step(model, keys):
    """FLOP of one new token's attention over `keys` keys, φ(keys)."""
    return attention_per_key(model) * keys


def attention_prompt(model, prompt):
    """FLOP of causal attention over a prompt of P tokens: φ₁·P(P+1)/2, since position i sees i keys."""
    return attention_per_key(model) * (prompt * (prompt + 1) / 2)


def linear(weights, tokens):
    """FLOP of multiplying `tokens` vectors with `weights` weights: 2 per weight and token."""
    work = q(2, "FLOP") * weights
    return work if isinstance(tokens, int) and tokens == 1 else work * tokens
