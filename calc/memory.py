"""What a model and its requests hold in memory on each device: the data of `calc memory`."""

from calc.estimator import InputError, echo, hint, nearest
from calc.parts import capacity, formats, layers, state, tensors, weights
from calc.quantity import limit, q, smallest, total

# What is kept per token: native honours the architecture; the others are what engines without it do (see `calc.parts.state`).
ENGINES = ("native", "no-window", "expanded", "fp8-rows")
# Cache formats: bits per value; an engine's FP8 cache has one scale per tensor, which is no bytes worth counting.
CACHE = {"fp32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "nvfp4": 4.5, "q8_0": 8.5, "q5_0": 5.5, "q5_1": 6, "q4_0": 4.5, "q4_1": 5,
         "iq4_nl": 4.5}


def cache_bits(name):
    """(bits per key, bits per value or None) of a cache format; "iq4_nl/f16" names the formats of keys and values."""
    found = []
    for part in str(name).lower().replace("-", "_").split("/"):
        part = {"f16": "fp16", "f32": "fp32", "f8": "fp8"}.get(part, part)
        if part not in CACHE:
            raise InputError("kv", f"unknown {echo(part)}; nearest: {nearest(part, list(CACHE))}; formats are {', '.join(CACHE)}")
        found.append(CACHE[part])
    if len(found) > 2:
        raise InputError("kv", f"{echo(name)} names more than keys and values")
    return found[0], found[1] if len(found) == 2 and found[1] != found[0] else None


def stages(model, count):
    """[{(mixer, feed-forward part): blocks}] of `count` runs of consecutive blocks, the first ones a block longer."""
    blocks, found, start = layers.blocks(model), [], 0
    for stage in range(count):
        size = len(blocks) // count + (stage < len(blocks) % count)
        tally = {}
        for block in blocks[start:start + size]:
            tally[block] = tally.get(block, 0) + 1
        found.append(tally)
        start += size
    return found


def in_blocks(model, mixer, part):
    """Weights of one block (count)."""
    parts, kinds = tensors.components(model), layers.feed_forwards(model)
    found = [q(model.raw["norm"]["per_layer"]) * tensors.norm(model)]
    if mixer != "none":
        found += [tensors.mixer(model, mixer), tensors.small_mixer(model, mixer)]
    if "moe" in part:
        found += [parts[key] / layers.expert_layers(model) for key in ("routed_experts", "shared_experts", "router") if parts[key].value]
    if "dense" in part:
        found.append(parts["dense_ffn"] / total([layers.count(model, kind) for kind in ("dense", "dense+moe") if kind in kinds]))
    return total(found)


def shares(model, pipeline_parallel):
    """[(share of all weights, {mixer: blocks})] per stage: blocks, the input table and vision tower on the first, the head (of
    tied tables a copy) on the last. One stage has everything."""
    if pipeline_parallel == 1:
        return [(q(1), None)]
    parts, found = tensors.components(model), []
    tallies = stages(model, pipeline_parallel)
    blocks = [total([count * in_blocks(model, *block) for block, count in tally.items()]) for tally in tallies]
    rest = weights.total_weights(model) - total([*blocks, parts["embedding"], parts["vision"], parts["head"]])  # the last norm and the like
    for i, tally in enumerate(tallies):
        own = [blocks[i]]
        if i == 0:
            own += [parts["embedding"], parts["vision"]]
        if i == len(tallies) - 1:
            own += [parts["embedding"] if model.raw["tied_embeddings"] else parts["head"], rest]
        mixers = {}
        for (mixer, _), count in tally.items():
            mixers[mixer] = mixers.get(mixer, 0) + count
        found.append((total(own) / weights.total_weights(model), mixers))
    return found


def cut(model, tensor_parallel):
    """Share of the weights on the fullest device of a tensor-parallel group; a model that is no decoder is cut evenly."""
    if tensor_parallel == 1:
        return q(1)
    if model.raw["kind"] != "decoder":
        return 1 / q(tensor_parallel)
    return weights.count_on_fullest(model, q(tensor_parallel)) / weights.total_weights(model)


def number(x):
    """A bare number for JSON: whole where it is whole, None where it never happens."""
    value = q(x).value
    return int(value) if value is not None and float(value).is_integer() else value


def check(model, tensor_parallel, pipeline_parallel, engine, value_bits):
    """Refuse what is not known to be possible."""
    if engine not in ENGINES:
        raise InputError("engine", f"unknown {echo(engine)}; known: {', '.join(ENGINES)}")
    heads = query_heads(model)
    if heads and tensor_parallel > heads:
        raise InputError("tensor_parallel", f"{tensor_parallel} is more than the {heads} query heads of {model.id}, which are dealt out whole")
    if pipeline_parallel > 1 and model.raw["kind"] != "decoder":
        raise InputError("pipeline_parallel", f"{model.id} is no decoder; only decoders are cut into stages here")
    if pipeline_parallel > model.raw["layers"]:
        raise InputError("pipeline_parallel", f"{pipeline_parallel} is more than the {model.raw['layers']} blocks of {model.id}")
    one_row = any(kind in layers.COMPRESSED or kind in layers.LATENT and engine != "expanded" for kind in layers.mixers(model))
    if value_bits is not None and one_row:
        raise InputError("kv", f"keys and values share one row in {model.id}; give one format")


def query_heads(model):
    """Query heads of the model's attention, 0 where it has none."""
    return (model.raw.get("attention") or {}).get("heads", 0)


def weight_format(name):
    """The slug of a format of weights; InputError lists the formats."""
    slug = str(name).lower().replace("-", "_")
    if slug not in formats.NAMES:
        raise InputError("weights", f"format {echo(name)} is not known; {hint(slug, formats.NAMES, 'calc memory --help')}; "
                                    f"formats are {', '.join(formats.NAMES)}")
    return slug


def published_format(model):
    """The format that the publisher's checkpoint is in where that is known to be another than 16 bits, else None: what a
    configuration says of its quantization, and of the catalogue's models what their records say."""
    published, experts = model.raw.get("published") or {}, (model.raw.get("moe") or {}).get("expert_dtype")
    if model.own or published.get("format"):
        return published.get("format")
    return experts or ("fp8" if "fp8_block_scales" in published.get("extras", ()) else None)


def published_note(model, counted):
    """A note when the weights are published in another format than they are counted in, else nothing."""
    found = published_format(model)
    part = " in its experts" if (model.raw.get("moe") or {}).get("expert_dtype") else ""
    return [f"published as {found}{part}; {counted}"] if found else []


WIDE = {"embedding": "input table", "head": "output head", "small": "norms and biases", "router": "routers", "vision": "vision tower"}


def kept_wide(model, slug):
    """(weights, their names) that a format of fewer than 16 bits leaves in 16 or more."""
    if slug in formats.MIXES or formats.BITS[slug][0] >= 16:
        return 0, []
    counts = tensors.components(model)
    found = [key for key, size in formats.by_component(model, slug).items() if size.value >= 2 * counts[key].value]
    return number(total([counts[key] for key in found] or [q(0)])), [WIDE.get(key, key.replace("_", " ")) for key in found]


def growth(model, context, bits, **how):
    """Bytes that one more token adds to one request at this context (count of tokens): windows that are not full grow too."""
    return state.per_token(model, bits, **how) + (state.windowed(model, context + 1, bits, **how) - state.windowed(model, context, bits, **how))


def too_long(model, tokens):
    """A note when a request is longer than the model's longest context, else nothing."""
    if not model.has("max_context") or tokens <= model.raw["max_context"]:
        return []
    return [f"{tokens:,} tokens are more than the {model.raw['max_context']:,} that {model.id} is made for"]


def copies(model, tensor_parallel, engine):
    """Notes on heads that do not divide, and on state that devices of one group hold more than once."""
    heads, found = query_heads(model), []
    if heads % tensor_parallel:
        found.append(f"{tensor_parallel} devices do not divide the {heads} query heads of {model.id}, which engines usually refuse; "
                     "the fullest device is counted")
    kinds = [k for k in layers.mixers(model) if k not in layers.RECURRENT and k not in layers.STATELESS]
    kinds = kinds if state.held(model, q(1), 16).value else []
    latent = [k for k in kinds if k in layers.COMPRESSED or k in layers.LATENT and engine != "expanded"]
    if latent and tensor_parallel > 1:
        found.append(f"a latent row is not cut by heads: each of the {tensor_parallel} devices of a group holds a copy")
    heads = min((tensors.widths(model, k)[1].value for k in kinds if k not in layers.LATENT and k not in layers.COMPRESSED), default=tensor_parallel)
    if heads < tensor_parallel:
        found.append(f"{heads} key/value {'head' if heads == 1 else 'heads'} on {tensor_parallel} devices: each is held by up to "
                     f"{-(-tensor_parallel // heads)} of them")
    return found


def report(model, context, batch=1, weights_format=None, kv="bf16", tensor_parallel=1, pipeline_parallel=1, accelerator=None,
           utilization=0.9, engine="native"):
    """{"model", "context", "batch", "devices", "weights", "state", "fits", "notes"}: bytes of weights and of `batch` requests of
    `context` tokens, in all and on the fullest device, and how many requests and tokens an accelerator's `utilization` share of
    memory holds besides the weights.

    `weights_format` is a format of `calc.parts.formats` (None: bf16, with a note where the model is published in another), `kv` one
    of `CACHE` or two joined by "/", `engine` one of `ENGINES`. "per_token" is what one more token adds at this context,
    "per_token_beyond_windows" what it adds once all windows are full.
    """
    bits, value_bits = cache_bits(kv)
    tokens, published = context, published_format(model)
    notes = [] if weights_format else published_note(model, "counted as bf16, see --weights")
    weights_format = weight_format(weights_format or "bf16")
    check(model, tensor_parallel, pipeline_parallel, engine, value_bits)
    how, devices, context = {"layout": engine, "value_bits": value_bits}, q(tensor_parallel), q(context)
    size, share = formats.size(model, weights_format), cut(model, tensor_parallel)
    places = [(size * part * share, state.on_fullest(model, context, bits, devices, blocks, **how))
              for part, blocks in shares(model, pipeline_parallel)]
    held, each = max(places, key=lambda place: place[0].value + batch * place[1].value)
    own = q(batch) * each
    parts = {"growing": state.per_token(model, bits, **how) * context, "windowed": state.windowed(model, context, bits, **how),
             "recurrent": state.recurrent(model), "convolution": state.convolution(model), "encoder": state.crossed(model, bits)}
    wide, names = kept_wide(model, weights_format)
    return {
        "model": model.id, "context": tokens, "batch": batch, "devices": tensor_parallel * pipeline_parallel,
        "tensor_parallel": tensor_parallel, "pipeline_parallel": pipeline_parallel,
        "weights": {"total": number(size), "per_device": number(held), "unit": "B", "format": weights_format, "published_format": published,
                    "count": number(weights.total_weights(model)), "kept_wide": wide, "kept_wide_names": names},
        "state": {"per_token": number(growth(model, context, bits, **how)),
                  "per_token_beyond_windows": number(state.per_token(model, bits, **how)),
                  "per_request_constant": number(state.constant(model, bits)),
                  "per_request": number(state.held(model, context, bits, **how)), "per_device": number(own), "unit": "B", "format": kv,
                  "parts": {name: number(x) for name, x in parts.items()}},
        "fits": None if accelerator is None else fits(accelerator, utilization, places, held + own, context),
        "notes": [*notes, *too_long(model, tokens), *(copies(model, tensor_parallel, engine) if tensor_parallel > 1 else [])],
    }


def fits(accelerator, utilization, places, need, context):
    """{"requests", "tokens", "need", "have", "ok"} on an accelerator of which a share may be used: what the fullest stage allows."""
    have = q(utilization) * capacity.usable(accelerator)
    rooms = [(capacity.pool(accelerator.memory, utilization, held), each) for held, each in places]
    requests = smallest(*(capacity.that_fit(room, each) for room, each in rooms))
    tokens = smallest(*(capacity.that_fit(room, each / context) for room, each in rooms))
    return {"accelerator": accelerator.id, "utilization": utilization, "requests": number(requests), "tokens": number(tokens),
            "need": number(need), "have": number(have), "unit": "B", "ok": limit("Fits", need, have).ok}
