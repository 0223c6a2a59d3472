"""The table of `calc forward` as a reader sees it."""

import csv
import io

from calc.cli import main


def printed(capsys, *words):
    """What `calc forward` prints, checked to have succeeded."""
    assert main(["forward", *words]) == 0
    return capsys.readouterr().out


def test_windows_stand_in_the_shape(capsys):
    """Attention over a window or a chunk says how wide it is; full attention says nothing."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "--model", "gemma-3-27b", "--tokens", "10", "--history", "5000", "--format", "csv"))))
    shapes = {row["layer_kind"]: row["shape"] for row in rows if row["name"] == "attention"}
    assert shapes == {"sliding-window": "10 on 5010 keys, window of 1024", "full-attention": "10 on 5010 keys"}
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "--model", "llama-4-scout", "--tokens", "10", "--format", "csv"))))
    assert any(row["shape"].endswith("chunk of 8192") for row in rows)


def test_csv_has_totals(capsys):
    """The last row of the CSV is the sum of those above it."""
    *rows, total = csv.DictReader(io.StringIO(printed(capsys, "--model", "qwen3-8b", "--tokens", "100", "--format", "csv")))
    assert total["name"] == "total"
    for key in ("flops", "weight_bytes", "activation_bytes", "state_read", "state_written"):
        assert float(total[key]) == sum(float(row[key]) for row in rows)


def test_notes_of_a_pass(capsys):
    """Tokens beyond the model's longest context and a format that is not counted are noted below the table."""
    text = printed(capsys, "--model", "deepseek-v3", "--tokens", "100k", "--history", "100k")
    assert "note: published as fp8; weights are counted in 16 bits" in text
    assert "note: 200,000 tokens are more than the 163,840 that deepseek-v3 is made for" in text
    assert "note" not in printed(capsys, "--model", "qwen3-8b", "--tokens", "100")
