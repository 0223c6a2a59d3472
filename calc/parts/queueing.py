"""Queueing: how many are present, how long they wait, and what a burst leaves behind.

Two models, for two effects. The stochastic one (Erlang, Pollaczek-Khinchine, Allen-Cunneen) is for random clumping at a
steady rate; the fluid one (backlog) is for a rate that stays above capacity for a while. Loads are in busy servers.
"""

from math import log

from calc.quantity import apply, exp, positive, q, quotient


def present(rate, time):
    """Mean number present, N = λ·T (count): arrivals per second × seconds that each stays.

    Little's law; holds for every arrival process and every distribution once the averages exist.
    J. D. C. Little, Operations Research 9 (1961) 383.
    """
    return rate * time


def utilization(rate, service_time, servers):
    """Share of the servers' time that is used, ρ = λ·s/c (ratio; above 1 the queue grows without end)."""
    return rate * service_time / servers


def _erlang_b(servers, load):
    lost = 1.0
    for i in range(1, int(servers) + 1):
        lost = load * lost / (i + load * lost)
    return lost


def _erlang_c(servers, load):
    if load >= servers:
        return 1.0
    lost = _erlang_b(servers, load)
    return lost / (1 - load / servers * (1 - lost))


def erlang_b(servers, load):
    """Chance that a request finds all servers busy when nobody may wait, B(c, a); `load` a is λ·s busy servers.

    The recursion B_i = a·B_{i-1}/(i + a·B_{i-1}), B_0 = 1. Poisson arrivals, any distribution of service time.
    A. K. Erlang, Elektroteknikeren 13 (1917) 5.
    """
    return apply("B", _erlang_b, servers, load)


def erlang_c(servers, load):
    """Chance that a request must wait, C(c, a); 1 where the load reaches the servers and no steady state exists.

    C = B/(1 − ρ(1 − B)) with B from `erlang_b` and ρ = a/c. Poisson arrivals, exponential service, one queue in order of
    arrival, nobody leaves. A. K. Erlang, Elektroteknikeren 13 (1917) 5.
    """
    return apply("C", _erlang_c, servers, load)


def variability(arrival_cv2, service_cv2):
    """(c_a² + c_s²)/2 (ratio): what the wait is multiplied by when arrivals or service times are not exponential.

    Allen-Cunneen approximation, A. O. Allen, Probability, Statistics and Queueing Theory (1978). Exact for the mean of one
    server with Poisson arrivals (Pollaczek-Khinchine) and for exponential both; too low for bursts (c_a² well above 1).
    """
    return (arrival_cv2 + service_cv2) / 2


def wait_if_waiting(service_time, servers, utilization, spread=1):
    """Mean seconds of those who wait, θ = s/(c·(1 − ρ)) × `spread` (see `variability`); never where ρ ≥ 1."""
    clear = quotient(service_time, servers * (1 - q(utilization)))
    return clear if not hasattr(spread, "op") and spread == 1 else clear * spread


def mean_wait(chance, wait):
    """Mean seconds in the queue over all requests: chance of waiting × mean wait of those who wait."""
    return chance * wait


def wait_at(percentile, chance, wait):
    """Seconds that the share `percentile` (0 to 1) of all requests do not exceed: θ·ln(C/(1 − p)), 0 where C ≤ 1 − p.

    Exact for M/M/c (the wait of those who wait is exponential); for other variability it assumes that shape.
    """
    return wait * apply("max(0, ln({}))", _log_or_zero, chance / (1 - q(percentile)))


def _log_or_zero(x):
    return log(x) if x > 1 else 0


def served_within(time, chance, wait):
    """Share of requests that wait at most `time` seconds: 1 − C·e^(−t/θ) (M/M/c)."""
    return 1 - chance * exp(-(time / wait))


def mg1_wait(rate, service_time, service_cv2):
    """Mean seconds in the queue of one server, ρ·s·(1 + c_s²)/(2(1 − ρ)); never where ρ ≥ 1.

    Pollaczek-Khinchine: Poisson arrivals, any service time. F. Pollaczek, Mathematische Zeitschrift 32 (1930) 64.
    """
    busy = rate * service_time
    return quotient(busy * service_time * (1 + service_cv2), 2 * (1 - busy))


def excess(rate, capacity):
    """What arrives per second beyond the capacity, max(0, A − μ)."""
    return positive(rate - capacity)


def drain_time(backlog, capacity, rate_after=None):
    """Seconds until a backlog is gone while `rate_after` keeps arriving: Q/(μ − A_after); never where A_after ≥ μ."""
    return quotient(backlog, capacity if rate_after is None else capacity - rate_after)


def capacity_for_delay(rate, time, delay):
    """Capacity per second that keeps the worst delay of a burst of `time` seconds at `delay`: A·T/(T + d)."""
    return rate * time / (time + delay)


def mg1_utilization(wait, service_time, service_cv2):
    """Utilisation at which one server's mean wait is `wait` seconds, the inverse of `mg1_wait`: ρ = 2x/(1 + c_s² + 2x), x = W/s."""
    ratio = wait / service_time
    return 2 * ratio / (1 + service_cv2 + 2 * ratio)
