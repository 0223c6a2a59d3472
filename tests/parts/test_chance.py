"""Chance: everything listed or simulated where it can be, and the outlines' cases."""

import itertools
import math
import random
from collections import Counter
from statistics import NormalDist

import pytest

from calc.parts import chance, queueing
from calc.quantity import ceil, floor, q
from tests.parts.outline import agree, parametrize


def warm_pool(arrival_rate, prepare_time, hit_target, environment_memory):
    """The terms of chapter 11's warm pool."""
    waiting = queueing.present(arrival_rate, prepare_time)
    pool = chance.poisson_enough(waiting, hit_target) + 1
    naive = ceil(waiting)
    return {"pool": pool, "in_preparation": waiting, "spare": pool - waiting, "hit": chance.poisson_at_most(waiting, pool - 1),
            "mean_wait": chance.poisson_excess(waiting, pool) / arrival_rate, "naive_hit": chance.poisson_at_most(waiting, naive - 1),
            "idle_memory": pool * environment_memory}


def fragmentation(nodes, accelerators_per_node, allocated_share, job_size):
    """The terms of chapter 11's scattered accelerators."""
    free = 1 - allocated_share
    places = chance.whole_groups(accelerators_per_node, free, job_size)
    fits = chance.at_least(accelerators_per_node, free, job_size)
    every = nodes * accelerators_per_node * free
    usable = nodes * places * job_size
    return {"startable_jobs": nodes * places, "free": every, "usable": usable, "stranded_share": 1 - usable / every, "host_fits": fits,
            "any_host_fits": chance.any_of(nodes, fits)}


def gang(accelerators, free_accelerators, job_size, remaining_time, checkpoint_interval, restart_time):
    """The terms of chapter 11's gang."""
    free = free_accelerators / accelerators
    found = {"chance_free_without_holding": chance.at_least(accelerators, free, job_size)}
    missing = job_size - free_accelerators
    if 0 < missing.value and job_size.value <= accelerators.value:
        found["wait"] = chance.first_of_exponential(remaining_time, accelerators - free_accelerators, missing)
        found["preempt_cost"] = missing * (checkpoint_interval / 2 + restart_time)
    return found


def retry(median_time, spread, failure_probability, timeout, attempts, **_):
    """The terms of chapter 11's retries that do not depend on the deadline."""
    from calc.parts import speedup

    one = (1 - failure_probability) * chance.lognormal_within(timeout, median_time, spread)
    return {"attempt_success": one, "success": chance.any_of(attempts, one), "expected_attempts": speedup.tries(one, attempts)}


def stragglers(rollouts, mean_time, duration_cv, extra_share, **_):
    """The tail of chapter 11's rollouts."""
    launched = rollouts + floor(rollouts * extra_share + q(0.5))
    return {"tail_time": chance.lognormal_order(mean_time, duration_cv, launched, rollouts), "launched": launched}


def ecmp(flows, paths, subflows, uplink_ratio):
    """The terms of chapter 7's hashed paths."""
    balls = flows * subflows
    slow = chance.fullest_bin(balls, paths, 1, subflows * uplink_ratio)
    return {"slow_down": slow, "fullest_path": chance.fullest_bin(balls, paths, 0, subflows), "balanced_load": flows / (paths * uplink_ratio),
            "paths_used": chance.any_of(balls, 1 / paths), "chance_of_no_collision": chance.all_different(balls, paths), "rate_of_slowest": 1 / slow}


def tail(accelerators, slow_probability, slow_factor, jitter):
    """The terms of chapter 7's slow steps."""
    hit = chance.any_of(accelerators, slow_probability)
    return {"chance_a_step_is_hit": hit, "jitter_of_the_slowest": 1 + jitter * chance.normal_largest(accelerators),
            "probability_for_half_the_steps": chance.chance_for(0.5, accelerators)}


def speculative(acceptance, draft_tokens, **_):
    """The tokens of chapter 8's round."""
    kept = chance.kept_guesses(acceptance, draft_tokens)
    return {"tokens_per_round": kept, "work_per_kept_token": (draft_tokens + 1) / kept}


def continuous_batching(batch, output, length_distribution, **_):
    """The longest answer of chapter 8's fixed batch."""
    longest = chance.longest(length_distribution, output, batch)
    return {"longest_of_batch": longest, "slots_busy_static": output / longest}


def sharing_gpu(models, arrival_rate, service_time, **_):
    """The models of chapter 11 that are in use at a moment."""
    each = queueing.present(arrival_rate, service_time)
    return {"models_active": models * (1 - chance.poisson_at_most(each, 0)), "offered_work": models * each}


@parametrize((11, "warm-pool-size", warm_pool), (11, "gpu-fragmentation", fragmentation), (11, "gang-scheduling-wait", gang),
             (11, "retry-and-timeout", retry), (11, "rl-rollout-stragglers", stragglers), (7, "ecmp-collision", ecmp), (7, "tail-of-many", tail),
             (8, "speculative-decoding", speculative), (8, "continuous-batching", continuous_batching), (11, "sharing-gpu", sharing_gpu))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def test_nobody_picked_by_listing():
    """Listing every pick of three among seven gives the share that misses two marked ones."""
    picks = list(itertools.combinations(range(7), 3))
    assert chance.none_among(7, 2, 3).value == pytest.approx(sum(not {0, 1} & set(p) for p in picks) / len(picks))
    assert chance.none_among(2, 1, 3).value is None and chance.none_among(4, 2, 3).value == 0


@pytest.mark.parametrize(("n", "p"), [(5, 0.3), (8, 0.05), (3, 0.0), (3, 1.0)])
def test_binomial_by_listing(n, p):
    """Listing all outcomes gives the binomial chances and the mean number of whole groups."""
    by_count = Counter()
    for outcome in itertools.product((0, 1), repeat=n):
        by_count[sum(outcome)] += math.prod(p if x else 1 - p for x in outcome)
    for k in range(n + 1):
        assert chance.at_most(n, p, k).value == pytest.approx(sum(x for c, x in by_count.items() if c <= k))
        assert chance.at_least(n, p, k).value == pytest.approx(sum(x for c, x in by_count.items() if c >= k), abs=1e-15)
    assert chance.whole_groups(n, p, 2).value == pytest.approx(sum(c // 2 * x for c, x in by_count.items()))


def test_more_than_there_are_never_succeed():
    """At least five successes among three never happen."""
    assert chance.at_least(3, 0.5, 5).value == 0


@pytest.mark.parametrize("mean", [0, 0.25, 20, 60_000])
def test_poisson_moments(mean):
    """Chances sum to one, the mean excess over zero is the mean, and the quantile is the first count that is enough."""
    assert chance.poisson_excess(mean, 0).value == pytest.approx(mean, rel=1e-9)
    assert chance.poisson_at_most(mean, 10 * mean + 50).value == pytest.approx(1)
    enough = chance.poisson_enough(mean, 0.99).value
    assert chance.poisson_at_most(mean, enough).value >= 0.99 and (enough == 0 or chance.poisson_at_most(mean, enough - 1).value < 0.99)


def test_poisson_of_three_by_hand():
    """With a mean of 3 the chance of at most two is e^-3 (1 + 3 + 4.5)."""
    assert chance.poisson_at_most(3, 2).value == pytest.approx(8.5 * math.exp(-3))


def test_largest_of_normals():
    """The mean of the largest of n normal values, by numeric integration of its distribution, within 1 %."""
    for n in (8, 100, 1024):
        grid = [i / 200 for i in range(-1600, 1601)]
        above = sum((1 - NormalDist().cdf(z) ** n if z > 0 else -(NormalDist().cdf(z) ** n)) / 200 for z in grid)
        assert chance.normal_largest(n).value == pytest.approx(above, rel=1e-2)
    assert chance.normal_largest(1).value == pytest.approx(0, abs=1e-12)


def test_longest_of_exponentials_and_uniforms_simulated():
    """The longest of sixteen drawn lengths has the formula's mean."""
    dice = random.Random(5)
    drawn = {"exponential": lambda: dice.expovariate(1.0), "uniform": lambda: 2 * dice.random(), "fixed": lambda: 1.0}
    for name, draw in drawn.items():
        mean = sum(max(draw() for _ in range(16)) for _ in range(20_000)) / 20_000
        assert chance.longest(name, q(1), 16).value == pytest.approx(mean, rel=0.02)
    with pytest.raises(ValueError, match="exponential"):
        chance.longest("normal", q(1), 16)


def test_the_harmonic_number_beyond_the_sum():
    """The series for large counts continues the sum."""
    assert chance.harmonic(10_001).value == pytest.approx(sum(1 / i for i in range(1, 10_002)), rel=1e-10)


@pytest.mark.parametrize(("n", "k", "variation"), [(16, 16, 1), (64, 60, 0.3), (10, 1, 2)])
def test_order_statistics_simulated(n, k, variation):
    """Drawn lognormal times have the formula's mean k-th shortest."""
    sigma = math.sqrt(math.log1p(variation**2))
    dice = random.Random(7)
    mean = sum(sorted(dice.lognormvariate(-sigma**2 / 2, sigma) for _ in range(n))[k - 1] for _ in range(8_000)) / 8_000
    assert chance.lognormal_order(q(1), variation, n, k).value == pytest.approx(mean, rel=0.03)


def test_order_statistics_average_to_the_mean():
    """The order statistics of a sample average to the mean."""
    every = [chance.lognormal_order(q(1), 0.8, 12, k).value for k in range(1, 13)]
    assert sum(every) / 12 == pytest.approx(1, rel=1e-6) and every == sorted(every)


def test_waiting_for_the_first_of_a_group_simulated():
    """The time until 24 of 120 exponential times have ended is the formula's."""
    dice = random.Random(3)
    mean = sum(sorted(dice.expovariate(1.0) for _ in range(120))[23] for _ in range(3_000)) / 3_000
    assert chance.first_of_exponential(q(1), 120, 24).value == pytest.approx(mean, rel=0.02)


@pytest.mark.parametrize(("balls", "bins"), [(2, 2), (4, 3), (6, 3), (5, 4)])
def test_fullest_bin_by_listing(balls, bins):
    """Listing every placement gives the distribution of the fullest bin and its mean above a floor."""
    fullest = [max(Counter(p).values()) for p in itertools.product(range(bins), repeat=balls)]
    for t in range(balls + 1):
        assert chance.fullest_bin_cdf(balls, bins, t).value == pytest.approx(sum(f <= t for f in fullest) / len(fullest), abs=1e-12)
    for floor_, per in ((0, 1), (1, 2), (1.3, 2)):
        mean = sum(max(floor_, f / per) for f in fullest) / len(fullest)
        assert chance.fullest_bin(balls, bins, floor_, per).value == pytest.approx(mean)


def test_the_normal_factor_continues_the_exact_fullest_bin():
    """At 512 balls the approximation for more is within 0.5 % of the exact mean."""
    exact = chance.fullest_bin(512, 32).value
    assert chance.fullest_bin(513, 32).value == pytest.approx(exact, rel=6e-3)


def test_kept_guesses_simulated():
    """Accepting guesses one by one keeps the formula's number of tokens."""
    dice = random.Random(11)

    def one_round(acceptance, drafted):
        kept = 0
        while kept < drafted and dice.random() < acceptance:
            kept += 1
        return kept + 1

    mean = sum(one_round(0.7, 4) for _ in range(40_000)) / 40_000
    assert chance.kept_guesses(0.7, 4).value == pytest.approx(mean, rel=0.01)
    assert chance.kept_guesses(1, 4).value == 5 and chance.kept_guesses(0, 4).value == 1


def test_a_spread_of_nothing_is_a_step():
    """Without spread every time is the median."""
    assert chance.lognormal_within(q(2, "s"), q(2, "s"), 0).value == 1
    assert chance.lognormal_within(q(1.9, "s"), q(2, "s"), 0).value == 0
    assert chance.lognormal_within(q(2, "s"), q(2, "s"), 0.8).value == pytest.approx(0.5)
