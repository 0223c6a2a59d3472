"""How many accelerator-hours a training run takes, and how far 6ND is from the itemised count."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import flops, layers, roofline, scaling, weights
from calc.quantity import let, q, term


def _attention_per_token(model, sequence, counted):
    """FLOP of one forward pass's attention per token, by the convention that is asked for."""
    if counted == "none":
        return q(0, "FLOP")
    work = flops.attention_prompt(model, sequence) if counted == "causal" else flops.square(model, sequence)
    return work / sequence


@estimator(
    "training-flops", chapter=3, title="A training run in accelerator-hours",
    question="Is 6ND good enough, and how many accelerator-hours is it?",
    excludes="recomputation of activations (up to one more forward pass), restarts, evaluation, the optimizer, norms, masks between packed documents",
    sweep="sequence", draws=("matrix_flops", "attention_flops", "six_nd"), rising=("training_tokens", "sequence"), falling=("mfu",),
)
def training_flops(
    model=Pick(MODELS, "llama-3.1-8b", where=layers.is_decoder, why="is trained on something else than the next token"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("peak.bf16|peak.fp16",)),
    training_tokens=Slider(15_000_000_000_000, 10**9, 10**14, unit="tokens", log=True, symbol="D", help="tokens that the model is trained on"),
    sequence=Slider(8192, 512, 1048576, unit="tokens", log=True, symbol="S", help="tokens of one training sequence"),
    mfu=Slider(0.4, 0.05, 0.8, symbol="η", name="utilization (MFU)", whole=False, help="share of the arithmetic peak that model arithmetic reaches"),
    attention_count=Choice("causal", ("causal", "full", "none"), labels={"causal": "causal pairs", "full": "full square", "none": "not counted"},
                           help="which pairs of tokens count; reports differ"),
):
    three = let("3", q(3), "passes: forward, gradients of inputs, gradients of weights")
    matrices = term("matrix_flops", three * flops.linear(weights.active(model), training_tokens), "F_mat", "FLOP", "Matrices",
                    "Three passes over every weight that is multiplied, the head at every position.")
    one = let("φ̄", _attention_per_token(model, sequence, attention_count), "attention per token, forward", "GFLOP")
    attention = term("attention_flops", three * one * training_tokens, "F_att", "FLOP", "Attention", "Grows with the length of a sequence.")
    work = term("total_flops", matrices + attention, "F", "FLOP", "Arithmetic in all", "What the run has to do at least.")
    short = term("six_nd", scaling.training_flops(weights.total_weights(model), training_tokens), "6ND", "FLOP", "By 6ND",
                 "The shortcut: all weights, no attention.")
    term("ratio_to_6nd", work / short, "", "×", "Itemised over 6ND", "Above one: 6ND forgot attention. Far below: it counted idle experts.")
    term("attention_share", attention / work, "", "", "Attention's share", "Of the arithmetic.")
    term("flops_per_token", work / training_tokens, "F/D", "GFLOP", "Arithmetic per token", "What reports print; compare conventions first.", label="per token")
    hours = term("gpu_hours", roofline.compute_time(work, accelerator, "bf16", mfu), "T", "h", "Accelerator-hours", "At the peak times the share that is reached.",
                 label="accelerator-hours")
    term("days_on_1024", hours / 1024, "", "day", "Days on 1,024 accelerators", "If the share does not fall with the number.")
    return hours
