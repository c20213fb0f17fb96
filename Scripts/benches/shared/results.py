"""The figures of all benches in several rounds, and how two such files compare."""

import math
import statistics

FORMAT = 1
SINGLE = "One round has no spread: nothing can be said to have changed. Measure at least 2, better 5."

# Student's t for 95 % of both sides, by degrees of freedom from 1.
QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
             2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086)


def row_key(bench, row, seen):
    """Which figure it is. Lines that begin with a space belong to the last one that does not, and
    there may be several of the same words."""
    quantity = row["quantity"]
    if not quantity.startswith(" "):
        seen["above"] = quantity
    key = (bench, seen.get("above"), quantity)
    seen[key] = number = seen.get(key, 0) + 1
    return (*key, number)


def full_name(key):
    """The words of a figure's key; what stands below another line makes sense only with that."""
    _, above, quantity, number = key
    words = quantity if above in (None, quantity) else f"{above}: {quantity.strip()}"
    return words if number == 1 else f"{words} ({number})"


def compared(before, after):
    """The ratio of the medians, its interval, and what to say of it. Stores the medians."""
    left, right = ([value for value in row["values"] if value is not None]
                   for row in (before, after))
    for row, values in ((before, left), (after, right)):
        row["median"] = statistics.median(values) if values else None
    if not left or not right:
        return None, None, "same" if not left and not right else "not had"
    ratio = after["median"] / before["median"] if before["median"] > 0 else None
    if min(len(left), len(right)) < 2:
        return ratio, None, "one round"
    is_positive = min(left + right) > 0
    low, high = difference(*([math.log(value) for value in values] if is_positive else values
                             for values in (left, right)))
    interval = (math.exp(low), math.exp(high)) if is_positive else None
    return ratio, interval, verdict(low, high, after)


def verdict(low, high, row):
    if low <= 0 <= high:
        return "same"
    if row["atLeast"] is None and row["atMost"] is None:
        return "larger" if low > 0 else "smaller"
    return "better" if (low > 0) == (row["atLeast"] is not None) else "worse"


def difference(left, right):
    """The interval that has the difference of two means with 95 %, of unequal variances."""
    parts = [statistics.variance(values) / len(values) for values in (left, right)]
    middle = statistics.mean(right) - statistics.mean(left)
    if sum(parts) == 0:
        return middle, middle
    freedom = sum(parts) ** 2 / sum(
        part ** 2 / (len(values) - 1) for part, values in zip(parts, (left, right)))
    # Rounded down, and as if there were no more than the table has: both widen the interval.
    width = QUANTILES[min(int(freedom), len(QUANTILES)) - 1] * math.sqrt(sum(parts))
    return middle - width, middle + width
