"""Turns measurements into checks: expected, measured, tolerance, verdict."""

import math

from probes.statistics import clopper_pearson

DELAY_TOLERANCE_MS = 0.5
DELAY_TOLERANCE = 0.01
BANDWIDTH_TOLERANCE = 0.03
# 99 % of a normal distribution.
QUANTILE = 2.576


def check(quantity, direction, expected, measured, tolerance, unit):
    passes = measured is not None and abs(measured - expected) <= tolerance
    return entry(quantity, direction, expected, measured, tolerance, unit, passes)


def entry(quantity, direction, expected, measured, tolerance, unit, passes, note=None):
    """`passes` is None for what is told without being judged."""
    return {
        "quantity": quantity, "direction": direction, "expected": expected,
        "measured": measured, "tolerance": tolerance, "unit": unit, "pass": passes,
        **({"note": note} if note else {}),
    }


def failure(quantity, direction, note):
    return entry(quantity, direction, None, None, None, "", False, note)


def delay_check(quantity, direction, expected, measured, jitter_ms=0.0, sample=1, slack_ms=0.0):
    """The tolerance for jitter is that of the mean of the sample, and what keeping order adds."""
    spread = QUANTILE * jitter_ms / math.sqrt(sample) + 0.2 * jitter_ms
    tolerance = max(DELAY_TOLERANCE_MS, DELAY_TOLERANCE * expected) + spread + slack_ms
    return check(quantity, direction, expected, measured, tolerance, "ms")


def bandwidth_check(quantity, direction, expected, measured, loss=0.0, sample=1, correlation=0.0):
    """Loss may strike before or after the bottleneck, so it widens the range downward; bursts make
    it vary more from one sample of packets to the next."""
    worth = sample * (1 - correlation) / (1 + correlation)
    loss += QUANTILE * math.sqrt(loss * (1 - loss) / worth)
    low = expected * (1 - loss) * (1 - BANDWIDTH_TOLERANCE)
    passes = measured is not None and low <= measured <= expected * (1 + BANDWIDTH_TOLERANCE)
    return entry(
        quantity, direction, expected, measured, expected - low, "bit/s", passes)


def loss_check(name, direction, probe):
    """Bursts make neighbours alike, so a sample is worth fewer independent packets."""
    correlation = direction.loss_correlation
    worth = (1 - correlation) / (1 + correlation)
    low, high = clopper_pearson(
        round(probe["lost"] * worth), max(1, round(probe["sent"] * worth)))
    expected = direction.loss
    return entry(
        "loss", name, expected, probe["lossRatio"], None, "ratio", low <= expected <= high,
        f"99 %: {low:.3%} to {high:.3%} of {probe['sent']}")


def burst_check(name, direction, probe):
    bursts = probe["lossBursts"]
    expected = direction.burst
    # Burst lengths are geometric.
    deviation = math.sqrt(expected * (expected - 1)) or 0.1
    tolerance = QUANTILE * deviation / math.sqrt(bursts) + 0.01 if bursts else 0
    return check(
        "loss burst", name, expected, probe["meanLossBurstPackets"], tolerance, "packets")


def reordering_check(name, direction, probe):
    if direction.reorders:
        return entry("reordered", name, None, probe["reordered"], None, "packets", None)
    return check("reordered", name, 0, probe["reordered"], 0, "packets")
