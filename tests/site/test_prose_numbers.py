"""The check for typed numbers: what it finds in prose, and what it lets stand."""

import pytest

from scripts.checks.prose_numbers import problems

FENCE = "```estimate\nid: decode-step\nbandwidth_efficiency: 0.75\n```\n"


@pytest.mark.parametrize("sentence, number", [
    ("It takes 14.7 ms.", "14.7 ms"), ("It takes 14.7ms.", "14.7ms"), ("reads 3.35 TB/s of it", "3.35 TB/s"),
    ("costs $2.95 an hour", "$2.95"), ("at 63 % of the bound", "63 %"), ("about 2.5× slower", "2.5×"),
    ("within 20 milliseconds", "20 milliseconds"), ("1,024 GB in all", "1,024 GB"), ("64 MiB at once", "64 MiB"),
    ("up to 400 Gbit/s", "400 Gbit/s"), ("312 TFLOP/s", "312 TFLOP/s"), ("54 tokens/s", "54 tokens/s"),
    ("- a list's 700 W", "700 W"), ("| 5 GB | cell |", "5 GB"), ("> quoted 5 GB", "5 GB"),
])
def test_typed_number_is_found(sentence, number):
    """A number with a unit in a sentence is found, with its line."""
    assert problems(f"# Title\n\n{sentence}\n\n{FENCE}") == [(3, number)]


@pytest.mark.parametrize("sentence", [
    "It takes `#!calc decode-step -> step_time`.", "In $t = 5\\,\\text{ms}$ and $$x = 3 s$$.", "`5 GB` in code",
    "It takes 14.7 ms.[^a]", "8 requests, 32 layers, in 2024", "an 8-bit cache", "a 671B model", "the H100 and B200",
    "## A heading of 80 GB", "[^a]: It says 80 GB.", "[^a]: It says\n    80 GB.", "<!-- 5 GB -->",
    "at 75 % of the bandwidth", "efficiency 0.75, that is 75%", "see [page](5-gb.md) and <https://x.example/5 GB>",
    "weights of 16 bits", "5 GB <!-- given: the label on the box -->",
    "<!-- given: a made-up machine -->\nIt has 7 GB.\nAnd 9 GB.", "<!-- given: reason -->\n\n| 7 GB |\n| 8 GB |",
    "<!-- given: the worked answer -->\n??? success \"Answer\"\n    7 GB.\n\n    And 9 GB.",
    "```text\n5 GB\n```", "- `#!calc decode-step bandwidth_efficiency=0.6 -> step_time` at 60 %",
])
def test_number_with_a_reason_stands(sentence):
    """Computed, cited, restated, marked and unitless numbers, code, formulas and headings are not reported."""
    assert problems(f"# Title\n\n{sentence}\n\n{FENCE}") == []


@pytest.mark.parametrize("text", [
    "<!-- given: reason -->\n7 GB.\n\n9 GB.", "<!-- given: -->\n9 GB.", "[^a]: 7 GB.\n\n9 GB.",
    "<!-- given: reason -->\n??? note \"A\"\n    7 GB.\n\n9 GB.", "---\ntitle: 5 GB\n---\n\n9 GB.",
])
def test_a_reason_covers_only_its_block(text):
    """A mark without a reason covers nothing; one with a reason ends with its block, a footnote with its text."""
    assert [number for _, number in problems(text)] == ["9 GB"]
