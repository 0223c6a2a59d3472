"""The commands `forward` and `memory`: one forward pass of a model, and what it holds on each device."""

from calc import format, forward, memory, output
from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import InputError, Slider
from calc.units import unit

MOST = 10**9


def count(name, given, low=1, high=MOST, whole=True):
    """A number written on the command line ("8192", "8k", "8Ki"), in its range."""
    slider = Slider(low, low, high, whole=whole)
    slider.name = name
    return slider.parse(given)


def chosen(args):
    """The model that `--model` or `--config` names."""
    if args.config is not None:
        from calc.config import load

        return load(args.config)
    if args.model is None:
        raise InputError("model", "give --model ID or --config FILE")
    return MODELS[args.model]


def shown(value, name=""):
    """A bare number in base units as a reader reads it, with four digits."""
    if value is None or not name:
        return "never" if value is None else f"{value:,}"
    if name != "FLOP/B":
        name = format.pieces(value, name)[1]
    return f"{format.significant(value / unit(name)[0], 4)} {name}"


FORWARD = (("name", ""), ("layer_kind", ""), ("count", ""), ("shape", ""), ("flops", "FLOP"), ("weight_bytes", "B"), ("activation_bytes", "B"),
           ("state_read", "B"), ("state_written", "B"), ("intensity", "FLOP/B"))
HEADS = ("operator", "layer kind", "count", "shape", "arithmetic", "weights", "activations", "state read", "state written", "intensity")


def forward_command(args):
    """The table of one forward pass."""
    tokens, history = count("tokens", args.tokens), count("history", args.history, 0)
    model = chosen(args)
    data = forward.table(model, tokens, history, count("batch", args.batch), args.output_head)
    if args.format == "json":
        return output.as_json(data)
    if args.format == "csv":
        total = {"name": "total", **data["totals"]}
        return output.grid([key for key, _ in FORWARD], [[row.get(key) for key, _ in FORWARD] for row in (*data["operators"], total)], "csv")
    rows = [[shown(row[key], own) if own else row[key] for key, own in FORWARD] for row in data["operators"]]
    sums = [shown(data["totals"][key], own) for key, own in FORWARD[4:9]]
    notes = memory.published_note(model, "weights are counted in 16 bits")
    return noted(output.grid(HEADS, [*rows, ["total", "", "", "", *sums, ""]], args.format),
                 [*notes, *memory.too_long(model, tokens + history)], args.format)


def noted(table, notes, which):
    """A table with notes below it."""
    return "\n".join([table, *(f"\nNote: {note}." if which == "md" else f"note: {note}" for note in notes)])


def memory_command(args):
    """What the model and its requests hold."""
    utilization = count("utilization", args.utilization or "0.9", 0.01, 1, False)
    if args.utilization is not None and args.accelerator is None:
        raise InputError("utilization", "is a share of an accelerator's memory; give --accelerator ID with it")
    data = memory.report(
        chosen(args), count("context", args.context), count("batch", args.batch), args.weights, args.kv,
        count("tensor_parallel", args.tensor_parallel, 1, 4096), count("pipeline_parallel", args.pipeline_parallel, 1, 1024),
        None if args.accelerator is None else ACCELERATORS[args.accelerator],
        utilization, args.engine)
    if args.format == "json":
        return output.as_json(data)
    if args.format == "csv":
        rows = [(f"{group}.{key}", value) for group in ("weights", "state", "fits") if data[group] for key, value in data[group].items()
                if not isinstance(value, (dict, list))]
        about = [(key, data[key]) for key in ("model", "context", "batch", "devices", "tensor_parallel", "pipeline_parallel")]
        return output.grid(("key", "value"), [*about, *rows, *(("note", note) for note in data["notes"])], "csv")
    return noted(output.grid(("what", "amount", "about it"), memory_rows(data), args.format), data["notes"], args.format)


def memory_rows(data):
    """The report as rows for a reader."""
    weights, state, fits = data["weights"], data["state"], data["fits"]
    wide = f", of which {weights['kept_wide']:,} stay in 16 bits or more: {', '.join(weights['kept_wide_names'])}" if weights["kept_wide"] else ""
    group = f"{data['tensor_parallel']} share each layer, in {data['pipeline_parallel']} stages" if data["pipeline_parallel"] > 1 else \
        "they share each layer" if data["devices"] > 1 else "holds everything"
    later = "" if state["per_token"] == state["per_token_beyond_windows"] else \
        f"; {shown(state['per_token_beyond_windows'], 'kB')} once all windows are full"
    rows = [("model", data["model"], ""), ("context", shown(data["context"]), "tokens of each request"),
            ("requests", shown(data["batch"]), "at once"), ("devices", shown(data["devices"]), group),
            ("weights", shown(weights["total"], "GB"), f"{weights['count']:,} weights in {weights['format']}{wide}"),
            ("weights per device", shown(weights["per_device"], "GB"), "on the fullest device"),
            ("state per token", shown(state["per_token"], "kB"), f"what one more token adds at this context{later}; cache in {state['format']}"),
            ("state of any length", shown(state["per_request_constant"], "MB"), "per request: recurrent state and encoder rows"),
            ("state per request", shown(state["per_request"], "GB"), "at this context: "
             + (", ".join(f"{name} {shown(x, 'GB')}" for name, x in state["parts"].items() if x) or "nothing")),
            ("state per device", shown(state["per_device"], "GB"), "all requests, on the fullest device")]
    if fits:
        words = "fits" if fits["ok"] else f"does not fit: {shown(fits['need'] - fits['have'], 'GB')} short"
        # What takes nothing fits without end, once the weights do.
        most = {key: ("any number" if fits["ok"] else "none") if fits[key] is None else shown(fits[key]) for key in ("requests", "tokens")}
        rows += [("needed of had", f"{shown(fits['need'], 'GB')} of {shown(fits['have'], 'GB')}",
                  f"{words}; had is {fits['utilization']:g} of the memory (--utilization); workspace (activations, runtime) is not counted"),
                 ("requests that fit", most["requests"], f"of this length, on {fits['accelerator']}"),
                 ("tokens that fit", most["tokens"], "over all requests of this length")]
    return rows


def add(add_command):
    """Register both commands with `add_command(name, run, help)`."""
    for name, run, help in (("forward", forward_command, "one forward pass, operator by operator: arithmetic, bytes moved, intensity"),
                            ("memory", memory_command, "weights and state on each device, and how many requests fit")):
        command = add_command(name, run, help)
        model = command.add_mutually_exclusive_group()
        model.add_argument("--model", metavar="ID", help="a model of the catalogue")
        model.add_argument("--config", metavar="FILE", help="a Hugging Face config.json; read, never executed")
        command.add_argument("--batch", default="1", metavar="B", help="sequences (default 1)")
        if name == "forward":
            command.add_argument("--tokens", required=True, metavar="T", help="new tokens per sequence")
            command.add_argument("--history", default="0", metavar="H", help="tokens that each sequence holds already (default 0)")
            command.add_argument("--output-head", "--output_head", choices=forward.HEADS, default="last",
                                 help="positions whose next token is wanted (default last)")
            continue
        command.add_argument("--context", required=True, metavar="T", help="tokens per request")
        command.add_argument("--weights", metavar="FMT",
                             help="format of the weights, such as bf16, fp8, mxfp4, awq, q4_k_m (default bf16)")
        command.add_argument("--kv", default="bf16", metavar="FMT",
                             help=f"format of the cache: {', '.join(memory.CACHE)}, or KEYS/VALUES (default bf16)")
        command.add_argument("--tensor-parallel", "--tensor_parallel", default="1", metavar="N", help="devices that share each layer (default 1)")
        command.add_argument("--pipeline-parallel", "--pipeline_parallel", default="1", metavar="N", help="stages of consecutive layers (default 1)")
        command.add_argument("--accelerator", metavar="ID", help="say what fits on it")
        command.add_argument("--utilization", metavar="U", help="share of its memory that may be used (default 0.9)")
        command.add_argument("--engine", default="native", metavar="NAME",
                             help=f"what is stored per token: {', '.join(memory.ENGINES)} (default native)")
