"""Prints results as one table."""

HEADINGS = ("profile", "quantity", "expected", "measured", "error", "verdict")


def print_table(results):
    rows = [HEADINGS]
    for result in results:
        rows += [row(result["profile"], outcome) for outcome in result["checks"]]
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(HEADINGS))]
    for index, cells in enumerate(rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))


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
