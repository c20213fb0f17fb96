"""Results as one table, and as figures that other benches have as well."""

from shared.goals import Scoreboard
from shared.tables import print_rows

HEADINGS = ("profile", "quantity", "expected", "measured", "error", "verdict")


def print_table(results):
    print_rows(HEADINGS, [
        row(result["profile"], outcome) for result in results for outcome in result["checks"]])


def errors(results):
    """How far what has a tolerance is off, as a share of what was expected."""
    board = Scoreboard()
    for result in results:
        for outcome in result["checks"]:
            expected, measured = outcome["expected"], outcome["measured"]
            if expected and outcome["tolerance"] is not None:
                name = f"{result['profile']}: {outcome['quantity']} {outcome['direction']}".strip()
                off = None if measured is None else abs(measured / expected - 1)
                board.add(f"{name}, off by", off, "%", at_most=outcome["tolerance"] / expected)
    return board


def row(profile, outcome):
    verdict = {True: "ok", False: "WRONG", None: "-"}[outcome["pass"]]
    note = outcome.get("note")
    return (
        profile,
        f"{outcome['quantity']} {outcome['direction']}".strip(),
        quantity(outcome["expected"], outcome["unit"]),
        quantity(outcome["measured"], outcome["unit"]),
        error(outcome),
        f"{verdict} ({note})" if note else verdict,
    )


def quantity(value, unit):
    if value is None:
        return ""
    if unit == "bit/s":
        for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if value >= factor:
                return f"{value / factor:.4g} {prefix}bit/s"
    if unit == "ratio":
        return f"{value:.2%}"
    if unit == "packets":
        return f"{value:.2f}".removesuffix(".00") + " packets"
    return f"{value:.2f} {unit}".strip()


def error(outcome):
    expected, measured = outcome["expected"], outcome["measured"]
    if expected is None or measured is None:
        return ""
    if outcome["unit"] == "ratio":
        return f"{(measured - expected) * 100:+.2f} pp"
    if not expected:
        return f"+{quantity(measured, outcome['unit'])}" if measured else "0"
    return f"{measured / expected - 1:+.2%}"
