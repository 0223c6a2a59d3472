"""What a decode step reads of the history when an index selects the tokens that are attended to."""

from calc.catalog import MODELS
from calc.estimator import Choice, Pick, Slider, estimator
from calc.parts import layers, state
from calc.quantity import let, quotient, smallest, term


@estimator(
    "sparse-attention-read", chapter=2, title="Reading by index",
    question="If everything is stored but little is read, what does a step read?",
    excludes="the index's arithmetic (a seventeenth of absorbed attention per key), the time to find its best scores, scattered access to the "
             "selected rows, and the scales of 8-bit rows",
    sweep="context", draws=("read", "dense_read"), rising=("context", "batch", "index_top_k"),
)
def sparse_attention_read(
    model=Pick(MODELS, "deepseek-v3.2", where=layers.has_index, why="has no index over its history"),
    context=Slider(16384, 1, 1048576, unit="tokens", log=True, symbol="c", help="tokens that each sequence holds"),
    batch=Slider(8, 1, 512, unit="sequences", log=True, symbol="b", help="sequences decoded together"),
    kv_bits=Choice(16, (8, 16), unit="bit", help="bits per value of a latent"),
    index_bits=Choice(8, (4, 8, 16), unit="bit", help="bits per value of an index key"),
    index_top_k=Slider(2048, 128, 16384, unit="tokens", log=True, symbol="K", help="tokens that the index selects"),
):
    L, e = model.layers, state.row_values(model, "dsa") * state.per_value(kv_bits)
    row = let("e·κ", e, "bytes of one latent with its rotary key", "B")
    key = let("d_I·κ_I", model.attention.indexer.head_dim * state.per_value(index_bits), "bytes of one index key", "B")
    scan = term("scan", L * key * context * batch, "D_I", "GB", "Index keys scanned", "All of them, in every layer: narrow, but as long as the history.")
    chosen = term("selected", L * row * smallest(context, index_top_k) * batch, "D_K", "GB", "Selected latents", "Wide, but never more than the selection.")
    read = term("read", scan + chosen, "D", "GB", "Read per step", "What the batch's histories cost one decode step.")
    dense = term("dense_read", L * row * context * batch, "D_full", "GB", "Read without an index", "Every latent of every conversation.")
    stored = term("stored", dense + L * key * context * batch, "S", "GB", "Stored", "Nothing is thrown away, and the index keys come on top.")
    term("saving", dense / read, "G", "×", "Saving in reading", "Below one the index costs more than it spares.")
    term("share_of_store_read", read / stored, "s", "", "Share of the store that is read", "The rest only takes room.")
    term("break_even_context", index_top_k * quotient(row, row - key), "c₁", "tokens", "Break-even context", "From here on the index saves reading.")
    term("scan_passes_selected", index_top_k * row / key, "c₂", "tokens", "Where the scan passes the selection",
         "From here on the index is the larger part of the reading.")
    term("ceiling", row / key, "G_∞", "×", "Ceiling of the saving", "What a very long history approaches.")
    return read
