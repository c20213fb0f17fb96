"""Ways from a sandbox to the host, each with an agent inside, and what they cost."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from shared.processes import run

AGENT = Path(__file__).with_name("agent.py").read_text(encoding="utf-8")
HOST, WIRE, OUTSIDE = "192.0.2.1", "198.51.100", "203.0.113"
# Where everybody may read and execute what the bench needs.
MARK = "LINKCOND_BENCH_AGENT"


class Uplink:
    def __init__(self, name, process, host):
        self.name, self.process, self.host = name, process, host
        if (word := self.read()) != "ready":
            sys.exit(f"bench uplink: {name} said {word!r} and not ready")

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"bench uplink: {self.name} ended")
        return json.loads(line)

    def ask(self, order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self.read()

    def run(self, *command):
        """What a command inside prints."""
        answer = self.ask([str(part) for part in command])
        if answer["code"] != 0:
            raise RuntimeError(f"{command[0]} by {self.name}: "
                               f"{(answer['errors'] or answer['output']).strip()[-300:]}")
        return answer["output"]

    def processor_seconds(self, beside=()):
        """What all its processes have used, the kernel's work on their behalf included, without
        the agent and what that runs."""
        parents, times, agents = {}, {}, set()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if MARK.encode() in (entry / "cmdline").read_bytes().split(b"\0")[-2:-1]:
                    agents.add(int(entry.name))
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            times[int(entry.name)] = int(fields[11]) + int(fields[12])
        children = {}
        for process, parent in parents.items():
            children.setdefault(parent, []).append(process)
        # linkcond and pasta show the words of the agent as their own last ones, too.
        innermost = {process for process in agents
                     if not any(child in agents for child in children.get(process, []))}
        todo, total = [self.process.pid, *beside], 0
        while todo:
            process = todo.pop()
            if process in innermost:
                continue
            total += times.get(process, 0)
            todo += children.get(process, [])
        return total / os.sysconf("SC_CLK_TCK")


# The system's, since another one may be where only its owner may look.
PYTHON = next(path for path in ("/usr/bin/python3", sys.executable) if os.path.exists(path))
AGENT_COMMAND = [PYTHON, "-c", AGENT, MARK]


@contextmanager
def agent(name, command, host, **options):
    process = subprocess.Popen(
        [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        **options)
    try:
        yield Uplink(name, process, host)
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def make_host():
    """This namespace as a host: a loopback, and a way to the rest of the world, which pasta wants."""
    run(["mount", "--make-rprivate", "/"])
    # What is named there otherwise stays on the machine, whose directory it is.
    os.makedirs("/run/netns", exist_ok=True)
    run(["mount", "-t", "tmpfs", "none", "/run/netns"])
    run(["ip", "link", "set", "lo", "up"])
    run(["ip", "netns", "add", "lcbench-outside"])
    run(["ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns",
         "lcbench-outside"])
    run(["ip", "address", "add", f"{OUTSIDE}.2/24", "dev", "eth0"])
    run(["ip", "link", "set", "eth0", "up"])
    run(["ip", "-n", "lcbench-outside", "address", "add", f"{OUTSIDE}.1/24", "dev", "eth0"])
    run(["ip", "-n", "lcbench-outside", "link", "set", "eth0", "up"])
    run(["ip", "route", "add", "default", "via", f"{OUTSIDE}.1"])


def allow_tunnels(directory):
    """pasta and slirp4netns need the device, which some hosts keep to root."""
    path = os.path.join(directory, "tun")
    run(["mknod", "-m", "666", path, "c", 10, 200])
    run(["mount", "--bind", path, "/dev/net/tun"])


def linkcond(program, user, *options):
    @contextmanager
    def opened():
        command = [program, "run", "Baseline", "--quiet", "--uplink", "relay", *options, "--",
                   *AGENT_COMMAND]
        with agent("linkcond", command, "host.linkcond", **user) as uplink:
            yield uplink
    return opened


def pasta(user):
    @contextmanager
    def opened():
        command = ["pasta", "--config-net", "--quiet", "-t", "none", "-u", "none", "-T", "none",
                   "-U", "none", "--", *AGENT_COMMAND]
        with agent("pasta", command, f"{OUTSIDE}.1", **user) as uplink:
            yield uplink
    return opened


def slirp(user):
    @contextmanager
    def opened():
        # The agent waits for the program that connects it.
        script = 'echo $$ >&2; while ! ip -o link show tap0 2>/dev/null | grep -q ,UP; ' \
                 'do sleep 0.02; done; exec "$@"'
        inner = ["unshare", "--map-root-user", "--net", "sh", "-c", script, "sh", *AGENT_COMMAND]
        options = {**user, "stderr": subprocess.PIPE}
        process = subprocess.Popen(
            inner, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
        process_id = process.stderr.readline().strip()
        helper = subprocess.Popen(
            ["slirp4netns", "--configure", "--mtu=65520", process_id, "tap0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
        try:
            uplink = Uplink("slirp4netns", process, "10.0.2.2")
            uplink.processor_seconds = lambda: Uplink.processor_seconds(uplink, [helper.pid])
            time.sleep(0.2)
            yield uplink
        finally:
            for part in (helper, process):
                part.kill()
                part.wait()
    return opened


def veth():
    @contextmanager
    def opened():
        name = "lcbench-veth"
        run(["ip", "netns", "add", name])
        run(["ip", "link", "add", "lcbench", "type", "veth", "peer", "name", "eth0", "netns", name])
        try:
            for namespace, interface, end in ((None, "lcbench", 1), (name, "eth0", 2)):
                ip = ["ip", *(["-n", namespace] if namespace else [])]
                run([*ip, "address", "add", f"{WIRE}.{end}/24", "dev", interface])
                run([*ip, "link", "set", interface, "up"])
            run(["ip", "-n", name, "link", "set", "lo", "up"])
            command = ["ip", "netns", "exec", name, *AGENT_COMMAND]
            with agent("veth", command, f"{WIRE}.1") as uplink:
                yield uplink
        finally:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
            subprocess.run(["ip", "link", "del", "lcbench"], capture_output=True)
    return opened
