"""Chapter 3 against its independently computed cases, against simulation, and what its pages claim."""

import heapq
import math
import pathlib
import random
import sys

import pytest

import calc
from calc.catalog import MODELS, WORKLOADS
from calc.estimator import find
from calc.parts import flops, requests, scaling, vision
from calc.quantity import q
from calc.what_if import flip

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "tools"))
from check_cases import check, load  # noqa: E402

CASES = load([TESTS / "cases" / "outline" / "ch03.json"])


def value(id, key, **inputs):
    """A term in its own unit."""
    return next(t["value"] for t in calc.show(id, **inputs).to_dict()["terms"] if t["key"] == key)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['estimator']}-{c['index']}")
def test_outline_case(case):
    """Every term of every case is right, and the answer is the term that the contract names."""
    [result] = check([case], lambda id, inputs: calc.show(id, **inputs).to_dict())
    assert result["whole"] and result["answer_named"], result


@pytest.mark.parametrize(("id", "over", "given", "where", "expected"), [
    ("request-demand", "output", {}, ("decode_accelerators", "prefill_accelerators"), 184),
    ("littles-law-state", "think_time", {}, ("parked_state", "active_state"), 2.39),
    ("littles-law-state", "think_time", {}, None, 16.3),
    ("littles-law-state", "arrival_rate", {"think_time": 0}, ("sequences_decoding", "1e9"), 18.37),
    ("queue-wait", "arrival_rate", {}, ("wait_p", "5 s"), 9.44), ("queue-wait", "arrival_cv2", {}, ("wait_p", "5 s"), 8.5),
    ("training-flops", "sequence", {}, ("attention_flops", "matrix_flops"), 57256),
    ("training-flops", "sequence", {}, ("total_flops", "six_nd"), 4010),
    ("rl-cycle", "output", {}, ("decode_share_of_time", "0.5"), 1310),
    ("scaling-law-budget", "size_fraction", {}, None, 0.1464),
    ("training-flops", "mfu", {"model": "llama-3.1-405b", "training_tokens": 15_600_000_000_000}, ("gpu_hours", "30.84e6 h"), 0.359),
])
def test_flips_of_the_outline(id, over, given, where, expected):
    """The verdict changes at the input value that was worked out by hand."""
    assert flip(find(id), over, given, where) == pytest.approx(expected, rel=5e-3)


def test_flips_of_the_burst():
    """Without excess there is no backlog, and at full ordinary load it never drains."""
    assert value("burst-backlog", "backlog", capacity=7470) == 0
    assert value("burst-backlog", "drain_time", after_rate=5590) is None
    assert value("burst-backlog", "drain_time", after_rate=5589) > 1e5


def test_capacity_after_a_short_burst_still_carries_ordinary_traffic():
    """A burst of one second needs no more than the ordinary rate, and never less; from 8.0 s on its own work rules."""
    assert value("burst-backlog", "capacity_for_target", burst_time=1) == 4600
    assert value("burst-backlog", "capacity_for_target", burst_time=10) == pytest.approx(7470 * 10 / 15)
    assert flip(find("burst-backlog"), "burst_time", {}, ("capacity_for_target", "4601 1/s")) == pytest.approx(5 * 4601 / (7470 - 4601), rel=1e-3)


def test_a_short_prompt_still_reads_the_weights():
    """A prompt of 16 tokens takes as long as the 15.1 GB that are read for it, in a request and in a cycle of learning."""
    read = 2 * requests.weights.active(MODELS["qwen3-8b"]).value / 3.35e12
    assert value("request-demand", "prefill_seconds", prompt=16) == pytest.approx(1e3 * read, rel=1e-6)
    assert value("request-demand", "prefill_seconds", prompt=400) > 1.2e3 * read
    assert value("rl-cycle", "prefill_time", prompt=1, rollouts=1, kept_rollouts=1) == pytest.approx(read / 0.7, rel=1e-6)
    assert value("rl-cycle", "scoring_time", scorers=0) == 0


def test_no_more_answers_are_kept_than_were_generated():
    """A cycle that keeps more answers than it generates is refused in words; keeping all of them is not."""
    refused = calc.show("rl-cycle", rollouts=16, kept_rollouts=17)
    assert not refused.ok and "more answers than it generates" in str(refused)
    assert calc.show("rl-cycle", rollouts=16, kept_rollouts=16).ok


def test_the_same_size_needs_no_extra_training():
    """At the whole of the optimal size the extra training is nothing, exactly, under either fit."""
    for fit in ("besiroglu-2024", "hoffmann-2022"):
        assert value("scaling-law-budget", "extra_training", size_fraction=1, fit=fit) == 0


def test_every_phase_is_priced_by_its_own_currency():
    """The two request classes of a published example give its tokens and steps per second."""
    for share, tokens, steps in ((0.5, 18432, 4604), (0.9, 29900.8, 1736.8), (0.1, 6963.2, 7471.2)):
        classes = [(4 * share, 8192, 256), (4 * (1 - share), 1024, 2048)]
        found = [[value("request-demand", key, arrival_rate=r, prompt=p, output=g) for r, p, g in classes]
                 for key in ("prefill_tokens", "decode_steps")]
        assert sum(found[0]) == pytest.approx(tokens) and sum(found[1]) == pytest.approx(steps)


def test_decoding_is_a_fixed_point_that_experts_do_not_break():
    """The batch reproduces itself, n = λ(G − 1)·t(n), with the weights that n sequences read; for experts that is most of them."""
    for model, accelerator in (("qwen3-8b", "h100-sxm"), ("qwen3-30b-a3b", "h200-sxm"), ("deepseek-v2-lite", "h100-sxm")):
        found = calc.show("littles-law-state", model=model, accelerator=accelerator).terms
        n, share = found["sequences_decoding"].value, found["prefill_share"].value
        assert 0 < share < 1 and n == pytest.approx(10 * 255 * found["step_time"].value, rel=1e-9)
        # the step of a whole batch of that size by another estimator, slowed by the time that prompts take
        alone = calc.show("request-demand", model=model, accelerator=accelerator, batch=max(1, round(n))).terms["step_memory"].value
        assert 10 * 255 * alone / (1 - share) == pytest.approx(n, rel=0.06), model
    n = value("littles-law-state", "sequences_decoding", model="qwen3-30b-a3b", accelerator="h200-sxm")
    assert 128 * (1 - (1 - 8 / 128) ** n) == pytest.approx(118, abs=0.5)


def test_the_outflow_of_state_is_the_peers():
    """In the steady state each step frees B(P + G)/G cached tokens, as another book works out: 96 for 32 sequences."""
    answer = calc.show("littles-law-state", model="qwen3-8b", prompt=8192, output=4096, arrival_rate=0.1, think_time=0)
    n, rate, step = (answer.terms[k].value for k in ("sequences_decoding", "rate_limit", "step_time"))
    freed_per_step = 0.1 * (8192 + 4096) * step
    assert freed_per_step == pytest.approx(n * (8192 + 4096) / 4095, rel=1e-9) and 32 * (8192 + 4096) / 4096 == 96 and rate > 0.1


def simulate(servers, arrivals, services):
    """Waits of requests that take the first server to become free, in order of arrival."""
    free, waits, now = [0.0] * servers, [], 0.0
    for gap, service in zip(arrivals, services):
        now += gap
        start = max(now, heapq.heappop(free))
        waits.append(start - now)
        heapq.heappush(free, start + service)
    return waits


@pytest.mark.parametrize(("servers", "rate", "given", "gap", "service", "mean_band"), [
    (10, 8, {}, lambda r: r.expovariate(8), lambda r: r.expovariate(1), (0.93, 1.07)),
    (10, 9.5, {}, lambda r: r.expovariate(9.5), lambda r: r.expovariate(1), (0.75, 1.25)),
    (1, 0.8, {"service_cv2": 0}, lambda r: r.expovariate(0.8), lambda r: 1.0, (0.93, 1.07)),
    # squared variation 9: most gaps short, a few long; the formula is known to be low here, by about a third
    (10, 8, {"arrival_cv2": 9}, lambda r: r.expovariate(8 * 2 * 0.9472) if r.random() < 0.9472 else r.expovariate(8 * 2 * 0.0528),
     lambda r: r.expovariate(1), (1.15, 1.75)),
])
def test_queue_wait_against_simulation(servers, rate, given, gap, service, mean_band):
    """Simulated queues wait as long as the formula says, and bursty ones longer, as its exclusions say."""
    count, waits = 100_000, []
    for seed in range(5):  # one run of such a length is still off by a tenth
        random_ = random.Random(seed)
        waits += simulate(servers, (gap(random_) for _ in range(count)), (service(random_) for _ in range(count)))
    mean = sum(waits) / len(waits)
    assert mean_band[0] < mean / value("queue-wait", "mean_wait", servers=servers, arrival_rate=rate, **given) < mean_band[1]


def test_conversation_sums_equal_turn_by_turn_counting():
    """The closed forms over turns equal a plain loop over turns, for full attention, hybrids and windows."""
    for id in ("qwen3-8b", "qwen3.5-35b-a3b", "gemma-3-12b", "deepseek-v3"):
        model, prompt, append, output, turns = MODELS[id], 3000, 700, 150, 9
        talk = requests.Conversation(model, q(prompt), q(append), q(output), q(turns))
        without = with_cache = 0
        for turn in range(turns):
            whole = prompt + turn * (append + output)
            new = append if turn else prompt
            without += flops.attention_prompt(model, q(whole)).value
            with_cache += flops.attention_prompt(model, q(new), q(whole - new) if turn else None).value
        assert talk.attention_without().value == pytest.approx(without, rel=1e-9), id
        assert talk.attention_with().value == pytest.approx(with_cache, rel=1e-9), id


def test_attention_passes_the_linear_work_where_the_page_says():
    """For Qwen3-8B a new token's attention passes its matrices at a context of 23,552 tokens."""
    model = MODELS["qwen3-8b"]
    A, H = (requests.weights.active(model).value, requests.weights.head(model).value)
    assert 2 * (A - H) / flops.attention_per_key(model).value == pytest.approx(23552, rel=1e-4)


def test_shortcuts_that_the_pages_call_wrong():
    """The naive estimates which the pages quote are what the shortcuts give: 0.763 accelerators, 555 and 4,275 TFLOP."""
    model = MODELS["qwen3-8b"]
    all_weights, A, H = (f(model).value for f in (requests.weights.total_weights, requests.weights.active, requests.weights.head))
    assert 20 * (2048 + 256) * 2 * all_weights / 989.4e12 == pytest.approx(0.763, rel=2e-3)
    assert 39936 * 2 * (A - H) / 1e12 == pytest.approx(555, rel=1e-3)
    assert 32 * requests.prefill(model, q(8192)).value / 1e12 == pytest.approx(4275, rel=1e-3)


def test_an_edit_costs_more_than_an_appendix():
    """In a context of 40,000 tokens, rewriting token 10,000 costs 229 times as much as appending a hundred tokens."""
    model = MODELS["qwen3-8b"]
    appended, rewritten = (requests.prefill(model, q(new), q(old)).value for new, old in ((100, 40000), (30000, 10000)))
    assert appended / 1e12 == pytest.approx(3.75, rel=5e-3) and rewritten / 1e12 == pytest.approx(859, rel=1e-3)
    assert rewritten / appended == pytest.approx(229, rel=2e-3)


def test_the_exercise_on_corrections():
    """In a context of 60,000 tokens an edit of token 20,000 costs 152 times an appendix of 200, and one 2,000 from the end ten times."""
    model = MODELS["qwen3-8b"]
    appended, edited, late = (requests.prefill(model, q(new), q(old)).value for new, old in ((200, 60000), (40000, 20000), (2000, 58000)))
    assert appended / 1e12 == pytest.approx(9.87, rel=5e-3) and edited / 1e12 == pytest.approx(1499, rel=1e-3)
    assert edited / appended == pytest.approx(152, rel=2e-3) and 9.7 < late / appended < 10
    assert 0.7 < flops.attention_prompt(model, q(200), q(60000)).value / appended < 0.75


def test_a_published_picture():
    """A 4B model of the family, 640 × 640 pixels: tokens, encoder cache and encoder arithmetic as printed elsewhere."""
    raw = {**MODELS["qwen3-vl-8b"].raw, "hidden": 2560}
    raw["vision"] = {**raw["vision"], "layers": 24, "hidden": 1024, "intermediate": 4096}
    MODELS.add("own-qwen3-vl-4b", raw)
    try:
        model = MODELS["own-qwen3-vl-4b"]
        per_frame = vision.tokens_per_frame(model, q(640, "pixel"), q(640, "pixel"))
        assert per_frame.value == 400 and (per_frame * model.hidden * vision.cache_sets(model) * 2).value / 2**20 == 7.8125
        assert vision.encoder_work(model, per_frame, per_frame).value / 1e12 == pytest.approx(1.31, rel=5e-3)
    finally:
        del MODELS._rows["own-qwen3-vl-4b"]


def test_the_encoders_own_crossover():
    """At 6,608 patches per frame the encoder's attention passes its matrices; four times the pixels cost 8.3 times."""
    model = MODELS["qwen3-vl-8b"]
    n = q(6608)
    blocks = vision.linear_work(model, n).value - 2 * 6608 * 3 * 16 * 16 * 2 * 1152
    assert vision.attention_work(model, n, n).value == pytest.approx(blocks, rel=1e-3)
    big, small = (value("multimodal-tokens", "encoder_flops", image_width=w, image_height=w) for w in (2048, 1024))
    assert big / small == pytest.approx(8.32, rel=1e-3)


def test_training_counts_of_others():
    """An 8,192-token step of Qwen3-8B and NVIDIA's printed count for Llama 3 8B come out; theirs leave out the norms' weights."""
    step = calc.show("training-flops", model="qwen3-8b", training_tokens=10**9)
    scale = 8192 / 1e9
    assert step.terms["total_flops"].value * scale / 1e12 == pytest.approx(431.367993, rel=1e-4)
    assert step.terms["six_nd"].value * scale / 1e12 == pytest.approx(402.591024, rel=1e-6)
    assert value("training-flops", "flops_per_token", attention_count="full") == pytest.approx(57.913, rel=1e-3)
    assert value("training-flops", "attention_flops", attention_count="none") == 0


def test_rl_cycle_of_a_published_example():
    """One cycle with 32 and with 64 answers has the published arithmetic, norms' weights apart."""
    given = {"output": 256, "kept_rollouts": 16}
    assert value("rl-cycle", "total_flops", rollouts=32, **given) == pytest.approx(2181.558727, rel=1e-4)
    assert value("rl-cycle", "total_flops", rollouts=64, **given) == pytest.approx(3410.701494, rel=1e-4)


@pytest.mark.parametrize(("fit", "size", "tokens"), [("besiroglu-2024", 72.2e9, 1.33e12), ("hoffmann-2022", 32.2e9, 2.98e12)])
def test_the_fits_at_the_budget_they_were_made_for(fit, size, tokens):
    """At Gopher's budget the fits choose the sizes that were worked out by hand, and no other size has a lower loss."""
    laws, budget = scaling.fit(fit), q(5.76e23, "FLOP")
    best = scaling.optimal_weights(laws, budget)
    assert best.value == pytest.approx(size, rel=2e-3) and scaling.tokens_for(budget, best).value == pytest.approx(tokens, rel=3e-3)
    losses = [scaling.loss(laws, q(best.value * s), scaling.tokens_for(budget, q(best.value * s))).value for s in (0.97, 1, 1.03)]
    assert losses[1] == min(losses)


def test_accelerator_hours_are_not_read_as_years():
    """A count of accelerator-hours prints as hours, and a large amount of arithmetic as a power of ten."""
    texts = {t["key"]: t["text"] for t in calc.show("training-flops").to_dict()["terms"]}
    assert texts["gpu_hours"].startswith("542,000") and texts["gpu_hours"].endswith("accelerator-hours")
    assert "10²³" in texts["total_flops"]


def test_workloads_have_sources():
    """Every number of the workload table names a document that the sources list."""
    from calc.catalog import SOURCES, fields

    for record in WORKLOADS.values():
        numbers = [f for f in fields(record).values() if isinstance(f["value"], (int, float))]
        assert numbers and all(f["source"] in SOURCES for f in numbers), record
    assert WORKLOADS["azure-conversation-2023"].requests.value == 19366
    assert math.isclose(WORKLOADS["azure-code-2023"].rate.value, 2.57)
