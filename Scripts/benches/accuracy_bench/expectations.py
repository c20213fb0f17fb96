"""What a profile promises, from `linkcond show PROFILE --json`, and how long to look at it."""

from dataclasses import dataclass

MTU = 1500
# IP and TCP headers with timestamps.
TCP_PAYLOAD = {4: MTU - 52, 6: MTU - 72}
# Small, so that slow links pass thousands in reasonable time; the probe's least is 72 for IPv6.
PROBE_BYTES = 80
PROBE_PACKETS = 5000
PING_BYTES = {4: 84, 6: 104}
# Above this a lab is busy enough to disturb a second one.
FAST_BITS_PER_SECOND = 20e6


@dataclass(frozen=True)
class Direction:
    """One direction of a profile. `bandwidth` is in bits per second, None for unlimited."""

    bandwidth: float | None
    delay_ms: float
    jitter_ms: float
    loss: float
    burst: float
    queue_packets: int
    reorders: bool

    @staticmethod
    def from_json(direction):
        loss = direction.get("lossRatio") or 0
        return Direction(
            bandwidth=direction.get("bandwidthBitsPerSecond"),
            delay_ms=direction.get("delayMilliseconds") or 0,
            jitter_ms=direction.get("jitterMilliseconds") or 0,
            loss=loss,
            # Independent losses are neighbours by chance as well.
            burst=max(direction.get("lossBurstPackets") or 1, 1 / (1 - loss) if loss < 1 else 1),
            queue_packets=direction.get("queuePackets") or 50,
            reorders=bool(direction.get("reorderRatio")),
        )

    def milliseconds_for(self, packet_bytes):
        """From the first bit sent to the last received, on an idle link."""
        return self.delay_ms + self.seconds_on_wire(packet_bytes) * 1000

    def seconds_on_wire(self, packet_bytes):
        return packet_bytes * 8 / self.bandwidth if self.bandwidth else 0

    @property
    def queue_seconds(self):
        return self.queue_packets * self.seconds_on_wire(MTU)

    @property
    def is_fast(self):
        return self.bandwidth is None or self.bandwidth > FAST_BITS_PER_SECOND

    @property
    def probe_rate(self):
        """Packets per second that leave the link's queue empty and the lab's processor idle.

        Jitter that keeps order holds packets behind late ones: at high rates that raises the mean.
        """
        fastest = 100 if self.jitter_ms else 400
        return min(fastest, 0.6 / self.seconds_on_wire(PROBE_BYTES)) if self.bandwidth else fastest

    @property
    def probe_packets(self):
        """Enough for a share, and for the mean length of bursts to within some 13 %."""
        if self.burst < 2 or not 0 < self.loss < 1:
            return PROBE_PACKETS
        return min(40_000, max(PROBE_PACKETS, round(300 * self.burst / self.loss)))

    @property
    def loss_correlation(self):
        """Between neighbouring packets, in the Gilbert model with this mean and burst."""
        if self.loss in (0, 1):
            return 0.0
        leave_bad = 1 / self.burst
        enter_bad = self.loss / (self.burst * (1 - self.loss))
        return max(0.0, 1 - leave_bad - enter_bad)


@dataclass(frozen=True)
class Expectations:
    """A profile in both directions."""

    name: str
    down: Direction
    up: Direction
    dns_delay_ms: float

    @staticmethod
    def from_json(name, profile):
        dns = profile.get("dns") or {}
        down, up = (Direction.from_json(profile[key]) for key in ("down", "up"))
        if profile.get("blackhole"):
            down, up = (
                Direction(**{**vars(direction), "loss": 1}) for direction in (down, up))
        return Expectations(name, down, up, dns.get("delayMilliseconds") or 0)

    @property
    def is_blackhole(self):
        return self.down.loss >= 1 or self.up.loss >= 1

    @property
    def is_fast(self):
        return self.down.is_fast or self.up.is_fast

    def directions(self):
        return (("down", self.down), ("up", self.up))

    def round_trip_ms(self, packet_bytes):
        return self.down.milliseconds_for(packet_bytes) + self.up.milliseconds_for(packet_bytes)

    def transfer_times(self, direction):
        """(warm-up, duration) of a TCP transfer, in seconds.

        In units of a round trip with a full queue: slow start, its overshoot and the recovery
        from it take some, and the window has to hold several periods of congestion control.
        """
        loaded = self.round_trip_ms(MTU) / 1000 + direction.queue_seconds
        warmup = min(max(3, 4 * loaded), 20)
        return warmup, warmup + min(max(8, 12 * loaded), 60)

    @property
    def drain_seconds(self):
        """After which silence means that nothing is under way any more."""
        slowest = max(direction.queue_seconds for _, direction in self.directions())
        return 2 + slowest + self.round_trip_ms(MTU) / 1000 + self.dns_delay_ms / 1000

    @property
    def seconds(self):
        """Roughly, for all measurements together."""
        probing = max(
            direction.probe_packets / direction.probe_rate for _, direction in self.directions())
        transfers = sum(
            self.transfer_times(direction)[1] for _, direction in self.directions())
        return 25 + probing + transfers + 4 * self.drain_seconds
