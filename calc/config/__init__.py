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
from calc.config.towers import vision
from calc.estimator import nearest

LARGEST_FILE = 4 * 1024 * 1024
DEEPEST = 24


def load(path):
    """The record of the `config.json` at `path`, added to this process's models; ConfigError says in one line what is wrong."""
    try:
        size = os.path.getsize(path)
        if size > LARGEST_FILE:
            raise ConfigError(f"config: {path} has {size:,} B; at most {LARGEST_FILE:,} B are read")
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as problem:
        raise ConfigError(f"config: {path} cannot be read: {problem.strerror or problem}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"config: {path} is no text in UTF-8") from None
    name = os.path.splitext(os.path.basename(path))[0]
    if name == "config":
        name = os.path.basename(os.path.dirname(os.path.abspath(path))) or name
    return parse(text, name)


def parse(text, name="config"):
    """The record of the text of a `config.json`, added to this process's models under `name` as a slug."""
    if text.count("[") + text.count("{") > 100_000 or depth(text) > DEEPEST:
        raise ConfigError(f"config: {name} is nested deeper than {DEEPEST} levels or has too many parts")
    try:
        data = json.loads(text, parse_constant=lambda word: None)
    except ValueError as problem:
        raise ConfigError(f"config: {name} is no JSON: {problem}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"config: {name} is no JSON object")
    id = re.sub(r"[^a-z0-9.]+", "-", name.lower().removesuffix("_config")).strip("-.")[:64] or "config"
    id = id if id not in MODELS or MODELS[id].own else f"own-{id}"
    return MODELS.add(id, {"id": id, "name": re.sub(r"[^\w. -]", "", name)[:64] or id, **record(data)})


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
        raise ConfigError("config: model_type is missing; it names the family, such as \"llama\" or \"qwen3\"")
    if kind not in FAMILIES:
        raise ConfigError(f"config: family {kind[:64]!r} is not known; nearest: {nearest(kind, list(FAMILIES))}")
    fields = Fields(data, kind)
    found = FAMILIES[kind](fields)
    fields.all_understood()
    found.setdefault("kind", "decoder")
    found.setdefault("published", {"extras": []})
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
