"""The command line, run as a user runs it."""

import csv
import io
import json
import subprocess
import sys

import pytest

from calc.cli import main


def run(*words):
    """(exit status, stdout, stderr) of `python -m calc ...`."""
    done = subprocess.run([sys.executable, "-m", "calc", *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def printed(capsys, *words):
    """What the command prints, checked to have succeeded."""
    assert main(words) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("words", "message"), [
    (["show", "decode-step", "--batch", "0"], "batch: 0 is outside 1 to 1024"),
    (["show", "decode-step", "--model", "qwen3-9b"], "model: unknown 'qwen3-9b'; nearest: qwen3-8b"),
    (["show", "decode-stepp"], "estimator: unknown 'decode-stepp'; nearest: decode-step"),
    (["show", "decode-step", "--batch"], "batch: no value was given"),
    (["show", "decode-step", "--batch", "2.5"], "batch: 2.5 is not a whole number; allowed is 1 to 1024"),
    (["show", "move-bytes", "--latency", "5 GB"], "latency: '5 GB' is bytes, not seconds; allowed is 0.1 us to 20000 us"),
    (["models", "llama-3.1-9b"], "model: unknown 'llama-3.1-9b'; nearest: llama-3.1-8b"),
    (["sweep", "decode-step", "--over", "nothing"], "over: 'nothing' is no input of decode-step"),
])
def test_bad_input_exits_2_with_one_line(words, message):
    """Bad input gets one line on stderr that names the input, what was given and what is allowed."""
    code, out, error = run(*words)
    assert (code, out) == (2, "") and error.startswith(message) and error.count("\n") == 1


@pytest.mark.parametrize("words", [["list"], ["show", "decode-step"], ["sweep", "decode-step", "--over", "batch", "--points", "5"],
                                   ["compare", "decode-step", "--a", "batch=1", "--b", "batch=8"], ["models"], ["models", "qwen3-8b"],
                                   ["accelerators"], ["accelerators", "h100-sxm"], ["links"], ["links", "pcie5-x16"], ["sources"]])
def test_all_four_formats(words, capsys):
    """Every command prints text, Markdown, JSON and CSV."""
    assert printed(capsys, *words).strip()
    assert "|" in printed(capsys, *words, "--format", "md")
    json.loads(printed(capsys, *words, "--format", "json"))
    rows = list(csv.reader(io.StringIO(printed(capsys, *words, "--format", "csv"))))
    assert len(rows) > 1 and len({len(r) for r in rows}) == 1


def test_show_json_has_the_contracts_fields(capsys):
    """The JSON of show has exactly the documented fields."""
    data = json.loads(printed(capsys, "show", "decode-step", "--batch", "64", "--format", "json"))
    assert set(data) == {"id", "inputs", "answer", "terms", "limits", "excludes", "sources"}
    assert all(set(t) == {"key", "name", "symbol", "value", "unit", "text", "formula", "numbers", "why", "won"} for t in data["terms"])
    assert data["inputs"]["batch"] == 64 and data["answer"] == "step_time"
    assert next(t for t in data["terms"] if t["key"] == "step_time")["won"] == "memory_time"
    assert all({"id", "title", "url", "where"} == set(s) for s in data["sources"])


def test_units_are_accepted_and_echoed(capsys):
    """8k, 8Ki and 64 MiB mean what they say, and the text says how they were understood."""
    assert "context 8,192 tokens" in printed(capsys, "show", "decode-step", "--context", "8Ki").replace("\u00a0", " ")
    assert "context 8,000 tokens" in printed(capsys, "show", "decode_step", "--context=8k").replace("\u00a0", " ")
    data = json.loads(printed(capsys, "show", "move-bytes", "--message", "64MiB", "--format", "json"))
    assert data["inputs"]["message"] == pytest.approx(64 * 2**20 / 1e9)


def test_sweep_keeps_to_its_range(capsys):
    """A sweep runs from --from to --to and its terms are those of show."""
    data = json.loads(printed(capsys, "sweep", "decode-step", "--over", "batch", "--from", "2", "--to", "64", "--points", "6", "--format", "json"))
    assert [p["x"] for p in data["points"]][0] == 2 and [p["x"] for p in data["points"]][-1] == 64
    one = json.loads(printed(capsys, "show", "decode-step", "--batch", "64", "--format", "json"))
    assert data["points"][-1]["terms"]["step_time"] == next(t["value"] for t in one["terms"] if t["key"] == "step_time")


def test_a_failed_limit_still_exits_0():
    """An answer that does not fit is an answer."""
    code, out, _ = run("show", "does-it-fit", "--batch", "2")
    assert code == 0 and "Does not fit: needs 77.9" in out
