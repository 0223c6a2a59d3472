"""The Python surface: `import calc`."""

import pytest

import calc
from calc.estimator import InputError
from calc.quantity import DimensionError, q


def test_a_quantity_reads_as_its_text():
    """A quantity prints as a reader sees it, with plain spaces, and shows its key when it is inspected."""
    answer = calc.show("does-it-fit", batch=2).answer
    assert str(answer) == "77.9 GB" and repr(answer) == "<Q need: 77.9 GB>"
    assert str(q(3, "GB")) == "3 GB" and str(calc.show("does-it-fit").terms["fits"]) == "yes"
    with pytest.raises(DimensionError, match="3 GB is bytes, not 's'"):
        q(3, "GB").to("s")


def test_a_number_of_the_catalogue_names_its_source():
    """A number of the catalogue prints with its value, its name, its source and the place in it."""
    assert str(calc.models["llama-3.1-8b"].layers) == "32 (Llama-3.1-8B layers; hf-config-llama-3.1-8b: layers)"
    assert str(calc.accelerators["h100-sxm"].memory).startswith("80 GB (H100 SXM5 80GB memory; nvidia-h100-page: ")


def test_a_notebook_shows_a_table():
    """In a notebook an answer is the Markdown that `--format md` prints."""
    shown = calc.show("decode-step", batch=64)._repr_markdown_()
    assert shown.startswith("### One decode step") and "| Step time |" in shown


def test_limits_can_be_read():
    """A limit says what is needed of what, and whether it holds."""
    found = calc.show("does-it-fit", batch=2)
    assert repr(found.limits[0]) == "<Limit Fits: 77.9 GB of 76.0 GB, does not fit>" and not found.ok


def test_catalogues_are_found_and_refuse_with_the_nearest():
    """The catalogues are listed by dir(), ids are read in any case, and an unknown one names the nearest."""
    assert {"models", "accelerators", "links", "workloads", "sources", "show"} <= set(dir(calc))
    assert calc.models["Qwen3-8B"] is calc.models["qwen3-8b"] and "nope" not in calc.models and None not in calc.models
    with pytest.raises(KeyError) as refusal:
        calc.models["qwen3-9b"]
    assert str(refusal.value) == "model: unknown 'qwen3-9b'; nearest: qwen3-8b"
    with pytest.raises(KeyError, match="source: unknown 'nope'"):
        calc.sources["nope"]


def test_a_record_stands_for_its_id():
    """An input that is a record of a catalogue takes the record itself."""
    assert calc.show("decode-step", model=calc.models["qwen3-8b"]).inputs["model"] == "qwen3-8b"


@pytest.mark.parametrize(("ask", "message"), [
    (lambda: calc.sweep("decode-step", "batch", points=1), "points: 1 is outside 2 to 1000"),
    (lambda: calc.sweep("decode-step", "batch", points="three"), "points: 'three' is outside 2 to 1000"),
    (lambda: calc.sweep("decode-step", 5), "over: '5' is no input of decode-step"),
    (lambda: calc.sweep("decode-step", "model", low=1), "from: model is a choice"),
    (lambda: calc.sweep("decode-step", "batch", batch=3), "batch: is swept"),
    (lambda: calc.compare("decode-step", "batch=1", {}), "a: 'batch=1' is no dict of inputs"),
    (lambda: calc.compare("decode-step", {}, None), "b: 'None' is no dict of inputs"),
    (lambda: calc.show("decode-step", batch=[1]), "batch: '.1.' is not a number"),
    (lambda: calc.show("decode-step", batch=q(3, "GB")), "batch: '3 GB' is not in sequences"),
    (lambda: calc.show("decode-step", batch=None), "batch: 'None' is not a number"),
    (lambda: calc.show("decode-step", model=7), "model: unknown '7'"),
    (lambda: calc.show(None), "estimator: unknown 'none'"),
])
def test_wrong_kinds_of_arguments_are_refused(ask, message):
    """An argument of a wrong kind is refused as bad input that names it, with no bare TypeError."""
    with pytest.raises(InputError, match=message):
        ask()
