"""Chapter 2: the worked examples against values computed outside of `calc`, and the reversals that the pages claim."""

import numbers
import pathlib
import re
import sys

import pytest

from calc.catalog import MODELS
from calc.estimator import InputError, call, find
from calc.explain import formula, verdict
from calc.what_if import flip

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "tools"))
from check_cases import check, load  # noqa: E402

CASES = load([TESTS / "cases" / "outline" / "ch02.json"])


def value(id, key, **given):
    """A term in base units."""
    return call(id, **given).terms[key].value


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['estimator']}-{c['index']}")
def test_every_worked_example_gives_the_independently_computed_values(case):
    """Each setting of each worked example agrees with its case to half a per cent, counts exactly."""
    (result,) = check([case], lambda id, inputs: call(id, **inputs).to_dict())
    assert result["whole"] and result["answer_named"], result


def test_the_parameters_of_every_decoder_add_up():
    """For each decoder of the catalogue the lines of the count add up to its total exactly, and no line is negative."""
    for id in find("parameter-count").inputs["model"].choices:
        terms = call("parameter-count", model=id).terms
        lines = [terms[k].value for k in ("embedding", "attention", "dense_ffn", "routed_experts", "shared_experts", "router", "small",
                                          "head", "vision")]
        assert sum(lines) == terms["total"].value and min(lines) >= 0, id
        assert terms["small"].value <= 0.02 * terms["total"].value, id


def test_the_count_is_written_without_factors_that_change_nothing():
    """No line of the count shows a multiplication by 0 or 1."""
    for id in find("parameter-count").inputs["model"].choices:
        for line in call("parameter-count", model=id).terms.values():
            assert not re.search(r"(?<![\w.])[01] ×|× [01](?![\w.,])", formula(line)), (id, formula(line))


def test_state_passes_weights_where_the_page_says():
    """At a batch of 8 the state read of Qwen3-32B overtakes its weights between 30,502 and 30,503 tokens."""
    assert flip(find("model-bill"), "context", where=("state_read", "weights_read")) == 30503


def test_a_ninth_long_conversation_does_not_fit():
    """Eight conversations of 32,768 tokens fit beside Qwen3-32B on an H200, nine do not, and the ledger still has its values."""
    assert call("model-bill", batch=8).ok
    ninth = call("model-bill", batch=9)
    assert not ninth.ok and isinstance(ninth.terms["step_time"].value, numbers.Number)


def test_windows_pay_only_beyond_their_crossover():
    """Gemma-3-27B holds more than Qwen3-32B at 2,420 tokens and less at 2,422."""
    def more(c):
        return value("model-bill", "state_per_request", model="gemma-3-27b", context=c) > value("model-bill", "state_per_request", context=c)

    assert more(2420) and not more(2422)


def test_experts_lose_half_of_their_advantage_at_a_batch_of_twelve():
    """The expert model reads less than half of the dense one's weights up to a batch of 11 and more from 12 on."""
    def ratio(b):
        return value("model-bill", "weights_read", batch=b) / value("model-bill", "weights_read", batch=b, model="qwen3-30b-a3b")

    assert ratio(11) > 2 > ratio(12)


def test_more_devices_than_heads_save_nothing():
    """Qwen3-235B has 4 key-value heads: 4, 8 and 16 devices hold the same each, 2 hold twice that."""
    per = [value("kv-cache", "per_accelerator", tensor_parallel=p) for p in (2, 4, 8, 16)]
    assert per[0] == 2 * per[1] and per[1] == per[2] == per[3]


def test_the_verdict_on_a_divided_cache_turns_where_copies_pass_an_even_split():
    """With 4 key-value heads the copies are as large as the even split on 8 devices and decide from 9 on; a window is no verdict."""
    assert flip(find("kv-cache"), "tensor_parallel") == 9
    assert verdict(call("kv-cache", tensor_parallel=16)).startswith("Largest part: copied part")
    assert "window" not in verdict(call("kv-cache", model="gemma-3-27b", context=131072))


def test_index_keys_take_eight_bits_in_every_estimator():
    """DeepSeek-V3.2's state is that of its latents and of 128-byte index keys, as stored and as read, whichever estimator counts it."""
    stored, read = 61 * (576 * 2 + 128) * 16384, 61 * (128 * 16384 + 576 * 2 * 2048)
    given = {"model": "deepseek-v3.2", "context": 16384, "batch": 1}
    assert value("sparse-attention-read", "stored", **given) == stored
    assert value("kv-cache", "per_request", tensor_parallel=1, **given) == value("model-bill", "state_per_request", **given) == stored
    for id, key in (("sparse-attention-read", "read"), ("model-bill", "state_read"), ("moe-active-vs-total", "state_read")):
        assert value(id, key, **given) == read, id


def test_a_latent_is_copied_to_every_device():
    """For a model with latent attention the cache on a device does not depend on how many devices there are."""
    assert len({value("kv-cache", "per_accelerator", model="deepseek-v3", tensor_parallel=p) for p in (1, 2, 8, 32)}) == 1


@pytest.mark.parametrize(("model", "tokens", "mib"), [("qwen3-30b-a3b", 4096, 384), ("qwen3-32b", 8192, 2048), ("deepseek-r1", 32768, 2196)])
def test_the_usual_wrong_cache_formulas_are_not_ours(model, tokens, mib):
    """Logged caches are met exactly where width over heads, or twice the latent, would be off by up to two."""
    assert value("kv-cache", "per_request", model=model, context=tokens, batch=1, tensor_parallel=1) == mib * 2**20


def test_hybrids_cross_over_where_fixed_and_growing_are_equal():
    """At the printed crossover context the growing part equals the ceiling of the fixed parts, for every hybrid that grows."""
    for id in find("state-growth").inputs["model"].choices:
        crossing = value("state-growth", "crossover_context", model=id)
        slope, fixed = value("state-growth", "growth_per_token", model=id), value("state-growth", "ceiling_of_fixed", model=id)
        assert crossing is None if slope == 0 else abs(crossing * slope / fixed - 1) < 1e-9, id


def test_a_state_of_recurrent_layers_alone_never_crosses():
    """A model without any growing layer has no crossover, and its state is the same at every context."""
    assert value("state-growth", "crossover_context", model="mamba-2.8b") is None
    assert value("state-growth", "state", model="mamba-2.8b", context=1) == value("state-growth", "state", model="mamba-2.8b", context=2**20)


def test_the_index_costs_more_than_it_spares_on_short_contexts():
    """Sparse reading exceeds dense reading below 2,304 tokens and falls short of it above."""
    def saving(c):
        return value("sparse-attention-read", "saving", context=c)

    assert saving(2303) < 1 < saving(2305)
    assert saving(2**20) < value("sparse-attention-read", "ceiling")


def test_sharing_keys_does_not_change_the_arithmetic():
    """Attention costs 4·L·n_q·d per key whatever the number of key-value heads."""
    for id in ("llama-3.1-8b", "falcon-7b", "gpt3-175b"):
        a = MODELS[id].raw["attention"]
        expected = 4 * MODELS[id].raw["layers"] * a["heads"] * a["head_dim"] * 1025
        assert value("attention-share", "attention", model=id, context=1024) == expected, id


def test_rebuilt_keys_have_the_intensity_of_ordinary_attention():
    """Expanded keys and values, one of each per query head, are worked on at 1 FLOP per byte, and only there does the line exist."""
    given = {"model": "deepseek-v3", "context": 2**20}
    assert value("attention-share", "flops_per_rebuilt_byte", mla_form="expanded", **given) == pytest.approx(1, rel=1e-5)
    assert "flops_per_rebuilt_byte" not in call("attention-share", **given).terms


def test_attention_outweighs_the_weights_from_its_crossover_on():
    """At the printed crossover attention is at least half of the arithmetic, one token earlier it is less, in both phases."""
    for given in ({}, {"phase": "prefill"}, {"model": "gemma-3-27b"}, {"model": "deepseek-v3"}, {"model": "qwen3-30b-a3b"}):
        at = value("attention-share", "crossover_context", **given)
        assert value("attention-share", "share", context=at, **given) >= 0.5 > value("attention-share", "share", context=at - 1, **given), given


def test_one_token_reads_the_active_weights_of_every_expert_model():
    """At a batch of 1 the weights read are the active ones exactly, and they never exceed what is held."""
    for id in find("moe-active-vs-total").inputs["model"].choices:
        terms = call("moe-active-vs-total", model=id, batch=1).terms
        read = terms["always_read"].value + terms["expert_read"].value
        assert read == pytest.approx(2 * value("parameter-count", "active", model=id), rel=1e-12), id
        many = call("moe-active-vs-total", model=id, batch=1024).terms
        assert many["always_read"].value + many["expert_read"].value <= many["held"].value * (1 + 1e-12), id


def test_state_passes_the_weights_read_of_the_expert_model():
    """At 4,096 tokens the state of 150 conversations is less than the weights they read, that of 151 more."""
    assert flip(find("moe-active-vs-total"), "batch", where=("state_read", "weights_read")) == 151
    for batch, less in ((150, True), (151, False)):
        terms = call("moe-active-vs-total", batch=batch).terms
        assert (terms["state_read"].value < terms["always_read"].value + terms["expert_read"].value) == less


def test_the_step_of_an_expert_model_lies_between_its_dense_twins():
    """No batch makes an expert model faster than the dense model of its active size or slower than that of its total size."""
    for batch in (1, 8, 64, 512):
        t = call("moe-active-vs-total", batch=batch).terms
        assert t["dense_same_active"].value <= t["step_time"].value <= t["dense_same_total"].value


def test_half_and_nine_tenths_of_the_experts():
    """Of 128 experts with 8 picks, 11 tokens are the first to touch half, 36 the first to touch nine tenths."""
    touched = {m: value("expert-coverage", "touched", batch_tokens=m) for m in (10, 11, 35, 36)}
    assert touched[10] < 64 <= touched[11] and touched[35] < 115.2 <= touched[36]


def test_skew_touches_fewer_experts_and_one_token_always_k():
    """A token touches exactly k experts however popularity is spread; more tokens touch fewer the more uneven it is."""
    for share in (0.1, 0.3, 0.9):
        assert value("expert-coverage", "touched", batch_tokens=1, hot_share=share) == pytest.approx(8)
    by_skew = [value("expert-coverage", "touched", batch_tokens=36, hot_share=s) for s in (0.1, 0.3, 0.5, 0.8)]
    assert by_skew == sorted(by_skew, reverse=True)


def test_more_picks_than_experts_is_refused_in_words():
    """When a token would pick more experts than there are, every term never happens and the limit says why."""
    found = call("expert-coverage", experts=4)
    assert not found.ok and all(t.value is None for t in found.terms.values())
    assert "cannot pick more" in found.limits[0].words


def test_bits_per_weight_of_the_common_recipes():
    """Groups of 32 with an 8-bit exponent are 4.25 bits on what is quantized; Q8_0 over everything is 8.5."""
    q8 = value("quantized-size", "bits_per_weight", model="llama-3.1-70b", weight_bits=8, scale_group=32, scale_bits=16,
               quantized_tensors="everything")
    assert q8 * 8 == pytest.approx(8.5)
    terms = call("quantized-size", model="gpt-oss-120b", scale_group=32, scale_bits=8, quantized_tensors="experts").terms
    experts = value("parameter-count", "routed_experts", model="gpt-oss-120b")
    assert (terms["packed"].value + terms["scales"].value) * 8 / experts == pytest.approx(4.25)


def test_the_tables_outweigh_the_codes_of_small_models_only():
    """The wide part is the larger one for Qwen3-0.6B and the smaller one from Llama-3.2-1B on."""
    assert value("quantized-size", "wide_share", model="qwen3-0.6b") > 0.5 > value("quantized-size", "wide_share", model="llama-3.2-1b")


@pytest.mark.parametrize(("id", "model"), [("moe-active-vs-total", "llama-3.1-8b"), ("sparse-attention-read", "deepseek-v3"),
                                           ("state-growth", "qwen3-32b"), ("attention-share", "mamba-2.8b"), ("kv-cache", "vit-base-16")])
def test_a_model_without_the_property_is_refused(id, model):
    """A model that lacks what the question is about is refused with the nearest one that has it."""
    with pytest.raises(InputError, match="nearest that will do"):
        call(id, model=model)


def test_the_chapter_has_its_nine_estimators():
    """Every estimator of the chapter's cases is there, and no other."""
    files = (TESTS.parent / "calc" / "estimators" / "ch02").glob("[!_]*.py")
    assert {f.stem.replace("_", "-") for f in files} == {c["estimator"] for c in CASES} and find("kv-cache").chapter == 2
