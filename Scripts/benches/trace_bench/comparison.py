"""What came through a link, beside the trace that it played."""

WINDOW = 100
FULL = 1500
# The first packet that is received is one of the trace's first so many seconds.
SEARCH_SECONDS = 5
# An opportunity that found nothing to send shifts all that follow it; milliseconds.
PATIENCE = 20


class Comparison:
    def __init__(self, trace, arrivals, seconds):
        if len(arrivals) < 100:
            raise SystemExit(f"bench trace: only {len(arrivals)} packets came")
        self.trace = trace
        self.times = [time / 1e6 for time, _ in arrivals]
        self.first = self.find_first()
        differences = sorted(self.differences(self.first))
        # Nothing comes early: the start of the trace is where the most punctual packets put it.
        self.start = differences[len(differences) // 100]
        self.late = [value - self.start for value in differences]
        if self.lateness(0.5) > PATIENCE:
            raise SystemExit("bench trace: the sender could not keep the link busy, since this "
                             "machine has too much else to do; try again later")
        self.compare(arrivals, seconds)

    def opportunity(self, number):
        lap, index = divmod(number, len(self.trace))
        return lap * self.trace[-1] + self.trace[index]

    def differences(self, first, step=1):
        return [self.times[index] - self.opportunity(first + index)
                for index in range(0, len(self.times), step)]

    def find_first(self):
        """Which opportunity brought the first packet: with the right one all packets say the same
        of when the trace began."""
        limit = sum(1 for moment in self.trace if moment <= SEARCH_SECONDS * 1000)

        def spread(first, step):
            values = sorted(self.differences(first, step))
            return values[len(values) * 9 // 10] - values[len(values) // 10]

        coarse = sorted(range(limit), key=lambda first: spread(first, 97))[:10]
        return min(coarse, key=lambda first: spread(first, 5))

    def compare(self, arrivals, seconds):
        # Moments are whole milliseconds: half of one keeps those on the edge of a window in it.
        origin = self.start - 0.5
        begin = int((self.times[0] - origin) // WINDOW) + 1
        self.windows = min(seconds * 1000 // WINDOW,
                           int((self.times[-1] - origin) // WINDOW) - begin)
        came = [0] * self.windows
        for time, size in zip(self.times, (size for _, size in arrivals)):
            index = int((time - origin) // WINDOW) - begin
            if 0 <= index < self.windows:
                came[index] += size
        wanted = [0] * self.windows
        number = 0
        while (moment := self.opportunity(number)) < (begin + self.windows) * WINDOW:
            index = moment // WINDOW - begin
            if index >= 0:
                wanted[index] += FULL
            number += 1
        gaps = [abs(a - b) for a, b in zip(came, wanted)]
        within = [gap <= max(FULL, 0.02 * size) for gap, size in zip(gaps, wanted)]
        self.share_within = sum(within) / len(within)
        self.largest_difference = max(gaps) / FULL
        self.mean_difference = sum(gaps) / len(gaps) / FULL
        self.total_share = sum(came) / sum(wanted)
        self.figures = {"came": came, "wanted": wanted, "first": self.first}

    def lateness(self, share):
        """How much later than the most punctual packets."""
        return max(0, self.late[min(int(len(self.late) * share), len(self.late) - 1)])
