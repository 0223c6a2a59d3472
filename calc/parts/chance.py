"""Chance: how often, how many at least, how large the largest. Distributions that several chapters share, each exact unless it says so."""

from math import cos, erfc, exp, fsum, inf, lgamma, log, log1p, pi, sin, sqrt

from calc.quantity import apply, q

EULER = 0.5772156649015329


# ---------------------------------------------------------------- one of many
def any_of(many, chance):
    """Chance that at least one of n independent events happens: 1 − (1 − p)ⁿ."""
    return 1 - (1 - q(chance)) ** many


def chance_for(share, many):
    """Chance of one event at which the share `share` of all groups of n is hit: 1 − (1 − s)^(1/n)."""
    return 1 - (1 - q(share)) ** (1 / q(many))


def all_different(draws, kinds):
    """Chance that draws of equally likely kinds are all different: Π(1 − i/m) (the birthday problem)."""
    return apply("distinct", lambda f, m: exp(fsum(log1p(-i / m) for i in range(int(f)))) if f <= m else 0.0, draws, kinds)


def none_among(total, marked, picks):
    """Chance that k picks without putting back miss all of e marked things among E: C(E − e, k)/C(E, k); never where k > E."""
    return apply("miss", _none_among, total, marked, picks)


def _none_among(total, marked, k):
    left = total - marked
    if total < k - 1e-9:
        return None
    if left < k - 1e-9:
        return 0.0
    return exp(_log_choose(left, k) - _log_choose(total, k))


def _log_choose(n, k):
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(max(n - k, 0) + 1)


# ---------------------------------------------------------------- counts
def _binomial(n, p):
    """Chances of 0 to n successes, summed in logarithms so that they do not underflow."""
    if p <= 0 or p >= 1:
        return [1.0 if k == (0 if p <= 0 else n) else 0.0 for k in range(n + 1)]
    return [exp(_log_choose(n, k) + k * log(p) + (n - k) * log1p(-p)) for k in range(n + 1)]


def at_most(many, chance, most):
    """Chance of at most `most` successes among n with chance p each (binomial)."""
    return apply("at most", lambda n, p, k: fsum(_binomial(int(n), p)[: int(k) + 1]), many, chance, most)


def at_least(many, chance, least):
    """Chance of at least `least` successes among n with chance p each (binomial); 0 where `least` is more than n."""
    return apply("at least", lambda n, p, k: fsum(_binomial(int(n), p)[int(k):]), many, chance, least)


def whole_groups(many, chance, size):
    """Mean number of whole groups of `size` among the successes of n with chance p: E⌊X/size⌋ (binomial)."""
    return apply("groups", lambda n, p, j: fsum(k // int(j) * x for k, x in enumerate(_binomial(int(n), p))), many, chance, size)


def _poisson(mean):
    """(first count, chances from there on): counts within twelve standard deviations of the mean, in logarithms."""
    spread = 12 * sqrt(mean) + 20
    first, last = max(0, int(mean - spread)), int(mean + spread)
    return first, [exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(first, last + 1)] if mean else [1.0]


def _poisson_at_most(mean, most):
    first, chances = _poisson(mean)
    return min(1.0, fsum(chances[: max(0, int(most) - first + 1)]))


def poisson_at_most(mean, most):
    """Chance of at most `most` events of a mean number `mean` (S. D. Poisson)."""
    return apply("Poisson", _poisson_at_most, mean, most)


def poisson_enough(mean, target):
    """Smallest count that the events stay at or below with chance `target`."""
    def smallest_count(mean, target):
        first, chances = _poisson(mean)
        so_far = 0.0
        for k, x in enumerate(chances):
            so_far += x
            if so_far >= target:
                return first + k
        return None

    return apply("Poisson quantile", smallest_count, mean, target)


def poisson_excess(mean, limit):
    """Mean number of events beyond `limit`: E max(0, X − limit)."""
    def beyond(mean, limit):
        first, chances = _poisson(mean)
        return fsum(max(0, first + k - limit) * x for k, x in enumerate(chances))

    return apply("Poisson excess", beyond, mean, limit)


# ---------------------------------------------------------------- the largest of many
def normal_largest(many):
    """Standard deviations by which the largest of n normal values lies above the mean: z_n = Φ⁻¹((n − 0.375)/(n + 0.25)).

    G. Blom, Statistical Estimates and Transformed Beta-Variables (1958); 0 for one, 4.5 % above the exact mean for two, under 1 % from eight on.
    """
    def blom(n):
        from statistics import NormalDist

        return NormalDist().inv_cdf((n - 0.375) / (n + 0.25))

    return apply("z", blom, many)


def harmonic(many):
    """H_n = 1 + 1/2 + ... + 1/n (count): by how much the longest of n exponential times exceeds their mean."""
    def sum_to(n):
        if n > 1e4:
            return log(n) + EULER + 1 / (2 * n) - 1 / (12 * n * n)
        return fsum(1 / i for i in range(1, int(n) + 1))

    return apply("H", sum_to, many)


def longest(distribution, mean, many):
    """Mean of the longest of n lengths of mean m: "fixed" m; "uniform" on 0 to 2m, 2m·n/(n + 1); "exponential" m·H_n."""
    if distribution == "fixed":
        return mean
    if distribution == "uniform":
        return 2 * mean * many / (q(many) + 1)
    if distribution == "exponential":
        return mean * harmonic(many)
    raise ValueError(f"unknown distribution {distribution!r}; known: fixed, uniform, exponential")


def first_of_exponential(mean, group, needed):
    """Seconds until `needed` of `group` exponential times of mean r have ended: r·Σ 1/(B − i), i = 0 to k − 1."""
    return mean * apply("Σ 1/(B − i)", lambda b, k: fsum(1 / (b - i) for i in range(int(k))) if k <= b else None, group, needed)


def lognormal_order(mean, variation, many, rank):
    """Mean of the k-th shortest of n lognormal times of this mean and coefficient of variation (k = n: the longest).

    Numeric integral of the order statistic's density, exact to about 1e-6.
    """
    return mean * apply("order statistic", _lognormal_order, variation, many, rank)


def _lognormal_order(variation, n, k):
    if not 1 <= k <= n:
        return None
    sigma = sqrt(log1p(variation * variation))
    front = lgamma(n + 1) - lgamma(k) - lgamma(n - k + 1) - 0.5 * log(2 * pi) - sigma * sigma / 2
    step, parts = 0.01, []
    for i in range(-900, 901):
        z = i * step
        below, above = _log_half_erfc(-z), _log_half_erfc(z)
        if below == -inf or above == -inf:
            continue
        parts.append(exp(front + (k - 1) * below + (n - k) * above - z * z / 2 + sigma * z))
    return step * fsum(parts)


def _log_half_erfc(z):
    tail = 0.5 * erfc(z / sqrt(2))
    return log(tail) if tail > 0 else -inf


def lognormal_within(time, median, spread):
    """Share of lognormal times of this median and spread (σ of the logarithm) that are at most `time`; a step at spread 0."""
    def share(ratio, sigma):
        if sigma == 0:
            return 1.0 if ratio >= 1 else 0.0
        return 0.5 * erfc(-log(ratio) / (sigma * sqrt(2))) if ratio > 0 else 0.0

    return apply("F", share, time / median, spread)


# ---------------------------------------------------------------- loads at random
EXACT_BALLS = 512


def fullest_bin_cdf(balls, bins, most):
    """Chance that no bin holds more than `most` of n balls thrown at random into m bins.

    Up to 512 balls exact: n!/mⁿ times the coefficient of xⁿ in (Σ_{j ≤ t} xʲ/j!)ᵐ. Above, B. Levin's identity (Annals of
    Statistics 9 (1981) 1123) with a normal factor, at most 0.5 % off.
    """
    def chance(n, m, most):
        return next((x for t, x in enumerate(_fullest_cdfs(int(n), int(m))) if t == int(most)), 1.0)

    return apply("fullest ≤", chance, balls, bins, most)


def fullest_bin(balls, bins, floor=0, per=1):
    """Mean of the larger of `floor` and the fullest bin's balls ÷ `per`: E max(floor, X/per)."""
    def mean(n, m, least, per):
        found = least
        for t, so_far in enumerate(_fullest_cdfs(int(n), int(m))):
            low, high = t / per, (t + 1) / per
            if high > least:
                found += (high - max(low, least)) * (1 - so_far)
        return found

    return apply("E fullest", mean, balls, bins, floor, per)


def _fullest_cdfs(n, m):
    """P(fullest ≤ t) for t = 0, 1, ... until it is 1."""
    ways = _coefficients(n, m) if n <= EXACT_BALLS else (_levin(n, m, t) for t in range(n + 1))
    for x in ways:
        if x > 1 - 1e-12:
            return
        yield max(0.0, x)


def _coefficients(n, m):
    """P(fullest ≤ t) from the generating function's values on a circle of roots of unity.

    The terms are scaled by Poisson chances of mean n/m, so that what is folded back onto degree n is below rounding.
    """
    mean, points = n / m, 2 * (int(n + 12 * sqrt(n) + 40) // 2) + 1
    whole = exp(n * log(n) - n - lgamma(n + 1))  # the Poisson chance of n in all
    roots = [complex(cos(2 * pi * j / points), sin(2 * pi * j / points)) for j in range(points // 2 + 1)]
    back = [(1 if j == 0 else 2) * complex(cos(2 * pi * j * n / points), -sin(2 * pi * j * n / points)) for j in range(len(roots))]
    power, value = [complex(1)] * len(roots), [complex(0)] * len(roots)
    for t in range(n + 1):
        weight = exp(t * log(mean) - mean - lgamma(t + 1))
        value = [v + weight * x for v, x in zip(value, power)]
        power = [x * r for x, r in zip(power, roots)]
        if t * m < n:
            yield 0.0
        else:
            yield fsum((v**m * x).real for v, x in zip(value, back)) / points / whole


def _levin(n, m, t):
    first, chances = _poisson(n / m)
    kept = [(first + k, x) for k, x in enumerate(chances) if first + k <= t]
    below = fsum(x for _, x in kept)
    if t * m < n or below <= 0:
        return 0.0
    average = fsum(k * x for k, x in kept) / below
    variance = fsum((k - average) ** 2 * x for k, x in kept) / below
    if variance <= 0:
        return 0.0
    density = exp(-((n - m * average) ** 2) / (2 * m * variance)) / sqrt(2 * pi * m * variance)
    return min(1.0, exp(m * log(below) - (n * log(n) - n - lgamma(n + 1))) * density)


def kept_guesses(acceptance, drafted):
    """Mean tokens kept of a round that drafts γ tokens, each accepted with chance a, and always adds one: (1 − a^(γ+1))/(1 − a).

    Y. Leviathan, M. Kalman, Y. Matias, ICML 2023, equation 1; acceptances independent. γ + 1 where a is 1.
    """
    return apply("kept", lambda a, g: g + 1 if a == 1 else (1 - a ** (g + 1)) / (1 - a), acceptance, drafted)
