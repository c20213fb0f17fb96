"""Figures beside their goals, as one table."""

from .tables import print_rows

HEADINGS = ("quantity", "measured", "goal", "verdict")


class Scoreboard:
    def __init__(self):
        self.rows = []

    def add(self, quantity, measured, unit="", *, at_least=None, at_most=None):
        """Without a goal it is information. None as a figure means that it could not be had."""
        self.rows.append({
            "quantity": quantity, "measured": measured, "unit": unit,
            "atLeast": at_least, "atMost": at_most,
            "isMet": is_met(measured, at_least, at_most)})

    @property
    def missed(self):
        return [row["quantity"] for row in self.rows if row["isMet"] is False]

    def print(self):
        print_rows(HEADINGS, [cells(row) for row in self.rows])


def is_met(measured, at_least, at_most):
    if measured is None or at_least is at_most is None:
        return None
    return (at_least is None or measured >= at_least) and (
        at_most is None or measured <= at_most)


def cells(row):
    goal = ""
    if row["atLeast"] is not None:
        goal = f"at least {figure(row['atLeast'], row['unit'])}"
    elif row["atMost"] is not None:
        goal = f"at most {figure(row['atMost'], row['unit'])}"
    verdict = {True: "ok", False: "MISSED", None: "-"}[row["isMet"]]
    return (row["quantity"], figure(row["measured"], row["unit"]), goal, verdict)


def figure(value, unit):
    if value is None:
        return "not had"
    if unit == "%":
        return f"{value:.1%}"
    if isinstance(value, int) or value >= 1000:
        text = f"{value:.0f}"
    else:
        text = f"{value:.3g}"
    return f"{text} {unit}".strip()
