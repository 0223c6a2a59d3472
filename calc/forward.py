"""One forward pass, operator by operator: the data of `calc forward`."""

from calc.parts import layers, operators, state
from calc.quantity import q, total

HEADS = ("last", "all", "none")
COLUMNS = ("flops", "weight_bytes", "activation_bytes", "state_read", "state_written")


def table(model, tokens, history=0, batch=1, output_head="last", kv_bits=16):
    """{"model", "tokens", "history", "batch", "output_head", "operators", "totals"}: `batch` sequences of `tokens` new tokens each over
    `history` old ones; FLOP and bytes per operator, already multiplied by its count; weights and activations at 16 bits."""
    if output_head not in HEADS:
        raise ValueError(f"output-head: {output_head!r} is none of {', '.join(HEADS)}")
    rows = []
    for row in operators.of_pass(model, q(tokens), q(history), q(batch), output_head, kv_bits):
        moved = row.moved()
        rows.append({"name": row.name, "layer_kind": layers.WORDS.get(row.kind, row.kind), "count": number(row.count), "shape": shape(model, row),
                     "flops": number(row.flops), "weight_bytes": number(row.weight), "activation_bytes": number(row.activation),
                     "state_read": number(row.read), "state_written": number(row.written),
                     "intensity": number(row.flops / moved) if moved.value else None})
    return {"model": model.id, "tokens": tokens, "history": history, "batch": batch, "output_head": output_head, "operators": rows,
            "totals": {name: number(total([q(row[name]) for row in rows])) for name in COLUMNS}}


def shape(model, row):
    """What is multiplied; attention over a window says how wide that is."""
    kind = layers.SHARED.get(row.kind, row.kind)
    if not row.name.startswith("attention") or "keys" not in row.shape or kind not in (*layers.WINDOWED, "v4_window"):
        return row.shape
    return f"{row.shape}, {'chunk' if kind == 'chunked' else 'window'} of {number(state.window(model, kind))}"


def number(x):
    """A bare number for JSON: whole where it is whole."""
    value = q(x).value
    return int(value) if value is not None and float(value).is_integer() else value
