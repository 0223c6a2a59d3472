"""A reader's own model: a Hugging Face `config.json` as a record like those of the catalogue.

The file is data: it is parsed as JSON and never executed; its size, depth and every number in it are bounded. A family that
is not known, a field that is missing, and a field that says something about the shape of the model and was not understood,
are refused by name: nothing is guessed.
"""

import json
import os
import re

from calc.catalog import MODELS
from calc.config.families import FAMILIES
from calc.config.fields import ConfigError, Fields
from calc.config.stored import stored_format
from calc.config.towers import vision
from calc.estimator import echo, nearest

LARGEST_FILE = 4 * 1024 * 1024
DEEPEST = 24


def load(path):
    """The record of the `config.json` at `path`, added to this process's models; ConfigError says in one line what is wrong."""
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST_FILE + 1)  # a device or a pipe has no size to ask for
        if len(text) > LARGEST_FILE:
            raise ConfigError(f"config: {echo(path)} has more than {LARGEST_FILE:,} B; at most so many are read")
        text = text.decode("utf-8-sig")
    except (OSError, ValueError) as problem:
        if isinstance(problem, UnicodeDecodeError):
            raise ConfigError(f"config: {echo(path)} is no text in UTF-8") from None
        raise ConfigError(f"config: {echo(path)} cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    name = os.path.splitext(os.path.basename(path))[0]
    if name == "config":
        name = os.path.basename(os.path.dirname(os.path.abspath(path))) or name
    return parse(text, name)


def parse(text, name="config"):
    """The record of the text of a `config.json`, added to this process's models under `name` as a slug."""
    if text.count("[") + text.count("{") > 100_000 or depth(text) > DEEPEST:
        raise ConfigError(f"config: {echo(name)} is nested deeper than {DEEPEST} levels or has too many parts")
    try:
        data = json.loads(text)
    except ValueError as problem:
        raise ConfigError(f"config: {echo(name)} is no JSON: {problem}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"config: {echo(name)} is no JSON object")
    id = re.sub(r"[^a-z0-9.]+", "-", name.lower().removesuffix("_config")).strip("-.")[:64] or "config"
    id = id if id not in MODELS or MODELS[id].own else f"own-{id}"
    return MODELS.add(id, {"id": id, "name": re.sub(r"[^\w. -]", "", name)[:64] or id, **record(data)})


# Families whose configurations name the class of another family, whose blocks they share.
SHARED_CLASSES = {("kimi_k2", "deepseekv3"), ("gemma3_text", "gemma3"), ("ministral", "mistral"), ("mistral", "ministral")}


def agree(data):
    """Refuse a configuration whose `architectures` name another family than its `model_type`."""
    kind, named = data.get("model_type"), data.get("architectures")
    if not isinstance(kind, str) or not isinstance(named, list) or not named or not isinstance(named[0], str):
        return
    squashed = {name.replace("_", ""): name for name in FAMILIES}
    stem = re.split(r"For[A-Z]|LMHead|Model$", named[0])[0].lower().replace("_", "")
    if stem in squashed and stem != kind.replace("_", "") and (kind, stem) not in SHARED_CLASSES:
        raise ConfigError(f"config: architectures name {echo(named[0])}, of family {squashed[stem]!r}, and model_type is {echo(kind)}; "
                          "which of the two is right is not known")


def depth(text):
    """How deep brackets are nested, those in strings included (an upper bound on the depth of the JSON)."""
    level = most = 0
    for character in text:
        if character in "[{":
            level += 1
            most = max(most, level)
        elif character in "]}":
            level -= 1
    return most


def record(data):
    """The fields of a catalogue record from a parsed configuration."""
    outer = data
    inner = next((data[key] for key in ("text_config", "llm_config", "language_config") if isinstance(data.get(key), dict)), None)
    if inner is not None:
        data = {**inner, "model_type": inner.get("model_type") or data.get("model_type")}
        if "tie_word_embeddings" not in inner and "tie_word_embeddings" in outer:
            data["tie_word_embeddings"] = outer["tie_word_embeddings"]
    kind = data.get("model_type")
    if not isinstance(kind, str):
        wrong = "is missing" if kind is None else f"is {echo(kind)}, not a text"
        raise ConfigError(f"config: model_type {wrong}; it names the family, such as \"llama\" or \"qwen3\"")
    if kind not in FAMILIES:
        raise ConfigError(f"config: family {echo(kind)} is not known; nearest: {nearest(kind, list(FAMILIES))}")
    agree(outer)
    fields = Fields(data, kind)
    found = FAMILIES[kind](fields)
    fields.all_understood()
    found.setdefault("kind", "decoder")
    found.setdefault("published", {"extras": []})
    stored = stored_format(outer.get("quantization_config") or data.get("quantization_config") or outer.get("compression_config"))
    if stored:
        found["published"]["format"] = stored
    found["source"] = ""
    found["family"] = kind
    if fields.integer("max_position_embeddings", None) and "max_context" not in found:
        found["max_context"] = fields.integer("max_position_embeddings")
    if outer.get("multimodal_projector_bias") or outer.get("spatial_merge_size", 2) != 2:
        raise ConfigError("config: multimodal_projector_bias or spatial_merge_size is set to what is not understood")
    if isinstance(outer.get("vision_config"), dict):
        found["vision"] = vision(outer["vision_config"], outer.get("model_type"))
    for key in ("audio_config", "speech_config"):
        if isinstance(outer.get(key), dict):
            raise ConfigError(f"config: {key} is not understood; without it the rest of the model can be counted")
    return {key: value for key, value in found.items() if value is not None}
