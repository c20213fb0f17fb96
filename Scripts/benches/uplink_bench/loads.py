"""The loads, each a function of an uplink that returns figures by name."""

import json
import re
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from shared.processes import run

IPERF, WEB, PING = 5201, 8080, 11111
# What is offered of UDP, in datagrams that cross every uplink whole.
OFFERED = "500M"
DATAGRAM = 1400


@contextmanager
def servers(directory):
    """The servers of all loads, on the host."""
    program = str(Path(directory) / "server")
    run(["cc", "-O2", "-o", program, Path(__file__).with_name("server.c")])
    commands = [
        ["iperf3", "-s", "-p", IPERF], [program, WEB],
        ["sockperf", "server", "--tcp", "-i", "0.0.0.0", "-p", PING]]
    processes = [
        subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for command in commands]
    try:
        wait_for_ports([IPERF, WEB, PING])
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def wait_for_ports(ports):
    for _ in range(500):
        listening = run(["ss", "-Htln"])
        if all(f":{port} " in listening for port in ports):
            return
        time.sleep(0.01)
    raise RuntimeError(f"nothing listens on one of the ports {ports}")


def iperf(uplink, seconds, *options):
    return json.loads(uplink.run(
        "iperf3", "-c", uplink.host, "-p", IPERF, "-t", seconds, "-J", *options))["end"]


def bulk(uplink, seconds):
    """TCP, and what the uplink spends on it."""
    figures = {}
    for way, option in (("up", []), ("down", ["-R"])):
        for count in (1, 8):
            before = uplink.processor_seconds()
            end = iperf(uplink, seconds, "-P", count, *option)
            spent = uplink.processor_seconds() - before
            received = end["sum_received"]
            figures[f"TCP {way}, {count} stream{'s' * (count > 1)}"] = (
                received["bits_per_second"] / 1e9)
            if count == 1:
                figures[f"processor time, TCP {way}"] = spent / (received["bytes"] / 1e9)
    return figures


def datagrams(uplink, seconds):
    figures = {}
    for way, option in (("up", []), ("down", ["-R"])):
        for offered, share in ((OFFERED, "of 0.5 Gbit/s"), (0, "of all there is")):
            # What is still on its way at the end has neither arrived nor is it lost.
            end = iperf(uplink, seconds, "-u", "-b", offered, "-l", DATAGRAM, *option)
            received = end["sum_received"]
            figures[f"UDP {way}, {share}"] = received["bits_per_second"] / 1e9
            if offered:
                figures[f"UDP {way}, lost"] = received["lost_percent"] / 100
    return figures


def connections(uplink, seconds):
    """One request on each connection."""
    printed = uplink.run(
        "wrk", "-t", 1, "-c", 32, "-d", f"{max(1, round(seconds))}s", "-H", "Connection: close",
        f"http://{uplink.host}:{WEB}/")
    return {"connections": float(re.search(r"Requests/sec:\s*([\d.]+)", printed)[1])}


def latency(uplink, seconds):
    """Half a round trip is what sockperf prints."""
    printed = uplink.run(
        "sockperf", "ping-pong", "--tcp", "-i", address_of(uplink), "-p", PING, "-t",
        max(1, round(seconds)), "--msg-size", 64)
    found = {share: float(value) for share, value in re.findall(
        r"percentile (\d+\.\d+) =\s*([\d.]+)", printed)}
    return {"round trip, p50": 2 * found["50.000"], "round trip, p99": 2 * found["99.000"]}


def address_of(uplink):
    """sockperf knows no names."""
    if uplink.host[0].isdigit():
        return uplink.host
    return uplink.run("getent", "ahostsv4", uplink.host).split()[0]


def open_connections(uplink, count):
    answer = uplink.ask({"open": count, "host": uplink.host, "port": WEB})
    return {"open connections": answer["answered"]}
