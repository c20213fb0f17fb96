"""Three namespaces in a row, and what can join the two interfaces of the middle one."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager

from shared.processes import read_until_ready, run, started


class Loop:
    """A running packet loop: the engine without the sandbox around it."""

    def __init__(self, process):
        self.process = process

    def statistics(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def usage(self):
        """The processor seconds that its threads have used, the kernel's work on their behalf
        included, and their page faults."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return ((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
                int(fields[7]) + int(fields[9]))


class Network:
    APP = "198.51.100.1"
    FAR = "198.51.100.2"

    def __init__(self, probe, is_preferred):
        self.probe_program = probe
        # Without this capability its threads wait for their turn, as an ordinary user's do.
        self.limits = [] if is_preferred else ["setpriv", "--bounding-set", "-sys_nice"]
        self.names = {place: f"lcbench-{place}-{os.getpid()}" for place in ("app", "link", "far")}

    @classmethod
    @contextmanager
    def made(cls, probe, is_preferred=True):
        network = cls(probe, is_preferred)
        try:
            network.build()
            yield network
        finally:
            for name in network.names.values():
                subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def inside(self, place):
        return ["ip", "netns", "exec", self.names[place]]

    def build(self):
        for name in self.names.values():
            run(["ip", "netns", "add", name])
        run([*self.inside("link"), "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1"])
        # A bridge that passes all it carries by netfilter would be an easy one to compare with.
        run([*self.inside("link"), "sh", "-c",
             "for f in /proc/sys/net/bridge/bridge-nf-call-*; do"
             " [ ! -e $f ] || echo 0 >$f; done"])
        for place, address in (("app", self.APP), ("far", self.FAR)):
            run(["ip", "link", "add", "eth0", "netns", self.names[place], "type", "veth",
                 "peer", "name", place, "netns", self.names["link"]])
            run(["ip", "-n", self.names["link"], "link", "set", place, "up"])
            run([*self.inside(place), "sysctl", "-qw", "net.ipv6.conf.eth0.disable_ipv6=1"])
            run(["ip", "-n", self.names[place], "addr", "add", address + "/24", "dev", "eth0"])
            run(["ip", "-n", self.names[place], "link", "set", "eth0", "up"])

    def allow_forwarding(self, place):
        run([*self.inside(place), "sysctl", "-qw", "net.ipv4.ip_forward=1"])

    def set_offloads(self, on):
        state = "on" if on else "off"
        for place in ("app", "far"):
            run([*self.inside(place), "ethtool", "-K", "eth0",
                 "tx", state, "sg", state, "tso", state, "gso", state])

    @contextmanager
    def bridge(self):
        namespace = self.names["link"]
        run(["ip", "-n", namespace, "link", "add", "br0", "type", "bridge"])
        for name in ("app", "far"):
            run(["ip", "-n", namespace, "link", "set", name, "master", "br0"])
        run(["ip", "-n", namespace, "link", "set", "br0", "up"])
        try:
            yield
        finally:
            run(["ip", "-n", namespace, "link", "del", "br0"])

    @contextmanager
    def loop(self, settings):
        with started([*self.inside("link"), *self.limits, self.probe_program, "join", "app",
                      "far", 1, settings]) as process:
            read_until_ready(process)
            yield Loop(process)

    @contextmanager
    def iperf_server(self, place):
        with started([*self.inside(place), "iperf3", "-s", "-1", "--forceflush"]) as process:
            while "listening" not in (line := process.stdout.readline()):
                if not line:
                    sys.exit("bench: iperf3 does not start")
            yield

    def counts(self):
        """What the kernel counted at both ends so far."""
        counted = {}
        for place, name, direction in (("app", "app sent", "tx"), ("far", "far received", "rx")):
            shown = run(["ip", "-n", self.names[place], "-j", "-s", "link", "show", "dev", "eth0"])
            counted[name] = json.loads(shown)[0]["stats64"][direction]["packets"]
        return counted

    def probe(self, rate, seconds):
        """Sends from the app for some time; returns what was heard, and how many were sent."""
        listen = [*self.inside("far"), self.probe_program, "listen", "eth0", seconds + 1]
        with started(listen) as listener:
            read_until_ready(listener)
            sent = run(
                [*self.inside("app"), self.probe_program, "send", "eth0", rate, seconds, 64])
            return json.loads(listener.stdout.read()), int(sent)

    def sleeper(self, rate, seconds):
        """A thread that only sleeps, and wakes up as often as the engine has to: how late it is, and
        what it takes of a processor each time."""
        # More often than that nothing sleeps.
        rate = min(rate, 10_000)
        return json.loads(run([*self.limits, self.probe_program, "sleep", rate, seconds]))
