"""The command line, run as a user runs it."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest

from calc import estimator as estimators
from calc import output
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
    (["show", "--batch", "8", "decode-step"], "'--batch': the ID comes first: calc show ID --NAME VALUE"),
    (["compare", "--a", "batch=8", "decode-step"], "'--a': the ID comes first"),
    (["show", "decode-step", "--context", "8K"], "context: '8K' ends in 'K', which is not known; a count takes k, M, G, T, Ki, Mi, Gi, Ti"),
    (["show", "decode-step", "--context", "8KiB"], "context: '8KiB' is bytes, not a plain number; a count takes k, M, G, T, Ki"),
    (["show", "decode-step", "--accelerator", "h100-sxm\nx"], "accelerator: unknown 'h100-sxm\\nx'; nearest: "),
    (["show", "decode-step", "--model", "z" * 500], f"model: unknown '{'z' * 40}'...; `calc models` lists what there is"),
    (["models", "zzz"], "model: unknown 'zzz'; `calc models` lists what there is"),
    (["sources", "zzz"], "source: unknown 'zzz'; `calc sources` lists what there is"),
    (["show", "decode-step", "--id", "1"], "id: is no input of decode-step"),
    (["show", "decode-step", "--self", "1"], "self: is no input of decode-step"),
    (["compare", "decode-step", "--a", "self=1"], "self: is no input of decode-step"),
    (["sweep", "decode-step", "--over", "batch", "--low", "1"], "low: is no input of decode-step"),
    (["--chapter", "1"], "'--chapter' is not understood; a COMMAND comes first"),
    (["list", "--form", "md"], "'--form' is not understood by `calc list`"),
])
def test_bad_input_names_what_is_allowed(words, message, capsys):
    """A mistake of any kind is one short line with what to write instead, the input echoed on one line and cut."""
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith(message) and error.count("\n") == 1 and len(error) < 300


@pytest.mark.parametrize(("words", "message"), [
    (["show", "decode-step", "--batch", "8", "--batch", "9"], "batch: given twice"),
    (["show", "decode-step", "--format", "md", "--format", "md"], "format: given twice"),
    (["list", "--chapter", "1", "--chapter", "2"], "chapter: given twice"),
    (["sweep", "decode-step", "--over", "batch", "--over", "context"], "over: given twice"),
    (["sweep", "decode-step", "--over", "batch", "--points", "3", "--points", "3"], "points: given twice"),
    (["memory", "--model", "qwen3-8b", "--context", "1", "--tensor-parallel", "2", "--tensor_parallel", "4"], "tensor_parallel: given twice"),
    (["forward", "--model", "qwen3-8b", "--tokens", "1", "--tokens", "2"], "tokens: given twice"),
    (["compare", "decode-step", "--a", "batch=1", "--a", "batch=2"], "a: batch is given twice"),
])
def test_nothing_is_given_twice(words, message, capsys):
    """An option given twice is refused, under either spelling; its first value is never dropped in silence."""
    assert main(words) == 2
    assert capsys.readouterr().err == message + "\n"


@pytest.mark.parametrize(("words", "message"), [
    (["--over", "batch", "--batch", "3"], "batch: is swept; leave out its one value"),
    (["--over", "model", "--points", "3"], "points: model is a choice, and a sweep takes all of its values"),
    (["--over", "weight-bits", "--from", "4"], "from: weight_bits is a choice"),
    (["--over", "batch", "--points", "1"], "points: 1 is outside 2 to 1000"),
    (["--over", "batch", "--points", "many"], "points: 'many' is not a number"),
])
def test_options_that_would_be_ignored_are_refused(words, message, capsys):
    """An option that can have no effect is refused in one line."""
    assert main(["sweep", "decode-step", *words]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_settings_of_a_comparison_add_up(capsys):
    """Settings after a second --a join those after the first."""
    words = ["compare", "decode-step", "--b", "batch=4", "--format", "json"]
    one = json.loads(printed(capsys, *words, "--a", "batch=2", "context=8k"))
    assert one == json.loads(printed(capsys, *words, "--a", "batch=2", "--a", "context=8k")) and one["a"]["context"] == 8000


def test_output_is_utf8_in_a_pipe():
    """Redirected output is UTF-8 whatever the locale, and has plain spaces between numbers and units."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    for which in ("text", "md", "csv"):
        done = subprocess.run([sys.executable, "-m", "calc", "show", "decode-step", "--format", which], capture_output=True, env=environment)
        text = done.stdout.decode("utf-8")
        assert done.returncode == 0 and not done.stderr and "σ" in text and "\u00a0" not in text


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_one_line():
    """Output that cannot be written is one line and exit status 1, without a traceback."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "calc", "show", "decode-step"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stderr.startswith("the output cannot be written") and done.stderr.count("\n") == 1


def test_a_reader_that_has_seen_enough():
    """A pipe that is closed early is no error."""
    done = subprocess.run(f"{sys.executable} -m calc models --format json | head -c 10", shell=True, capture_output=True, text=True)
    assert not done.stderr and len(done.stdout) == 10


def test_a_sweep_says_ok_only_where_there_are_limits(capsys):
    """Tables of a sweep have the column of limits where the estimator has limits, and the JSON always has it."""
    for id, limited in (("kv-cache", False), ("does-it-fit", True)):
        for which in ("text", "md", "csv"):
            head = printed(capsys, "sweep", id, "--over", "batch", "--points", "2", "--format", which).split("\n")[0]
            assert head.strip(" |").endswith("ok") == limited
        data = json.loads(printed(capsys, "sweep", id, "--over", "batch", "--points", "2", "--format", "json"))
        assert all("ok" in point for point in data["points"])


def test_columns_of_a_sweep_have_names_of_their_own(capsys):
    """Where an input and a term share a name, the heads of the table tell them apart."""
    for id in estimators.ids():
        found = estimators.find(id)
        for over in set(found.inputs) & set(found().terms):
            head = next(csv.reader(io.StringIO(printed(capsys, "sweep", id, "--over", over, "--format", "csv"))))
            assert len(set(head)) == len(head) and head[0].startswith(f"input {over}")
    data = {"over": "x", "unit": "s", "units": {"x": "s"}, "points": [{"x": 1, "terms": {"x": 2}, "ok": True}]}
    assert output.sweep(data, False, "csv") == "input x (s),x (s)\n1,2"


def test_catalogues_as_csv_have_numbers_and_units(capsys):
    """A catalogue in CSV has exact numbers, and their units in the heads."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "accelerators", "--format", "csv"))))
    found = next(row for row in rows if row["id"] == "h100-sxm")
    assert (found["memory (GB)"], found["memory_bandwidth (GB/s)"], found["tdp (W)"]) == ("80", "3350", "700")
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "models", "--format", "csv"))))
    assert next(row for row in rows if row["id"] == "qwen3-8b")["max_context"] == "40960"


def test_ids_are_found_in_any_case(capsys):
    """Ids of estimators and records are found whatever the case they are written in."""
    assert printed(capsys, "models", "QWEN3-8B") == printed(capsys, "models", "qwen3-8b")
    assert printed(capsys, "sources", "HF-config-qwen3-8b") == printed(capsys, "sources", "hf-config-qwen3-8b")
    assert printed(capsys, "show", "Decode-Step", "--model", "Qwen3-8B") == printed(capsys, "show", "decode-step", "--model", "qwen3-8b")
    words = ["memory", "--context", "10", "--model"]
    assert printed(capsys, *words, "Qwen3-8B") == printed(capsys, *words, "qwen3-8b")

@pytest.mark.parametrize(("words", "message"), [
    (["show", "decode-step", "--batch", "0"], "batch: 0 is outside 1 to 1024"),
    (["show", "decode-stepp"], "estimator: unknown 'decode-stepp'; nearest: decode-step"),
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
