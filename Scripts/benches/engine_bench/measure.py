"""The measurements: in turns, so that what else the machine does meets all of them alike."""

import json
import os
import resource
import statistics
import time

from engine_bench import calls, mahimahi
from engine_bench.network import Network
from shared.machine import busy_share_since, ticks, wait_until_idle
from shared.processes import run

UNLIMITED = ""
# Packets are on the link one by one, and those that are due when the thread looks leave together.
SEGMENTING = "up.bandwidth=1000 Gbit/s;down.bandwidth=1000 Gbit/s"
DELAYED = "up.delay=5 ms; down.delay=5 ms"
GIGABIT = "; ".join(f"{way}.bandwidth=1 Gbit/s; {way}.delay=5 ms" for way in ("up", "down"))
RATES = (1000, 10_000, 100_000)
# Bits per second of UDP; the latter is all that a sender can.
DATAGRAM_RATES = {"at 2 Gbit/s": "2G", "without limit": "0"}


def measure_throughput(network, repeat, seconds, patience):
    """Gigabits per second of one TCP connection, and the use of all processors meanwhile, both ends
    included: one figure for each round."""
    rates, shares = {}, {}
    for _ in range(repeat):
        wait_until_idle(patience)
        for offloads in (True, False):
            suffix = "" if offloads else ", no offload"
            network.set_offloads(offloads)
            for name, middle in middles(network):
                with middle:
                    rate, share = tcp(network, seconds)
                rates.setdefault(name + suffix, []).append(rate)
                shares.setdefault(name + suffix, []).append(share)
        network.set_offloads(True)
        for name, shell in mahimahi.shells().items():
            rates.setdefault(name, []).append(mahimahi.throughput(network, shell, seconds))
    return {"gigabitsPerSecond": rates, "busyShare": shares, "copiesSeconds": copies_seconds()}


def copies_seconds():
    """Seconds that a processor takes at least to copy a gigabyte twice, as whoever reads packets and
    sends them does: in portions of a super-packet, from more memory than a processor's cache has."""
    portion, count = 64 << 10, 1024
    source, target = (memoryview(bytearray(portion * count)) for _ in range(2))
    packet = memoryview(bytearray(portion))
    source[:], target[:] = target, source
    times = []
    for _ in range(10):
        begin = time.process_time()
        for at in range(0, portion * count, portion):
            packet[:] = source[at:at + portion]
            target[at:at + portion] = packet
        times.append(time.process_time() - begin)
    return min(times) / (portion * count) * 1e9


def most_of_bridge(figures):
    """What of a bridge's throughput the processors could carry if each byte were copied twice more."""
    rate = statistics.median(figures["gigabitsPerSecond"]["bridge"]) / 8
    share = statistics.median(figures["busyShare"]["bridge"])
    return min(1, 1 / (share + rate * figures["copiesSeconds"] / os.cpu_count()))


def median_ratio(values, others):
    """The median of what the ratio was in each round, since rounds meet different machines."""
    return statistics.median(value / other for value, other in zip(values, others))


def middles(network):
    yield "bridge", network.bridge()
    yield "engine", network.loop(UNLIMITED)
    yield "engine segmenting", network.loop(SEGMENTING)


def tcp(network, seconds):
    before = ticks()
    end = iperf(network, seconds)
    return end["sum_received"]["bits_per_second"] / 1e9, busy_share_since(before)


def iperf(network, seconds, *arguments):
    """What a client on the app's side says at the end of the traffic that it sends."""
    with network.iperf_server("far"):
        done = run([*network.inside("app"), "iperf3", "-c", Network.FAR, "-t", seconds, "-J",
                    *arguments])
    return json.loads(done)["end"]


def measure_flood(network, repeat, seconds, patience):
    """Packets of 64 bytes as fast as one sender can: how many arrive per second, medians; and the
    ratio to what a bridge passes on."""
    figures = {}
    for _ in range(repeat):
        wait_until_idle(patience)
        for name, middle in middles(network):
            with middle:
                heard, sent = network.probe(0, seconds)
                figures.setdefault(name, []).append(
                    (heard["packetsPerSecond"], heard["packets"] / sent))
    rates = {name: [rate for rate, _ in values] for name, values in figures.items()}
    return {
        name: {"perSecond": statistics.median(rates[name]),
               "arrivedShare": statistics.median(share for _, share in values),
               "ofBridge": median_ratio(rates[name], rates["bridge"])}
        for name, values in figures.items()}


def measure_datagrams(network, repeat, seconds, patience):
    """UDP datagrams of 1,200 bytes between two programs, of which the receiver needs a processor, too:
    how many arrive per second, how many are lost, medians; and the ratio to what a bridge passes on."""
    figures = {}
    for _ in range(repeat):
        wait_until_idle(patience)
        for rate_name, rate in DATAGRAM_RATES.items():
            for name in ("bridge", "engine"):
                with network.bridge() if name == "bridge" else network.loop(DELAYED):
                    result = iperf(network, seconds, "-u", "-b", rate, "-l", 1200)["sum"]
                arrived = result["packets"] - result["lost_packets"]
                figures.setdefault(rate_name, {}).setdefault(name, []).append(
                    (arrived / result["seconds"], result["lost_packets"] / result["packets"]))
    return {
        rate_name: {
            "perSecond": {name: statistics.median(rate for rate, _ in values)
                          for name, values in found.items()},
            "lostShare": {name: statistics.median(lost for _, lost in values)
                          for name, values in found.items()},
            "ofBridge": median_ratio(*([rate for rate, _ in found[name]]
                                       for name in ("engine", "bridge")))}
        for rate_name, found in figures.items()}


def measure_busy(network, repeat, seconds, patience):
    """A link that has so many packets that the engine seldom sleeps, between ends that want the
    processors, too: what of the link TCP gets, and how late packets are. Medians."""
    runs = []
    for _ in range(repeat):
        wait_until_idle(patience)
        with network.loop(GIGABIT) as loop:
            rate, share = tcp(network, seconds)
            late = loop.statistics()["up"]["lateMicroseconds"]
        runs.append({"gigabitsPerSecond": rate, "busyShare": share, "late": late})
    return {key: combined(key, [run[key] for run in runs]) for key in runs[0]}


def measure_delay(network, repeat, seconds, patience):
    """How late packets arrive, and what the processors spend on each: medians, worst maximum."""
    figures = {}
    for rate in RATES:
        runs = []
        for _ in range(repeat):
            wait_until_idle(patience)
            with network.bridge():
                heard, _, ends = counted_probe(network, rate, seconds)
            run = delay_run(network, rate, seconds)
            added = run["processorMicroseconds"] + run.pop("endsMicroseconds") - ends
            runs.append({"bridge": heard["delayMicroseconds"], **run,
                         "addedMicroseconds": added, "sleeper": network.sleeper(rate, seconds)})
        figures[rate] = {
            key: combined(key, [run[key] for run in runs]) for key in runs[0]}
    return figures


def counted_probe(network, rate, seconds):
    """What was heard, how many were sent, and the microseconds of processor time that sender and
    receiver needed for a packet. The kernel works on a packet in the name of whoever sends it, and wakes its receiver
    at that one's expense."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    heard, sent = network.probe(rate, seconds)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return heard, sent, spent / max(1, heard["packets"]) * 1e6


def delay_run(network, rate, seconds):
    with network.loop("up.delay=10 ms") as loop:
        # Its memory is used for the first time here, and not in what counts.
        network.probe(rate, 1)
        before = loop.usage()
        heard, sent, ends = counted_probe(network, rate, seconds)
        spent, faults = (after - earlier for after, earlier in zip(loop.usage(), before))
        late = loop.statistics()["up"]["lateMicroseconds"]
    return {
        "rate": heard["packetsPerSecond"],
        "lostShare": 1 - heard["packets"] / sent,
        "error": {key: value - 10_000 for key, value in heard["delayMicroseconds"].items()},
        # From the schedule until the system call that sends has returned, which the loop knows.
        "late": late,
        "processorMicroseconds": spent / max(1, heard["packets"]) * 1e6,
        "endsMicroseconds": ends,
        "pageFaults": faults}


def measure_calls(network, _repeat, seconds, patience):
    """What the engine asks others for on a packet's way: memory, and the processor while another
    thread holds a lock."""
    wait_until_idle(patience)
    with calls.point(network.probe_program) as obstacle:
        if obstacle:
            return {"obstacle": obstacle}
        return {rate: calls_run(network, rate, seconds) for rate in RATES}


def calls_run(network, rate, seconds):
    with network.loop("up.delay=10 ms") as loop:
        # A delay of the engine makes it keep more packets than ever before.
        network.probe(rate, 1)
        with calls.counted(loop.process.pid) as counted:
            heard, _ = network.probe(rate, seconds)
    return {"packets": heard["packets"], "allocations": counted.allocations,
            "waits": counted.waits}


def combined(name, values):
    if isinstance(values[0], dict):
        return {key: combined(key, [value[key] for value in values]) for key in values[0]}
    return max(values) if name == "max" else statistics.median(values)
