"""Where a model's parameters are, recounted from its configuration."""

from calc.catalog import MODELS
from calc.estimator import Pick, estimator
from calc.parts import flops, layers, tensors, weights
from calc.quantity import term, total

LINES = {
    "embedding": ("Input table", "One row per vocabulary entry; a lookup, no multiplication. A tied table is counted here and is the head as well."),
    "attention": ("Attention and recurrence", "The projections of all layers that mix positions."),
    "dense_ffn": ("Dense feed-forward", "Three matrices per layer where it is gated, else two."),
    "routed_experts": ("Routed experts", "All of them; a token meets only those that its router picks."),
    "shared_experts": ("Shared experts", "Experts that work for every token."),
    "router": ("Routers", "One row of h weights per expert and layer, which gives the expert its score."),
    "small": ("Norms, biases, other", "What remains: small, and counted to the last one."),
    "head": ("Output head", "0 where it shares the input table."),
    "vision": ("Vision tower", "0 for text alone."),
}


@estimator(
    "parameter-count", chapter=2, title="Where the parameters are",
    question="Where are the parameters, and does my count match the published one?",
    excludes="extra prediction layers, second copies of a tied table and quantization scales that a published file also holds; "
             "the state of conversations; the optimizer's numbers in training",
    sweep="model", draws=("total", "active"),
)
def parameter_count(model=Pick(MODELS, "mixtral-8x7b", where=layers.is_decoder, why="is no decoder")):
    found = weights.components(model)
    # A component comes named; the line shows how it was counted, under the same symbol.
    lines = [term(key, x.args[0] if x.op == "let" else x, tensors.SYMBOLS[key][0], "", LINES[key][0], LINES[key][1], label="parameters")
             for key in LINES for x in [found[key]]]
    answer = term("total", total(lines), "N", "", "All parameters", "What must be held.", label="parameters")
    active = term("active", weights.active(model).args[0], "A", "", "Active parameters",
                  "Multiplied for one token: the head is in; a separate input table, learned positions, the vision tower and the experts that were not "
                  "picked are out.", label="parameters")
    term("active_share", active / answer, "A/N", "", "Active share", "How sparse the model is.")
    term("flops_per_token", flops.linear(active, 1), "F", "GFLOP", "FLOP per token", "Two per active weight; attention over the history comes on top.")
    term("weights_bf16", weights.held(model, 16), "M_w", "GB", "Size in 16 bits", "Two bytes each.")
    return answer
