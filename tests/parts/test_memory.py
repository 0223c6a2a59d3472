"""The report of `calc memory`: growth at a context, formats, notes, and what a reader sees of them."""

import csv
import io
import json

import pytest

from calc import memory
from calc.catalog import ACCELERATORS, MODELS
from calc.cli import main


def printed(capsys, *words):
    """What `calc memory` prints, checked to have succeeded."""
    assert main(["memory", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("id", "context", "now", "later"), [
    # bytes by hand: layers × 2 × key/value heads × head width × 2 bytes; windowed layers grow until their window is full
    ("mistral-7b-v0.1", 100, 32 * 2 * 8 * 128 * 2, 0), ("mistral-7b-v0.1", 4096, 0, 0),
    ("gemma-3-27b", 100, 62 * 2 * 16 * 128 * 2, 10 * 2 * 16 * 128 * 2), ("gemma-3-27b", 1023, 62 * 2 * 16 * 128 * 2, 10 * 2 * 16 * 128 * 2),
    ("gemma-3-27b", 1024, 10 * 2 * 16 * 128 * 2, 10 * 2 * 16 * 128 * 2), ("qwen3-8b", 8192, 147_456, 147_456),
])
def test_growth_at_this_context(id, context, now, later):
    """State per token is what one more token adds at this context, and beyond the windows what it adds once they are full."""
    found = memory.report(MODELS[id], context)["state"]
    assert (found["per_token"], found["per_token_beyond_windows"]) == (now, later)


@pytest.mark.parametrize("id", MODELS)
@pytest.mark.parametrize("context", [1, 127, 511, 1023, 4095, 8191, 8192, 100_000])
def test_growth_is_the_difference_of_two_reports(id, context):
    """For every model, one more token makes a request larger by the state per token."""
    now, then = (memory.report(MODELS[id], c)["state"] for c in (context, context + 1))
    assert now["per_token"] == pytest.approx(then["per_request"] - now["per_request"], abs=1e-3)


def test_growth_in_words(capsys):
    """Text gives the growth at this context, and where it differs the growth beyond the windows."""
    line = next(x for x in printed(capsys, "--model", "gemma-3-27b", "--context", "100").split("\n") if x.startswith("state per token"))
    assert "507.9 kB" in line and "at this context; 81.92 kB once all windows are full" in line
    assert "windows" not in printed(capsys, "--model", "qwen3-8b", "--context", "100")


@pytest.mark.parametrize(("id", "words"), [("deepseek-v3", "published as fp8;"), ("gpt-oss-20b", "published as mxfp4 in its experts;")])
def test_a_format_of_their_own_is_named(id, words, capsys):
    """A model that is published in another format says so where the format was left at its default, and only there."""
    assert f"note: {words} counted as bf16, see --weights" in printed(capsys, "--model", id, "--context", "10")
    assert f"Note: {words}" in printed(capsys, "--model", id, "--context", "10", "--format", "md")
    data = json.loads(printed(capsys, "--model", id, "--context", "10", "--format", "json"))
    assert data["weights"]["format"] == "bf16" and words.split()[2].strip(";") == data["weights"]["published_format"]
    assert "published" not in printed(capsys, "--model", id, "--context", "10", "--weights", "bf16")
    assert "published" not in printed(capsys, "--model", "qwen3-8b", "--context", "10")


def test_the_question_is_repeated(capsys):
    """Text, JSON and CSV say for which context, requests, devices and share of memory they hold, and what is not counted."""
    words = ["--model", "qwen3-8b", "--context", "8k", "--batch", "3", "--tensor-parallel", "2", "--pipeline-parallel", "2",
             "--accelerator", "h100-sxm"]
    lines = {line.split("  ")[0]: " ".join(line.split()) for line in printed(capsys, *words).split("\n")}
    assert lines["model"] == "model qwen3-8b" and lines["context"].startswith("context 8,000 tokens") and lines["requests"] == "requests 3 at once"
    assert lines["devices"] == "devices 4 2 share each layer, in 2 stages"
    assert "had is 0.9 of the memory (--utilization); workspace (activations, runtime) is not counted" in lines["needed of had"]
    data = json.loads(printed(capsys, *words, "--format", "json"))
    assert (data["context"], data["batch"], data["devices"], data["fits"]["utilization"]) == (8000, 3, 4, 0.9)
    rows = dict(csv.reader(io.StringIO(printed(capsys, *words, "--format", "csv"))))
    assert (rows["context"], rows["batch"], rows["devices"]) == ("8000", "3", "4")


def test_weights_that_stay_wide(capsys):
    """A narrow format says how many weights it leaves in 16 bits: of Llama 3.1 8B both tables and the norms."""
    wide = 2 * 128_256 * 4096 + (2 * 32 + 1) * 4096
    found = memory.report(MODELS["llama-3.1-8b"], 10, weights_format="fp8")["weights"]
    assert found["kept_wide"] == wide and set(found["kept_wide_names"]) == {"input table", "output head", "norms and biases"}
    assert f"of which {wide:,} stay in 16 bits or more" in printed(capsys, "--model", "llama-3.1-8b", "--context", "1", "--weights", "fp8")
    assert memory.report(MODELS["llama-3.1-8b"], 10)["weights"]["kept_wide"] == 0


def test_more_tokens_than_the_model_is_made_for(capsys):
    """A context beyond the model's longest is counted, with a note."""
    assert "note: 131,072 tokens are more than the 40,960 that qwen3-8b is made for" in printed(capsys, "--model", "qwen3-8b", "--context", "128Ki")
    assert "note" not in printed(capsys, "--model", "qwen3-8b", "--context", "40Ki")


@pytest.mark.parametrize(("id", "devices", "words"), [
    ("qwen3-8b", 3, "3 devices do not divide the 32 query heads"), ("qwen3-8b", 16, "8 key/value heads on 16 devices: each is held by up to 2"),
    ("deepseek-v3", 8, "a latent row is not cut by heads: each of the 8 devices of a group holds a copy"),
])
def test_copies_of_the_state_are_named(id, devices, words):
    """Heads that do not divide, and state that more than one device holds, are named."""
    assert any(words in note for note in memory.report(MODELS[id], 100, tensor_parallel=devices)["notes"])
    assert not memory.report(MODELS["qwen3-8b"], 100, tensor_parallel=8)["notes"]


def test_more_devices_than_heads_are_refused(capsys):
    """Query heads are dealt out whole, so that more devices than heads are refused."""
    assert main(["memory", "--model", "qwen3-8b", "--context", "1", "--tensor-parallel", "64"]) == 2
    assert capsys.readouterr().err.startswith("tensor_parallel: 64 is more than the 32 query heads of qwen3-8b")


def test_what_keeps_nothing_fits_any_number_of_times(capsys):
    """Without state any number of requests fits, in words, and null in JSON; where the weights do not fit, none does."""
    words = ["--model", "vit-base-16", "--context", "10", "--accelerator", "h100-sxm"]
    text = printed(capsys, *words)
    assert "requests that fit    any number" in text and "never" not in text
    assert json.loads(printed(capsys, *words, "--format", "json"))["fits"]["requests"] is None
    assert memory.report(MODELS["llama-3.1-405b"], 10, accelerator=ACCELERATORS["h100-sxm"])["fits"]["requests"] == 0


def test_a_share_without_an_accelerator_is_refused(capsys):
    """--utilization without --accelerator can have no effect and is refused."""
    assert main(["memory", "--model", "qwen3-8b", "--context", "1", "--utilization", "0.5"]) == 2
    assert capsys.readouterr().err.startswith("utilization: is a share of an accelerator's memory; give --accelerator")
