"""Traffic over a wire, by processes of its own."""

import os
import signal
import socket
import statistics
import sys
import time
from contextlib import contextmanager, suppress
from multiprocessing import RawValue
from pathlib import Path

from shared.wire import ADDRESSES, NEAR

sys.path.append(str(Path(__file__).resolve().parents[2] / "measure"))

from probes.namespaces import Companion, network_namespace  # noqa: E402


class ControlGroup:
    """A control group of version 2 for some sockets; where there are none, nothing."""

    def __init__(self, name):
        self.path = f"/{name}"
        roots = [Path("/sys/fs/cgroup", part) for part in ("", "unified")]
        self.root = next((root for root in roots if (root / "cgroup.procs").exists()), None)
        if self.root:
            self.root.joinpath(name).mkdir(exist_ok=True)

    @contextmanager
    def entered(self):
        """Sockets opened in here belong to the group for good."""
        if not self.root:
            yield
            return
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        former = next(line[3:] for line in lines if line.startswith("0::"))
        self.move_to(self.path)
        try:
            yield
        finally:
            self.move_to(former)

    def move_to(self, path):
        Path(f"{self.root}{path}", "cgroup.procs").write_text(str(os.getpid()))

    def close(self):
        if self.root:
            Path(f"{self.root}{self.path}").rmdir()


class Holder:
    """A process that has a name, and these sockets alone."""

    def __init__(self, name, sockets):
        self.process = Companion(lambda: self.hold(name, sockets))

    @staticmethod
    def hold(name, sockets):
        kept = {each.fileno() for each in sockets}
        for number in range(3, os.sysconf("SC_OPEN_MAX")):
            if number not in kept:
                with suppress(OSError):
                    os.close(number)
        Path("/proc/self/comm").write_text(name)
        while True:
            signal.pause()

    def close(self):
        self.process.kill()


@contextmanager
def acting_as(user):
    """Sockets opened in here belong to the user for good, whoever uses them."""
    former = os.geteuid()
    os.seteuid(former if user is None else user)
    try:
        yield
    finally:
        os.seteuid(former)


def open_socket(namespace, version, kind, address=None, user=None):
    with network_namespace(namespace), acting_as(user):
        opened = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6, kind)
    opened.settimeout(10)
    if address:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
    return opened


def use_processor(number):
    """Where the two ends of a connection run decides more than what is to be measured."""
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {processors[number % len(processors)]})


def processor_seconds(process):
    """The processor time of a process, as clock_getcpuclockid(3) names its clock."""
    return time.clock_gettime((~process << 3) | 2)


class Stream:
    """A TCP connection to the far end that sends as fast as it can, while it is let."""

    def __init__(self, wire, version, port):
        near, _, other = ADDRESSES[version]
        self.count = RawValue("Q")
        listener = open_socket(
            wire.names["far"], version, socket.SOCK_STREAM, (other, port))
        listener.listen()
        client = open_socket(wire.names["near"], version, socket.SOCK_STREAM, (near, port + 1))
        # BBR, which some hosts use, sizes what it sends by what it believes of the path: other runs
        # of one program then differ by a tenth.
        client.setsockopt(socket.SOL_TCP, socket.TCP_CONGESTION, b"reno")
        client.connect((other, port))
        server = listener.accept()[0]
        for end in (client, server):
            end.settimeout(None)
        self.processes = [Companion(lambda: self.receive(server)),
                          Companion(lambda: self.send(client))]
        self.pause()

    def receive(self, server):
        use_processor(1)
        buffer = bytearray(1 << 20)
        while True:
            self.count.value += server.recv_into(buffer)

    @staticmethod
    def send(client):
        use_processor(0)
        content = bytes(1 << 20)
        while True:
            client.sendall(content)

    def pause(self):
        os.kill(self.processes[1].pid, signal.SIGSTOP)

    def resume(self):
        os.kill(self.processes[1].pid, signal.SIGCONT)

    def rates(self, seconds):
        """Bits per second, and per second that processors work for its ends, which they do so long.
        """
        self.resume()
        time.sleep(0.05)
        before, busy = self.clocks(), 0
        while busy < seconds:
            time.sleep(seconds / 4)
            count, real, busy = (after - earlier for after, earlier in zip(self.clocks(), before))
        self.pause()
        return count * 8 / real, count * 8 / busy

    def clocks(self):
        return (self.count.value, time.perf_counter(),
                sum(processor_seconds(process.pid) for process in self.processes))

    def close(self):
        for process in self.processes:
            process.kill()


class Flood:
    """Datagrams to the far end, which drops them."""

    def __init__(self, wire, version, place, port):
        near, *far = ADDRESSES[version]
        # Never read, and so soon full.
        self.server = open_socket(
            wire.names["far"], version, socket.SOCK_DGRAM, (far[place - 1], port))
        self.client = open_socket(wire.names["near"], version, socket.SOCK_DGRAM, (near, port))
        self.client.connect((far[place - 1], port))

    def nanoseconds(self, count):
        """The processor time that a packet takes from one end to the other, which is spent by the
        sender; the median of some stretches, since other programs interrupt some of them."""
        times, content, send = [], bytes(64), self.client.send
        for _ in range(10):
            began = time.process_time_ns()
            for _ in range(count // 10):
                send(content)
            times.append((time.process_time_ns() - began) / (count // 10))
        return statistics.median(times)

    def close(self):
        self.client.close()
        self.server.close()


class Echo:
    """Datagrams to the far end, which come back."""

    def __init__(self, wire, version, place, port, user=None):
        far = (ADDRESSES[version][place], port)
        server = open_socket(wire.names["far"], version, socket.SOCK_DGRAM, far)
        server.settimeout(None)
        self.process = Companion(lambda: self.answer(server))
        self.client = open_socket(
            wire.names["near"], version, socket.SOCK_DGRAM, (ADDRESSES[version][NEAR], port + 1),
            user)
        self.client.connect(far)

    @staticmethod
    def answer(server):
        while True:
            server.sendto(*server.recvfrom(2000))

    def milliseconds(self, count):
        """The median of some round trips."""
        times = []
        for _ in range(count):
            began = time.perf_counter()
            self.client.send(bytes(100))
            self.client.recv(2000)
            times.append((time.perf_counter() - began) * 1000)
        return statistics.median(times)

    def close(self):
        self.process.kill()
