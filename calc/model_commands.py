"""The commands `forward` and `memory`: one forward pass of a model, and what it holds on each device."""

from calc import format, forward, memory, output
from calc.catalog import ACCELERATORS, MODELS
from calc.estimator import InputError, Slider, nearest
from calc.units import unit

MOST = 10**9


def count(name, given, low=1, high=MOST, whole=True):
    """A number written on the command line ("8192", "8k", "8Ki"), in its range."""
    slider = Slider(low, low, high, whole=whole)
    slider.name = name
    return slider.parse(given)


def one(table, name, id):
    """A record of the catalogue by id; InputError names the nearest one."""
    if id not in table:
        raise InputError(name, f"unknown {str(id)[:64]!r}; nearest: {nearest(id, list(table))}")
    return table[id]


def chosen(args):
    """The model that `--model` or `--config` names."""
    if args.config is not None:
        from calc.config import load

        return load(args.config)
    if args.model is None:
        raise InputError("model", "give --model ID or --config FILE")
    return one(MODELS, "model", args.model)


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
    data = forward.table(chosen(args), tokens, history, count("batch", args.batch), args.output_head)
    if args.format == "json":
        return output.as_json(data)
    if args.format == "csv":
        return output.grid([key for key, _ in FORWARD], [[row[key] for key, _ in FORWARD] for row in data["operators"]], "csv")
    rows = [[shown(row[key], own) if own else row[key] for key, own in FORWARD] for row in data["operators"]]
    sums = [shown(data["totals"][key], own) for key, own in FORWARD[4:9]]
    return output.grid(HEADS, [*rows, ["total", "", "", "", *sums, ""]], args.format)


def memory_command(args):
    """What the model and its requests hold."""
    model = chosen(args)
    data = memory.report(
        model, count("context", args.context), count("batch", args.batch), args.weights, args.kv,
        count("tensor_parallel", args.tensor_parallel, 1, 4096), count("pipeline_parallel", args.pipeline_parallel, 1, 1024),
        None if args.accelerator is None else one(ACCELERATORS, "accelerator", args.accelerator),
        count("utilization", args.utilization, 0.01, 1, False), args.engine)
    if args.format == "json":
        return output.as_json(data)
    if args.format == "csv":
        rows = [(f"{group}.{key}", value) for group in ("weights", "state", "fits") if data[group] for key, value in data[group].items()
                if not isinstance(value, dict)]
        return output.grid(("key", "value"), [("model", data["model"]), *rows], "csv")
    return output.grid(("what", "amount", ""), memory_rows(data), args.format)


def memory_rows(data):
    """The report as rows for a reader."""
    weights, state, fits = data["weights"], data["state"], data["fits"]
    rows = [("weights", shown(weights["total"], "GB"), f"{weights['count']:,} weights in {weights['format']}"),
            ("weights per device", shown(weights["per_device"], "GB"), "on the fullest device"),
            ("state per token", shown(state["per_token"], "kB"), f"what one more token adds, cache in {state['format']}"),
            ("state of any length", shown(state["per_request_constant"], "MB"), "per request: recurrent state and encoder rows"),
            ("state per request", shown(state["per_request"], "GB"), "at this context: "
             + (", ".join(f"{name} {shown(x, 'GB')}" for name, x in state["parts"].items() if x) or "nothing")),
            ("state per device", shown(state["per_device"], "GB"), "all requests, on the fullest device")]
    if fits:
        words = "fits" if fits["ok"] else f"does not fit: {shown(fits['need'] - fits['have'], 'GB')} short"
        rows += [("needed of had", f"{shown(fits['need'], 'GB')} of {shown(fits['have'], 'GB')}",
                  f"{words}; activations and runtime are not counted"),
                 ("requests that fit", shown(fits["requests"], ""), f"of this length, on {fits['accelerator']}"),
                 ("tokens that fit", shown(fits["tokens"], ""), "over all requests of this length")]
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
        command.add_argument("--weights", default="bf16", metavar="FMT",
                             help="format of the weights, such as bf16, fp8, mxfp4, awq, q4_k_m (default bf16)")
        command.add_argument("--kv", default="bf16", metavar="FMT",
                             help=f"format of the cache: {', '.join(memory.CACHE)}, or KEYS/VALUES (default bf16)")
        command.add_argument("--tensor-parallel", "--tensor_parallel", default="1", metavar="N", help="devices that share each layer (default 1)")
        command.add_argument("--pipeline-parallel", "--pipeline_parallel", default="1", metavar="N", help="stages of consecutive layers (default 1)")
        command.add_argument("--accelerator", metavar="ID", help="say what fits on it")
        command.add_argument("--utilization", default="0.9", metavar="U", help="share of its memory that may be used (default 0.9)")
        command.add_argument("--engine", default="native", metavar="NAME",
                             help=f"what is stored per token: {', '.join(memory.ENGINES)} (default native)")
