"""Runs inside the kernel lab: applies each profile between two namespaces and measures it."""

import re
import statistics
import subprocess
import sys
import time

from probes.namespaces import Companion, MeasurementError
from probes.tcp import tcp_goodput
from probes.udp import udp_probe

from .checks import (
    bandwidth_check, burst_check, check, delay_check, entry, failure, loss_check,
    reordering_check,
)
from .expectations import MTU, PING_BYTES, PROBE_BYTES, TCP_PAYLOAD

INTERFACE = "veth-app"
# Of single replies: late timers of the lab, four to a round trip, and ping's three digits.
PING_SLACK_MS = 0.5
ADDRESS = {
    ("app", 4): "10.77.0.1", ("server", 4): "10.77.0.2",
    ("app", 6): "fd77::1", ("server", 6): "fd77::2",
}
PREFIX = {4: 24, 6: 64}
# Towards the app is down.
SENDER = {"down": "server", "up": "app"}
RECEIVER = {"down": "app", "up": "server"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise MeasurementError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def make_namespaces():
    for namespace in ("app", "server"):
        run("ip", "netns", "add", namespace)
    run("ip", "link", "add", "name", INTERFACE, "netns", "app", "type", "veth",
        "peer", "name", "veth-server", "netns", "server")
    for namespace in ("app", "server"):
        run("ip", "-n", namespace, "link", "set", "lo", "up")
        run("ip", "-n", namespace, "link", "set", f"veth-{namespace}", "up")
        for version in (4, 6):
            address = f"{ADDRESS[namespace, version]}/{PREFIX[version]}"
            run("ip", "-n", namespace, "address", "add", address, "dev", f"veth-{namespace}",
                *(["nodad"] if version == 6 else []))


def network_state():
    """All that linkcond may touch in the app's namespace; counters and indexes left out."""
    links = re.sub(r"^\d+: ", "", run("ip", "-n", "app", "link", "show"), flags=re.MULTILINE)
    return links + "".join(
        run("tc", "-n", "app", *what, "dev", INTERFACE)
        for what in (("qdisc", "show"), ("filter", "show"),
                     ("filter", "show", "ingress"), ("filter", "show", "egress")))


class ProfileMeasurement:
    """One profile, applied and measured. `checks` has the outcome."""

    def __init__(self, linkcond, expectations, version):
        self.linkcond = linkcond
        self.expected = expectations
        self.version = version
        self.checks = []

    def run(self):
        before = network_state()
        try:
            self._linkcond("apply", self.expected.name, "-i", INTERFACE)
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
            if network_state() != before:
                raise MeasurementError("links, qdiscs or filters differ from before")
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
        self._ping_times(version, count=5, interval=0.2)
        times = self._ping_times(version, count=40 if jitter else 20, interval=0.2)
        if jitter:
            self.checks.append(delay_check(
                "RTT mean", f"v{version}", expected, statistics.mean(times), jitter, sample=40))
            return
        self.checks.append(delay_check("RTT min", f"v{version}", expected, min(times)))
        # Not the mean: a lab that had to wait for a processor once would be in it.
        self.checks.append(delay_check(
            "RTT p50", f"v{version}", expected, statistics.median(times), slack_ms=PING_SLACK_MS))

    def _ping_times(self, version, count, interval):
        command = (
            "ip", "netns", "exec", "app", "ping", "-n", "-c", str(count),
            "-i", str(interval), "-W", str(self.expected.drain_seconds),
            ADDRESS["server", version])
        # ping exits with 1 when a reply is missing, which some profiles want.
        output = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        times = [float(time) for time in re.findall(r" time=([\d.]+) ms", output)]
        if not times:
            raise MeasurementError(f"no reply to {count} pings")
        return times

    def _probe(self, name, direction, count=None, **options):
        version = options.pop("version", self.version)
        settings = {
            "packet_bytes": PROBE_BYTES, "packets_per_second": direction.probe_rate,
            "port": 5201, "drain": self.expected.drain_seconds, **options}
        return udp_probe(
            to=ADDRESS[RECEIVER[name], version], count=count or direction.probe_packets,
            sender_namespace=SENDER[name], receiver_namespace=RECEIVER[name], **settings)

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
            to=ADDRESS[RECEIVER[name], self.version], duration=duration, warmup=warmup,
            sender_namespace=SENDER[name], receiver_namespace=RECEIVER[name],
            buffer_bytes=self._buffer_bytes(direction), timeout=timeout)
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
        probe = self._probe(
            name, direction, count=max(100, int(10 * packets_per_second)),
            packets_per_second=packets_per_second, packet_bytes=MTU)
        offered = probe["sentPacketsPerSecond"] * direction.seconds_on_wire(MTU)
        if offered < 1.05:
            # The lab's processor, not the link, was the bottleneck.
            self.checks.append(entry(
                "bandwidth", name, direction.bandwidth, probe["receivedBitsPerSecond"], None,
                "bit/s", None, f"the sender offered only {offered:.0%} of it"))
            return
        self.checks.append(bandwidth_check(
            "bandwidth", name, direction.bandwidth, probe["receivedBitsPerSecond"],
            direction.loss))

    def _measure_blackhole(self):
        for name, direction in self.expected.directions():
            probe = self._probe(name, direction, count=500)
            self.checks.append(
                check("loss", name, direction.loss, probe["lossRatio"], 0, "ratio"))


def measure_profiles(linkcond, profiles, version):
    """Results in the shape of `linkcond verify --json`."""
    make_namespaces()
    results = []
    for expectations in profiles:
        checks = ProfileMeasurement(linkcond, expectations, version).run()
        results.append({
            "profile": expectations.name,
            "pass": all(outcome["pass"] is not False for outcome in checks),
            "checks": checks,
        })
    return results
