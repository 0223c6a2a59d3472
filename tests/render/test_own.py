"""A reader's own accelerator and model: checked like everything typed, offered wherever they will do."""

import json

import pytest

from calc import estimator, web
from calc.catalog import ACCELERATORS, MODELS

CHIP = {"kind": "accelerator", "name": "My <b>chip</b>", "peak": "1 PFLOP/s", "bandwidth": "2 TB/s", "memory": "96 GB"}


@pytest.fixture(autouse=True)
def tables():
    """The catalogue as it was, after each test."""
    before = [(table, dict(table)) for table in (ACCELERATORS, MODELS)]
    yield
    for table, rows in before:
        table._rows = rows


def own(**request):
    return json.loads(web.own(json.dumps(request)))


def test_an_own_accelerator_answers():
    """Three typed numbers make an accelerator that a decode step can be asked about; it is marked as the reader's own."""
    reply = own(**CHIP)
    assert reply["id"] == "own-my-b-chip-b" and "yours" in reply["name"] and "decode-step.accelerator" in reply["offers"]
    answer = estimator.call("decode-step", accelerator=reply["id"], batch=1)
    assert answer.terms["memory_time"].value == pytest.approx((answer.terms["weights_read"].value + answer.terms["state_read"].value) / 2e12)
    text = web.update("decode-step", json.dumps({"inputs": {"accelerator": reply["id"]}}))
    assert "<b>chip" not in text and "typed by the reader" in text


@pytest.mark.parametrize("field, value, word", [("peak", "fast", "peak"), ("peak", "", "peak"), ("bandwidth", "2", "bandwidth"),
                                                ("memory", "80 TB/s", "memory"), ("memory", "-1 GB", "memory"), ("name", "x" * 99, "name")])
def test_a_bad_number_is_named(field, value, word):
    """What is not understood is named, with an example of how to write it, and nothing is added."""
    before = len(ACCELERATORS)
    reply = own(**{**CHIP, field: value})
    assert word in reply["error"] and reply["field"] == field and len(ACCELERATORS) == before


LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "intermediate_size": 14336,
         "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "torch_dtype": "bfloat16",
         "max_position_embeddings": 131072, "tie_word_embeddings": False, "hidden_act": "silu"}


def test_an_own_model_is_the_model_it_describes():
    """A pasted config.json of the shape of Llama-3.1-8B gives that model's decode step, and travels in the address."""
    reply = own(kind="model", name="pasted one", config=json.dumps(LLAMA))
    assert "error" not in reply, reply
    assert "decode-step.model" in reply["offers"] and json.loads(reply["carried"]["config"]) == LLAMA
    assert estimator.call("decode-step", model=reply["id"]).answer.value == estimator.call("decode-step").answer.value


@pytest.mark.parametrize("config", ["", "{", "[]", "null", '{"model_type": "nonesuch"}', '{"hidden_size": -1}', "[" * 5000, '{"a":' * 3000])
def test_a_bad_config_is_refused_with_a_reason(config):
    """A pasted text that is no config.json, or of a kind that is not known, gives a sentence and no record."""
    reply = own(kind="model", name="mine", config=config)
    assert reply["error"] and "Traceback" not in reply["error"]
