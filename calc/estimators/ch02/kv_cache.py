"""How much memory a batch of conversations takes on each device that shares a model by tensor parallelism."""

from calc.catalog import MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import layers, state
from calc.quantity import let, positive, term, total


@estimator(
    "kv-cache", chapter=2, title="Conversations on each device",
    question="How much memory do these conversations take on each device?",
    excludes="pages that are only partly filled and the scales of quantized caches (chapter 8), the margin of a chunk that some engines keep "
             "beside a window, pipeline stages, which hold only their own layers",
    sweep="tensor_parallel", draws=("per_accelerator", "even_split"), rising=("context", "batch"), falling=("tensor_parallel",),
)
def kv_cache(
    model=Pick(MODELS, "qwen3-235b-a22b", where=layers.is_decoder, why="is no decoder"),
    context=Slider(32768, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that each sequence holds"),
    batch=Slider(16, 1, 1024, unit="sequences", log=True, symbol="b", help="sequences held at the same time"),
    kv_bits=Choice(16, (4.5, 8, 8.5, 16), unit="bit", help="bits per cached value; index keys keep 8"),
    tensor_parallel=Slider(8, 1, 32, unit="accelerators", log=True, symbol="p", help="accelerators that share each layer by heads"),
    kv_layout=Choice("native", ("native", "no-window", "expanded"),
                     labels={"native": "as the architecture allows", "no-window": "windows kept in full", "expanded": "latents expanded to all heads"},
                     help="how much of the architecture's saving the engine uses"),
):
    how = {"layout": kv_layout, **state.index_width(model)}
    per_token = term("per_token", state.per_token(model, kv_bits, **how).args[0], "σ₁", "B", "Bytes per token",
                     "What one more token adds when all windows are full.")
    one = term("per_request", state.held(model, context, kv_bits, **how), "σ(c)", "GiB", "State per request", "One conversation, complete.")
    every = term("all_requests", batch * one, "b·σ", "GiB", "All conversations", "One copy of everything.")
    even = term("even_split", every / tensor_parallel, "b·σ/p", "GiB", "Even split", "What one would write without looking at the heads.")
    part = let("σ_p", state.on_fullest(model, context, kv_bits, tensor_parallel, **how), "state of one request on the fullest accelerator", "GiB")
    beyond = term("beyond_even", positive(batch * part - even), "ΔS", "GiB", "Copied part",
                  "What others in the group hold as well: heads are dealt out until each accelerator has one and are copied from there on; "
                  "a latent is always copied. Where heads do not divide evenly, also what the fullest has more than the others.")
    answer = term("per_accelerator", total([even, beyond]), "S", "GiB", "State per accelerator", "On the fullest of them.")
    term("copies", tensor_parallel * answer / every, "n", "×", "Group over one copy", "All accelerators together, over one copy.")
    return answer, per_token
