"""Scaling laws: what training buys. Loss as a function of weights and tokens, and what a budget of arithmetic buys best.

All of these are fits, good inside the range of runs that they were fitted to; outside it they are extrapolations.
"""

from calc.catalog import Table
from calc.quantity import Q, let, q, quotient

FITS = Table("scaling")
# constant -> (field of the table, symbol, words)
_CALLED = {
    "E": ("irreducible", "E", "loss that no size removes"), "A": ("weights_scale", "A", "scale of the weights' term"),
    "B": ("tokens_scale", "B", "scale of the tokens' term"), "alpha": ("alpha", "α", "exponent of the weights' term"),
    "beta": ("beta", "β", "exponent of the tokens' term"),
}


def fit(name):
    """{"E", "A", "B", "alpha", "beta": plain numbers} of a published fit of L(N, D) = E + A/N^α + B/D^β (nat per token).

    KeyError names the fits there are.
    """
    if name not in FITS:
        raise KeyError(f"unknown fit {name!r}; known: {', '.join(FITS)}")
    found = {}
    for key, (field, symbol, words) in _CALLED.items():
        x = FITS[name].get(field)
        found[key] = Q(x.value, op="leaf", symbol=symbol, name=words, source=x.source, where=x.where)
    return found


def training_flops(weights, tokens):
    """FLOP of training `weights` weights (those multiplied per token) on `tokens` tokens: C = 6·N·D.

    2 forward, 4 backward, attention not counted. J. Kaplan et al., arXiv 2001.08361, section 2.1.
    """
    return q(6, "FLOP") * weights * tokens


def tokens_for(compute, weights):
    """Tokens that a budget in FLOP pays for at N weights: C/(6·N)."""
    return compute / (q(6, "FLOP") * weights)


def weights_term(laws, weights):
    """Loss that more weights would remove, A/N^α (nat per token)."""
    return laws["A"] / weights ** laws["alpha"]


def tokens_term(laws, tokens):
    """Loss that more tokens would remove, B/D^β (nat per token)."""
    return laws["B"] / tokens ** laws["beta"]


def loss(laws, weights, tokens):
    """Loss after training N weights on D tokens, E + A/N^α + B/D^β (nat per token)."""
    return laws["E"] + weights_term(laws, weights) + tokens_term(laws, tokens)


def optimal_weights(laws, compute):
    """Weights that reach the lowest loss with `compute` FLOP: N* = (αA/βB)^(1/(α+β)) · (C/6)^(β/(α+β)).

    The minimum of `loss` along C = 6·N·D.
    """
    both = laws["alpha"] + laws["beta"]
    balance = let("G", (laws["alpha"] * laws["A"] / (laws["beta"] * laws["B"])) ** (1 / both), "balance of the two terms")
    return balance * (compute / q(6, "FLOP")) ** (laws["beta"] / both)


def tokens_for_loss(laws, target, weights):
    """Tokens after which N weights reach the loss `target`: (B/(L − E − A/N^α))^(1/β); never where no number of tokens does."""
    return quotient(laws["B"], target - laws["E"] - weights_term(laws, weights)) ** (1 / laws["beta"])


def steps_at_batch(fewest_steps, noise_scale, batch):
    """Optimizer steps at a batch of B tokens: S_min·(1 + B_c/B). S. McCandlish et al., arXiv 1812.06162, equation 2.11."""
    return fewest_steps * (1 + noise_scale / batch)


def tokens_at_batch(fewest_tokens, noise_scale, batch):
    """Training tokens at a batch of B tokens: E_min·(1 + B/B_c). S. McCandlish et al., arXiv 1812.06162, equation 2.11."""
    return fewest_tokens * (1 + batch / noise_scale)
