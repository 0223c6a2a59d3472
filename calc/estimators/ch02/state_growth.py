"""When the growing part of a conversation's state overtakes the part that stops growing."""

from calc.catalog import MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import layers, state
from calc.quantity import term, total


@estimator(
    "state-growth", chapter=2, title="Growing and fixed state",
    question="When does the growing part of the history overtake the fixed part?",
    excludes="the alignment of hybrid caches to pages, copies for speculative decoding, the buffers in which DeepSeek-V4 gathers tokens before it merges "
             "them, and traffic: recurrent state is read and written at every step",
    sweep="context", draws=("state", "growing"), rising=("context", "snapshots"),
)
def state_growth(
    model=Pick(MODELS, "qwen3.5-35b-a3b", where=layers.has_fixed_state, why="has no windows and no recurrent layers"),
    context=Slider(2048, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that the sequence holds"),
    kv_bits=Choice(16, (4, 8, 16), unit="bit", help="bits per cached value"),
    recurrent_bits=Choice(32, (16, 32), unit="bit", help="bits per value of a recurrent matrix"),
    snapshots=Slider(0, 0, 64, symbol="n", help="saved copies of the recurrent state, so that a prefix can be resumed"),
):
    how = {"recurrent_bits": recurrent_bits}
    g = term("growth_per_token", state.per_token(model, kv_bits, **how).args[0], "g", "KiB", "Growth per token", "Once the windows are full.")
    growing = term("growing", g * context, "g·c", "MiB", "Growing part", "Rows of the layers that keep every token.")
    window = term("windowed", state.windowed(model, context, kv_bits, **how), "S_W", "MiB", "In windows", "Grows until the windows are full, then stays.")
    matrix = term("recurrent", state.recurrent(model, kv_bits, **how), "S_r", "MiB", "Recurrent matrices", "The same from the first token to the last.")
    columns = term("conv", state.convolution(model, kv_bits, **how), "S_c", "MiB", "Convolution columns", "The last inputs of the short convolutions.")
    saved = term("snapshot_state", snapshots * (matrix + columns), "S_n", "MiB", "Snapshots",
                 "A recurrent state cannot be cut at a token; whoever wants to resume from a point must have saved it there.")
    answer = term("state", total([growing, window, matrix, columns, saved]), "σ(c)", "MiB", "State of the conversation", "All of it.")
    fixed = term("ceiling_of_fixed", state.ceiling(model, kv_bits, **how), "F", "MiB", "Ceiling of the fixed parts",
                 "Full windows, matrices and columns of one conversation.")
    term("crossover_context", fixed / g, "c*", "tokens", "Crossover context", "From here on the growing part is the larger.")
    return answer
