"""The statistics of a measurement."""

import math


def clopper_pearson(successes, trials, confidence=0.99):
    """The exact interval of a binomial proportion: (low, high)."""
    if trials == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else beta_quantile(tail, successes, trials - successes + 1)
    high = (
        1.0 if successes == trials
        else beta_quantile(1 - tail, successes + 1, trials - successes)
    )
    return low, high


def beta_quantile(probability, a, b):
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if regularized_beta(middle, a, b) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def regularized_beta(x, a, b):
    """I_x(a, b). The continued fraction converges fast on one side of the mean only."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * beta_fraction(x, a, b) / a
    return 1 - math.exp(log_front) * beta_fraction(1 - x, b, a) / b


def beta_fraction(x, a, b):
    """Lentz's method for the continued fraction of DLMF 8.17.22."""
    tiny = 1e-300
    c, d = 1.0, 1.0 / ((1 - (a + b) * x / (a + 1)) or tiny)
    value = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / ((1 + numerator * d) or tiny)
            c = (1 + numerator / c) or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return value


def summary(values):
    """The usual figures of a sample, or None of an empty one."""
    if not values:
        return None
    ordered = sorted(values)
    count = len(ordered)
    mean = math.fsum(ordered) / count
    return {
        "min": ordered[0],
        "mean": mean,
        "p50": percentile(ordered, 0.50),
        "p99": percentile(ordered, 0.99),
        "max": ordered[-1],
        "stddev": math.sqrt(math.fsum((value - mean) ** 2 for value in ordered) / count),
    }


def percentile(ordered, fraction):
    """The nearest rank of a sorted sample."""
    return ordered[max(0, math.ceil(fraction * len(ordered)) - 1)]


def runs(missing):
    """Lengths of the runs of True in a sequence."""
    lengths, current = [], 0
    for is_missing in missing:
        if is_missing:
            current += 1
        elif current:
            lengths.append(current)
            current = 0
    if current:
        lengths.append(current)
    return lengths
