"""Applies each profile to an interface and measures it. Runs inside the kernel lab, or beside it."""

import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from probes.namespaces import Companion, MeasurementError
from probes.tcp import tcp_goodput
from probes.udp import udp_probe

from .checks import (
    bandwidth_check, burst_check, check, delay_check, entry, failure, loss_check,
    reordering_check,
)
from .expectations import MTU, PING_BYTES, PROBE_BYTES, TCP_PAYLOAD
from .networks import run

# Of single replies: late timers of the lab, four to a round trip, and ping's three digits.
PING_SLACK_MS = 0.5


def congestion_control():
    """One that fills the link, whatever the host's default: BBR would now and then leave it idle
    for a round trip, which is long on some of them."""
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    return "cubic" if "cubic" in available else "reno"


class ProfileMeasurement:
    """One profile, applied and measured. `checks` has the outcome."""

    def __init__(self, linkcond, network, backend, expectations, version):
        self.linkcond = linkcond
        self.network = network
        self.backend = backend
        self.expected = expectations
        self.version = version
        self.checks = []

    def run(self):
        before = self.network.state()
        try:
            self._linkcond(
                "apply", self.expected.name, "-i", self.network.interface,
                "--backend", self.backend)
            self._measure()
        except MeasurementError as error:
            self.checks.append(failure("apply", "", str(error)))
        self._clear(before)
        return self.checks

    def _linkcond(self, *arguments):
        run("ip", "netns", "exec", "app", self.linkcond, *arguments)

    def _clear(self, before):
        try:
            self._linkcond("clear", "--all")
            if self.network.state() != before:
                raise MeasurementError("links, qdiscs, filters or settings differ from before")
            self.checks.append(entry("restored", "", None, None, None, "", True))
        except MeasurementError as error:
            self.checks.append(failure("restored", "", str(error)))

    def _measure(self):
        if self.expected.is_blackhole:
            self._measure_blackhole()
            return
        for version in (4, 6):
            self._attempt("RTT", f"v{version}", self._ping, version)
        self._attempt("loss", "both", self._probe_both_directions)
        if self.expected.dns_delay_ms:
            for version in (4, 6):
                self._attempt("DNS delay", f"v{version}", self._probe_dns, version)
        for name, direction in self.expected.directions():
            self._attempt("goodput", name, self._transfer, name, direction)

    def _attempt(self, quantity, direction, measure, *arguments):
        print(f"{self.expected.name}: {quantity} {direction}", file=sys.stderr, flush=True)
        try:
            measure(*arguments)
        except MeasurementError as error:
            self.checks.append(failure(quantity, direction, str(error)))

    def _ping(self, version):
        expected = self.expected.round_trip_ms(PING_BYTES[version])
        jitter = self.expected.down.jitter_ms + self.expected.up.jitter_ms
        # Lets neighbour discovery happen first; its answer may be lost on a lossy link.
        self._ping_times(version, count=5, interval=0.2, may_fail=True)
        times = self._ping_times(version, count=40 if jitter else 20, interval=0.2)
        if jitter:
            self.checks.append(delay_check(
                "RTT mean", f"v{version}", expected, statistics.mean(times), jitter, sample=40))
            return
        self.checks.append(delay_check("RTT min", f"v{version}", expected, min(times)))
        # Not the mean: a lab that had to wait for a processor once would be in it.
        self.checks.append(delay_check(
            "RTT p50", f"v{version}", expected, statistics.median(times), slack_ms=PING_SLACK_MS))

    def _ping_times(self, version, count, interval, may_fail=False):
        command = (
            "ip", "netns", "exec", "app", "ping", "-n", "-c", str(count),
            "-i", str(interval), "-W", str(self.expected.drain_seconds),
            self.network.server_address(version))
        # ping exits with 1 when a reply is missing, which some profiles want.
        output = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        times = [float(time) for time in re.findall(r" time=([\d.]+) ms", output)]
        if not times and not may_fail:
            raise MeasurementError(f"no reply to {count} pings")
        return times

    def _probe(self, name, direction, count=None, **options):
        version = options.pop("version", self.version)
        way = self.network.way(name, version, options.pop("port", 5201))
        settings = {
            "packet_bytes": PROBE_BYTES, "packets_per_second": direction.probe_rate,
            "drain": self.expected.drain_seconds, **options}
        return udp_probe(count=count or direction.probe_packets, **way, **settings)

    def _probe_both_directions(self):
        up = Companion(lambda: self._probe("up", self.expected.up, port=5202))
        down = self._probe("down", self.expected.down)
        for name, probe in (("down", down), ("up", up.result())):
            direction = getattr(self.expected, name)
            self.checks.append(delay_check(
                "delay p50", name, direction.milliseconds_for(PROBE_BYTES),
                probe["delayMilliseconds"]["p50"], direction.jitter_ms, probe["received"]))
            self.checks.append(loss_check(name, direction, probe))
            if direction.loss:
                self.checks.append(burst_check(name, direction, probe))
            self.checks.append(reordering_check(name, direction, probe))

    def _probe_dns(self, version):
        up = self.expected.up
        probe = self._probe(
            "up", up, count=20, version=version, port=53,
            packets_per_second=min(5, up.probe_rate))
        expected = up.milliseconds_for(PROBE_BYTES) + self.expected.dns_delay_ms
        measured = (probe["delayMilliseconds"] or {}).get("p50")
        self.checks.append(
            delay_check("DNS delay p50", f"up v{version}", expected, measured, up.jitter_ms, 20))

    def _transfer(self, name, direction):
        if self.expected.down.loss or self.expected.up.loss:
            self._transfer_despite_loss(name, direction)
            return
        goodput = self._goodput(name, direction, timeout=60)
        if direction.bandwidth is None:
            self.checks.append(entry("goodput", name, None, goodput, None, "bit/s", None))
            return
        expected = direction.bandwidth * TCP_PAYLOAD[self.version] / MTU
        self.checks.append(bandwidth_check("goodput", name, expected, goodput))

    def _goodput(self, name, direction, timeout):
        warmup, duration = self.expected.transfer_times(direction)
        result = tcp_goodput(
            **self.network.way(name, self.version, 5201), duration=duration, warmup=warmup,
            buffer_bytes=self._buffer_bytes(direction), timeout=timeout,
            congestion_control=congestion_control())
        time.sleep(self.expected.drain_seconds)
        return result["goodputBitsPerSecond"]

    def _transfer_despite_loss(self, name, direction):
        """What congestion control makes of loss is told, but says nothing about the bandwidth.

        It may well be nothing at all: a loss burst lasts for a number of packets, and a sender
        that backs off sends ever fewer of them.
        """
        try:
            goodput, note = self._goodput(name, direction, timeout=20), None
        except MeasurementError as error:
            goodput, note = None, str(error)
        self.checks.append(entry("goodput", name, None, goodput, None, "bit/s", None, note))
        if direction.bandwidth is not None:
            self._saturate(name, direction)

    def _buffer_bytes(self, direction):
        """Where the kernel's own limits would hold a connection back, or None."""
        if direction.bandwidth is None:
            return None
        loaded = self.expected.round_trip_ms(MTU) / 1000 + direction.queue_seconds
        in_flight = direction.bandwidth / 8 * loaded
        return int(4 * in_flight) if in_flight > 1.5e6 else None

    def _saturate(self, name, direction):
        packets_per_second = 1.2 / direction.seconds_on_wire(MTU) / (1 - direction.loss)
        count = max(100, int(10 * packets_per_second))
        probe = self._probe(
            name, direction, count=count, packets_per_second=packets_per_second,
            packet_bytes=MTU)
        offered = probe["sentPacketsPerSecond"] * direction.seconds_on_wire(MTU)
        if offered < 1.05:
            # The lab's processor, not the link, was the bottleneck.
            self.checks.append(entry(
                "bandwidth", name, direction.bandwidth, probe["receivedBitsPerSecond"], None,
                "bit/s", None, f"the sender offered only {offered:.0%} of it"))
            return
        self.checks.append(bandwidth_check(
            "bandwidth", name, direction.bandwidth, probe["receivedBitsPerSecond"],
            direction.loss, count, direction.loss_correlation))

    def _measure_blackhole(self):
        for name, direction in self.expected.directions():
            probe = self._probe(name, direction, count=500)
            self.checks.append(
                check("loss", name, direction.loss, probe["lossRatio"], 0, "ratio"))


def measure_profiles(linkcond, network, backend, profiles, version):
    """Results in the shape of `linkcond verify --json`."""
    network.make()
    results = []
    for expectations in profiles:
        checks = ProfileMeasurement(linkcond, network, backend, expectations, version).run()
        results.append({
            "profile": expectations.name,
            "pass": all(outcome["pass"] is not False for outcome in checks),
            "checks": checks,
        })
    return results
