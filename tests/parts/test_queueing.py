"""Queueing: closed forms, a seeded simulation, and the outlines' cases."""

import heapq
import math
import random

import pytest

from calc.parts import queueing
from calc.quantity import let, q
from tests.parts.outline import agree, parametrize


def queue_wait(arrival_rate, service_time, servers, arrival_cv2, service_cv2, percentile):
    """The terms of chapter 3's queue."""
    load = queueing.present(arrival_rate, service_time)
    busy = queueing.utilization(arrival_rate, service_time, servers)
    chance = queueing.erlang_c(servers, load)
    spread = queueing.variability(arrival_cv2, service_cv2)
    waiting = queueing.wait_if_waiting(service_time, servers, busy, spread)
    mean = queueing.mean_wait(chance, waiting)
    return {"wait_p": queueing.wait_at(percentile / 100, chance, waiting), "utilization": busy, "offered_load": load,
            "probability_of_waiting": chance, "mean_wait_if_waiting": waiting, "mean_wait": mean, "variability": spread,
            "queue_length": queueing.present(arrival_rate, mean), "response_mean": mean + service_time}


def burst_backlog(burst_rate, after_rate, burst_time, capacity, delay_target):
    """The terms of chapter 3's burst."""
    excess = queueing.excess(burst_rate, capacity)
    backlog = excess * burst_time
    drain = queueing.drain_time(backlog, capacity, after_rate)
    enough = queueing.capacity_for_delay(burst_rate, burst_time, delay_target)
    return {"worst_delay": queueing.drain_time(backlog, capacity), "excess_rate": excess, "backlog": backlog, "drain_time": drain,
            "trouble_seconds": burst_time + drain, "capacity_for_target": enough, "capacity_ratio": enough / capacity}


def utilization_vs_wait(servers, utilization, service_time, arrival_cv, service_cv):
    """The terms of chapter 11's busy pool."""
    load = servers * utilization
    spread = queueing.variability(arrival_cv**2, service_cv**2)
    chance = queueing.erlang_c(servers, load)
    waiting = queueing.wait_if_waiting(service_time, servers, utilization, spread)
    alone = queueing.mean_wait(queueing.erlang_c(1, utilization), queueing.wait_if_waiting(service_time, 1, utilization, spread))
    mean = queueing.mean_wait(chance, waiting)
    return {"mean_wait": mean, "offered_load": load, "arrival_rate": load / service_time, "chance_of_waiting": chance,
            "drain_time": queueing.wait_if_waiting(service_time, servers, utilization), "variability": spread,
            "p95_wait": queueing.wait_at(0.95, chance, waiting), "response": mean + service_time, "separate_queues_wait": alone}


def replicas_for_slo(arrival_rate, service_time, wait_target, percentile, replica_price_per_hour):
    """The terms of chapter 9's pool of replicas."""
    load = queueing.present(arrival_rate, service_time)
    goal = 1 - percentile.value / 100
    servers = math.floor(load.value) + 1
    while True:
        chance = queueing.erlang_c(servers, load)
        waiting = queueing.wait_if_waiting(service_time, servers, load / servers)
        late = 1 - queueing.served_within(wait_target, chance, waiting)
        if late.value <= goal:
            break
        servers += 1
    return {"replicas": q(servers), "offered_load": load, "wait_probability": chance, "late_fraction": late,
            "mean_wait": queueing.mean_wait(chance, waiting), "utilization": load / servers,
            "cost_per_1000": replica_price_per_hour * servers / arrival_rate * 1000}


def autoscaling(model, weight_bits, source, init_time, arrival_rate, replica_rate, replicas, added_replicas):
    """What a cold start leaves behind, given its time."""
    from calc.parts import weights

    start = weights.held(model, weight_bits) / source.bandwidth + init_time
    before, after = replicas * replica_rate, (replicas + added_replicas) * replica_rate
    backlog = queueing.excess(arrival_rate, before) * start
    drain = queueing.drain_time(backlog, after, arrival_rate)
    return {"start_time": start, "backlog": backlog, "drain_time": drain} | ({"time_to_clear": start + drain} if backlog.value else {})


def agent_task_resources(arrival_rate, rounds, model_time, tool_time, environment_memory, tool_cores, slots, cores, memory_capacity):
    """What chapter 11's tasks hold on average, resource by resource."""
    time = rounds * (model_time + tool_time)
    inside = queueing.present(arrival_rate, time)
    busy = {"model_slots_busy": queueing.present(arrival_rate, rounds * model_time),
            "cores_busy": queueing.present(arrival_rate, rounds * tool_time) * tool_cores, "memory_resident": inside * environment_memory}
    return busy | {"task_time": time, "tasks_inside": inside, "load_slots": busy["model_slots_busy"] / slots,
                   "load_cores": busy["cores_busy"] / cores, "load_memory": busy["memory_resident"] / memory_capacity}


def littles_law_state(arrival_rate, think_time, **_):
    """The requests that chapter 3 parks."""
    return {"parked_requests": queueing.present(arrival_rate, think_time)}


def slo_goodput(model, accelerator, prompt, ttft_target, bandwidth_efficiency, compute_efficiency, **_):
    """The queue of chapter 8's prompts: one server, fixed work."""
    from calc.parts import requests, roofline, weights
    from calc.quantity import largest, positive

    work = roofline.compute_time(requests.prefill(model, prompt), accelerator, efficiency=compute_efficiency)
    prefill = largest(work, roofline.memory_time(weights.read(model, prompt, 16), accelerator, bandwidth_efficiency))
    busy = queueing.mg1_utilization(positive(ttft_target - prefill), prefill, 0)
    return {"prefill_time": prefill, "rate_by_ttft": busy / prefill}


@parametrize((3, "queue-wait", queue_wait), (3, "burst-backlog", burst_backlog), (11, "utilization-vs-wait", utilization_vs_wait),
             (9, "replicas-for-slo", replicas_for_slo), (9, "autoscaling-cold-start", autoscaling),
             (11, "agent-task-resources", agent_task_resources), (3, "littles-law-state", littles_law_state),
             (8, "slo-goodput", slo_goodput))
def test_outline_case(case, expression):
    """The parts give the terms of the outline's case."""
    agree(case, expression)


def test_erlang_c_of_three_servers():
    """Three servers with a load of two make 4/9 of the requests wait, worked out by hand from the state probabilities."""
    assert queueing.erlang_c(3, 2).value == pytest.approx(4 / 9, rel=1e-12)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.3), (2, 1.5), (10, 8.0), (40, 39.0)])
def test_erlang_b_is_the_truncated_poisson(servers, load):
    """Erlang B is the last of the Poisson probabilities that are cut at the number of servers."""
    terms = [load**k / math.factorial(k) for k in range(servers + 1)]
    assert queueing.erlang_b(servers, load).value == pytest.approx(terms[-1] / sum(terms), rel=1e-12)


def test_one_server_is_mm1():
    """With one server the chance of waiting is the utilisation, and the mean wait is ρs/(1 − ρ)."""
    chance, waiting = queueing.erlang_c(1, 0.8), queueing.wait_if_waiting(q(2, "s"), 1, q(0.8))
    assert chance.value == pytest.approx(0.8)
    assert queueing.mean_wait(chance, waiting).to("s") == pytest.approx(0.8 * 2 / 0.2)
    assert queueing.wait_at(0.95, chance, waiting).to("s") == pytest.approx(10 * math.log(0.8 / 0.05))


@pytest.mark.parametrize("cv2", [0, 0.5, 1, 4])
def test_allen_cunneen_is_exact_for_one_server(cv2):
    """With one server and Poisson arrivals the correction gives the Pollaczek-Khinchine mean."""
    corrected = queueing.wait_if_waiting(q(1, "s"), 1, q(0.7), queueing.variability(q(1), q(cv2)))
    mean = queueing.mean_wait(queueing.erlang_c(1, 0.7), corrected)
    assert mean.to("s") == pytest.approx(queueing.mg1_wait(q(0.7, "1/s"), q(1, "s"), q(cv2)).to("s"))


def test_a_wait_gives_back_its_utilization():
    """The utilisation for a wait has that wait."""
    for busy in (0.1, 0.5, 0.95):
        wait = queueing.mg1_wait(q(busy, "1/s"), q(1, "s"), q(0))
        assert queueing.mg1_utilization(wait, q(1, "s"), 0).value == pytest.approx(busy)


def test_an_overloaded_queue_never_settles():
    """At a load of all servers or more, everybody waits and the mean wait never happens."""
    chance, waiting = queueing.erlang_c(4, 4), queueing.wait_if_waiting(q(1, "s"), 4, q(1))
    assert chance.value == 1 and waiting.value is None and queueing.wait_at(0.95, chance, waiting).value is None
    assert queueing.mg1_wait(q(2, "1/s"), q(1, "s"), q(1)).value is None


def test_a_chance_too_small_to_write_is_no_wait():
    """512 servers with a load of 8 make nobody wait, though the chance underflows."""
    chance = queueing.erlang_c(512, 8)
    assert queueing.wait_at(0.95, chance, queueing.wait_if_waiting(q(1, "s"), 512, q(8 / 512))).value == 0


def simulate(rate, service, servers, arrivals, seed):
    """Waits of `arrivals` requests in one queue in order of arrival, by the times at which the servers become free."""
    dice, now, waits = random.Random(seed), 0.0, []
    free = [0.0] * servers
    for _ in range(arrivals):
        now += dice.expovariate(rate)
        start = max(now, free[0])
        heapq.heapreplace(free, start + service(dice))
        waits.append(start - now)
    return waits[arrivals // 20 :]


@pytest.mark.parametrize(("name", "service", "cv2", "servers", "tolerance"), [
    ("exponential", lambda d: d.expovariate(1.0), 1, 10, 0.05), ("fixed, one server", lambda d: 1.0, 0, 1, 0.05),
    ("fixed, ten servers", lambda d: 1.0, 0, 10, 0.15)], ids=lambda x: x if isinstance(x, str) else None)
def test_simulated_mean_wait(name, service, cv2, servers, tolerance):
    """A simulation at 80 % load has the mean wait of the formula, within its statistical (or the approximation's) error."""
    waits = simulate(0.8 * servers, service, servers, 120_000, 1)
    chance = queueing.erlang_c(servers, 0.8 * servers)
    formula = queueing.mean_wait(chance, queueing.wait_if_waiting(q(1, "s"), servers, q(0.8), queueing.variability(q(1), q(cv2))))
    assert sum(waits) / len(waits) == pytest.approx(formula.to("s"), rel=tolerance)


def test_simulated_percentile():
    """A simulation of ten servers at 80 % load has the 95th percentile of the formula within 4 %, and the share served in a second."""
    waits = sorted(simulate(8, lambda d: d.expovariate(1.0), 10, 200_000, 2))
    chance, waiting = queueing.erlang_c(10, 8), queueing.wait_if_waiting(q(1, "s"), 10, q(0.8))
    assert waits[int(0.95 * len(waits))] == pytest.approx(queueing.wait_at(0.95, chance, waiting).to("s"), rel=0.04)
    within = sum(w <= 1 for w in waits) / len(waits)
    assert within == pytest.approx(queueing.served_within(q(1, "s"), chance, waiting).value, abs=0.005)


def test_a_burst_second_by_second():
    """Adding up arrivals and departures second by second leaves the formula's backlog, delay and drain."""
    queue, worst, clear = 0, 0, 0
    for second in range(400):
        queue = max(0, queue + (7470 if second < 60 else 4600) - 5590)
        worst, clear = max(worst, queue), second + 1 if queue else clear
    backlog = queueing.excess(q(7470, "1/s"), q(5590, "1/s")) * q(60, "s")
    assert backlog.value == worst
    assert queueing.drain_time(backlog, q(5590, "1/s"), q(4600, "1/s")).to("s") == pytest.approx(clear + 1 - 60, abs=1)


def test_a_backlog_that_is_fed_as_fast_as_served_never_drains():
    """With as much arriving as leaving the backlog never goes away."""
    assert queueing.drain_time(q(5), q(2, "1/s"), q(2, "1/s")).value is None


def test_the_formula_of_a_wait_reads():
    """A traced wait prints its own formula."""
    from calc.explain import formula

    rate, time = let("λ", q(8, "1/s")), let("s", q(1, "s"))
    waiting = let("θ", queueing.wait_if_waiting(time, let("c", q(10)), let("ρ", queueing.utilization(rate, time, 10))))
    assert formula(waiting) == "s / (c × (1 − ρ))"
    assert formula(queueing.wait_at(0.95, let("C", queueing.erlang_c(10, 8)), waiting)).startswith("θ × max(0, ln(C / ")
