"""Whether a model with its requests fits into the memory of the accelerators."""

from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import Choice, InputError, Pick, Slider, estimator
from calc.parts import state, weights
from calc.quantity import floor, limit, positive, term, total


def usable(accelerator, reading):
    """Bytes of the accelerator by the vendor's label or by what its driver reports."""
    if reading == "reported":
        if not accelerator.has("memory_reported"):
            having = [i for i in ACCELERATORS if ACCELERATORS[i].has("memory_reported")]
            raise InputError("memory_reading", f"no driver figure is known for {accelerator.id}; known for {', '.join(having)}")
        return accelerator.memory_reported
    return accelerator.memory


@estimator(
    "does-it-fit", chapter=1, title="Does it fit?",
    question="Does this model with these requests fit on this hardware?",
    excludes="fragmentation and page rounding, the activation peak's growth with the longest request, "
             "engines' own reserves (1-3 GiB) beyond the workspace",
    sweep="batch", draws=("need", "have", "weights"), rising=("context", "batch", "workspace", "weight_bits", "kv_bits"), falling=("accelerators",),
)
def does_it_fit(
    model=Pick(MODELS, "llama-3.1-70b", where=weights.is_dense, why="is no dense decoder with full attention"),
    accelerator=Pick(ACCELERATORS, "h100-sxm", needs=("memory",)),
    accelerators=Slider(1, 1, 16, unit="accelerators", symbol="p", help="accelerators that share the model; every layer is cut into p slices"),
    weight_bits=Choice(8, (4, 4.25, 4.5, 8, 8.5, 16), unit="bit", help="bits per weight, scales included"),
    context=Slider(8192, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that each request holds"),
    batch=Slider(1, 1, 1024, unit="requests", log=True, symbol="b", help="requests held at the same time"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached key or value", more=True),
    workspace=Slider(2, 0, 20, unit="GB", symbol="U", help="activations, buffers, captured graphs; an assumption", more=True, whole=False),
    memory_share=Slider(0.95, 0.5, 1, symbol="u", help="share of the memory that may be used; a policy of the engine", more=True),
    memory_reading=Choice("label", ("label", "reported"), labels={"label": "vendor's label", "reported": "driver's report"},
                          help="which figure of the memory counts", more=True),
):
    held = term("weights", weights.held(model, weight_bits) / accelerators, "W", "GB", "Weights", "One p-th of them on each accelerator (copies of key and value projections beyond the heads are not counted).")
    one = term("state_per_request", state.on_fullest(model, context, kv_bits, accelerators), "σ_p", "GB", "State per request",
               "One request's history, on one accelerator; heads are divided while there are heads.")
    own = term("state", batch * one, "K", "GB", "State of all requests", "Every request brings its own.")
    space = term("workspace", workspace, "U", "GB", "Workspace", "Does not shrink when the model is cut.")
    need = term("need", total([held, own, space]), "M", "GB", "Memory needed", "Per accelerator.")
    have = term("have", memory_share * usable(accelerator, memory_reading), "uC", "GB", "Memory to be had", "What the policy leaves usable.")
    fits = limit("Fits", need, have)
    term("headroom", have - need, "", "GB", "Headroom", "Negative when it does not fit.")
    term("fits", fits, name="It fits")
    term("requests_that_fit", floor(positive(have - held - space) / one), "", "", "Requests that fit", "Whole requests of this length.",
         label="requests")
    term("weights_gib", held, "", "GiB", "Weights as an engine's log prints them", "Logs count in GiB and often write GB.")
    return need
