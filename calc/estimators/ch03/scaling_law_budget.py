"""Which size of model a budget of arithmetic should buy, and when a smaller one is cheaper to own."""

from calc.catalog import ACCELERATORS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import roofline, scaling
from calc.quantity import let, limit, q, quotient, term


@estimator(
    "scaling-law-budget", chapter=3, title="The size that a budget buys",
    question="Which model size should this budget buy, and when is a smaller one cheaper to own?",
    excludes="attention's arithmetic, inference below training's utilization, repeated or scarce data, the quality of tasks, expert models",
    sweep="accelerators", draws=("optimal_params", "optimal_tokens"), rising=("accelerators", "duration", "mfu"),
)
def scaling_law_budget(
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("peak.bf16|peak.fp16",)),
    accelerators=Slider(1024, 1, 131072, log=True, symbol="p", help="accelerators for the whole time"),
    duration=Slider(30, 0.1, 365, unit="day", log=True, symbol="T", whole=False, help="how long they compute"),
    mfu=Slider(0.4, 0.05, 0.8, symbol="η", name="utilization (MFU)", whole=False, help="share of the arithmetic peak that model arithmetic reaches"),
    fit=Choice("besiroglu-2024", ("hoffmann-2022", "besiroglu-2024"), labels={"hoffmann-2022": "Hoffmann 2022", "besiroglu-2024": "Besiroglu 2024"},
               help="whose fit of the same experiments"),
    size_fraction=Slider(0.5, 0.1, 1, symbol="s", whole=False, help="size of the smaller model, as a share of the optimal one"),
):
    laws = scaling.fit(fit)
    compute = term("compute", accelerators * duration * mfu * roofline.peak(accelerator), "C", "FLOP", "Budget", "Accelerators × time × what they reach.")
    best = term("optimal_params", scaling.optimal_weights(laws, compute), "N*", "", "Optimal size", "Lowest loss that the budget reaches.", label="parameters")
    data = term("optimal_tokens", scaling.tokens_for(compute, best), "D*", "", "Optimal tokens", "What the budget leaves for data.", label="tokens")
    term("tokens_per_param", data / best, "D*/N*", "", "Tokens per parameter", "Depends on the fit more than on the budget.")
    size_term = term("param_term", scaling.weights_term(laws, best), "A/N^α", "", "Loss from the size", "More weights would remove it.", label="nat per token")
    data_term = term("data_term", scaling.tokens_term(laws, data), "B/D^β", "", "Loss from the data", "More tokens would remove it.", label="nat per token")
    reached = term("loss", laws["E"] + size_term + data_term, "L*", "", "Loss", "With the part that nothing removes.", label="nat per token")
    less = term("small_params", size_fraction * best, "n", "", "Smaller model", "Cheaper to serve, for ever.", label="parameters")
    floor = let("L_n", laws["E"] + scaling.weights_term(laws, less), "loss of the smaller model with endless data")
    limit("Endless text takes the smaller model below the loss that it has to reach", floor, reached, "out of the smaller model's reach", strict=True, meter=False)
    same = size_fraction.value == 1
    more = term("small_tokens", data if same else scaling.tokens_for_loss(laws, reached, less), "D(n)", "", "Its tokens for the same loss", "It has to read more.", label="tokens")
    longer = let("C_n", scaling.training_flops(less, more), "its training", "FLOP")
    term("extra_training", size_fraction * more / data - 1, "", "", "Extra training",
         "On top of the budget and as a share of it: 6nD(n) over 6N*D*, less one.", label="of C")
    saved = let("(2(N* − n))", q(2, "FLOP") * (best - less), "arithmetic saved per served token", "GFLOP")
    term("break_even_tokens", quotient(longer - compute, saved), "Q*", "", "Tokens served to break even", "From here on the smaller model was the cheaper one.",
         label="tokens served")
    term("hours", accelerators * duration, "", "h", "Accelerator-hours", "The same budget as it is billed.", label="accelerator-hours")
    return best
