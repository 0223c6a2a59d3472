"""The share of arithmetic that goes into looking back, and the context at which it outweighs the weights."""

from calc.catalog import MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import flops, layers, state, weights
from calc.quantity import apply, let, term


def crossover(model, phase, form):
    """The least whole context at which attention costs as much as the linear layers, by bisection; None when there is none."""
    def enough(c):
        linear, looking = work(model, c, phase, form)
        return looking.value >= linear.value

    low, high = 0, 2**34
    if not enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def work(model, context, phase, form):
    """(FLOP of the linear layers, FLOP of attention) per token: of one decode step, or the mean over a prompt."""
    A, H = weights.active(model), weights.head(model)
    if phase == "decode":
        return flops.linear(A, 1), flops.attention_step(model, context + 1, form)
    return flops.linear(A - H, 1) + flops.linear(H, 1) / context, flops.attention_prompt(model, context, form=form) / context


@estimator(
    "attention-share", chapter=2, title="Looking back and thinking",
    question="At what context does looking back cost more than thinking?",
    excludes="the softmax and the rotation of keys, which run on other units; the rebuilding of keys and values in the expanded form; recurrent layers count 7 or 5 FLOP per element of their state, a convention",
    sweep="context", draws=("share",),
)
def attention_share(
    model=Pick(MODELS, "llama-3.1-8b", where=lambda m: layers.is_decoder(m) and m.raw.get("attention") is not None, why="is no decoder with attention layers"),
    context=Slider(16384, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens held when decoding; length of the prompt in prefill"),
    phase=Choice("decode", ("decode", "prefill"), help="one new token after the context, or the mean token of a prompt"),
    mla_form=Choice("auto", ("auto", "absorbed", "expanded"), help="order of the products in latent attention; auto is absorbed in decode, expanded in prefill"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached value; index keys keep 8"),
):
    form = {"auto": "absorbed" if phase == "decode" else "expanded"}.get(mla_form, mla_form)
    weighing, looking = work(model, context, phase, form)
    linear = term("linear", weighing, "F_lin", "GFLOP", "Linear layers", "Two per active weight; in prefill the output head works once for the whole prompt.")
    attention = term("attention", looking, "φ", "GFLOP", "Attention", "Scores and mixtures over the keys that are seen, half of the prompt on average in prefill.")
    everything = term("total", linear + attention, "F", "GFLOP", "In all", "Per token.")
    share = term("share", attention / everything, "s", "", "Share of attention", "Of all arithmetic.")
    term("crossover_context", apply("least c with φ ≥ F_lin{}", lambda *_: crossover(model, phase, form)), "c*", "tokens", "Crossover context",
         "From here on looking back costs more than the weights.")
    if phase == "decode":
        history = let("r(c)", state.read(model, context, kv_bits, **state.index_width(model)), "bytes of history read", "GB")
        term("flops_per_state_byte", attention / history, "I", "FLOP/B", "FLOP per byte of history",
             "The intensity of looking back, a property of the architecture; compare it with the balance of the machine. The new token's own row "
             "is worked on and not read, so that short contexts lie a little higher.")
        if form == "expanded" and layers.has_latent(model):
            rebuilt = let("r_x(c)", state.read(model, context, kv_bits, layout="expanded", **state.index_width(model)), "bytes of rebuilt keys and values", "GB")
            term("flops_per_rebuilt_byte", attention / rebuilt, "I_x", "FLOP/B", "FLOP per byte of rebuilt history",
                 "What the expanded form really works on: keys and values of every head. The line above divides by the latents that are stored.")
    return share
