#!/usr/bin/env python3
"""Runs a command while packets go both ways between two network namespaces; prints what came.

usage: churn.py APP APP-ADDRESS SERVER SERVER-ADDRESS COMMAND...

Numbered datagrams go each way, and a TCP connection carries known bytes each way, until COMMAND,
which is run in APP, has ended. Prints JSON: the command's "exitCode" and "errors"; for each way of
the "datagrams" how many were "sent", "received", "duplicates" and "reordered"; for each way of the
"streams" how many "bytes" came, and whether they were right ("isIntact").
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Scripts/measure"))
sys.dont_write_bytecode = True

from probes.namespaces import network_namespace  # noqa: E402

SO_MAX_PACING_RATE = 47
DATAGRAMS_PER_SECOND = 400
BYTES_PER_SECOND = 1_000_000
UDP_PORT, TCP_PORT = 5001, 5002
# No two parts of it are alike: 32 KiB of numbers.
PATTERN = b"".join(number.to_bytes(4, "big") for number in range(1 << 13))
# How long what is under way may take to come.
DRAIN = 2


def open_socket(namespace, address, kind):
    with network_namespace(namespace):
        opened = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    opened.settimeout(30)
    return opened


def in_background(work, *arguments):
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


class Datagrams:
    def __init__(self, sender, receiver, target, has_ended):
        self.found = {"sent": 0, "received": 0, "duplicates": 0, "reordered": 0}
        self.has_ended = has_ended
        self.threads = [in_background(self.send, sender, target),
                        in_background(self.receive, receiver)]

    def send(self, sender, target):
        while not self.has_ended.is_set():
            sender.sendto(self.found["sent"].to_bytes(8, "big") + bytes(92), target)
            self.found["sent"] += 1
            time.sleep(1 / DATAGRAMS_PER_SECOND)

    def receive(self, receiver):
        receiver.settimeout(0.5)
        seen, highest, end = set(), -1, None
        while end is None or time.monotonic() < end:
            if end is None and self.has_ended.is_set():
                end = time.monotonic() + DRAIN
            try:
                number = int.from_bytes(receiver.recv(200)[:8], "big")
            except TimeoutError:
                continue
            self.found["duplicates"] += number in seen
            self.found["reordered"] += number < highest
            self.found["received"] += number not in seen
            seen.add(number)
            highest = max(highest, number)


class Stream:
    """One direction of a TCP connection."""

    def __init__(self, sender, receiver, has_ended):
        self.bytes, self.is_intact = 0, True
        self.has_ended = has_ended
        sender.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, BYTES_PER_SECOND)
        # BBR, where it is the default, may take minutes to send the rest after so many losses.
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
        self.threads = [in_background(self.send, sender), in_background(self.receive, receiver)]

    def send(self, sender):
        sender.settimeout(60)
        while not self.has_ended.is_set():
            sender.sendall(PATTERN)
        sender.shutdown(socket.SHUT_WR)

    def receive(self, receiver):
        receiver.settimeout(60)
        while data := receiver.recv(len(PATTERN)):
            place = self.bytes % len(PATTERN)
            self.is_intact &= (PATTERN * 2)[place:place + len(data)] == data
            self.bytes += len(data)


def main():
    app, app_address, server, server_address, *command = sys.argv[1:]
    has_ended = threading.Event()
    ends = {}
    for name, address in ((app, app_address), (server, server_address)):
        ends[name] = open_socket(name, address, socket.SOCK_DGRAM)
        ends[name].bind((address, UDP_PORT))
    listener = open_socket(server, server_address, socket.SOCK_STREAM)
    listener.bind((server_address, TCP_PORT))
    listener.listen()
    client = open_socket(app, app_address, socket.SOCK_STREAM)
    client.connect((server_address, TCP_PORT))
    accepted = listener.accept()[0]
    datagrams = {
        "up": Datagrams(ends[app], ends[server], (server_address, UDP_PORT), has_ended),
        "down": Datagrams(ends[server], ends[app], (app_address, UDP_PORT), has_ended)}
    streams = {"up": Stream(client, accepted, has_ended),
               "down": Stream(accepted, client, has_ended)}
    done = subprocess.run(
        ["ip", "netns", "exec", app, *command], capture_output=True, text=True,
        stdin=subprocess.DEVNULL)
    has_ended.set()
    for traffic in (*datagrams.values(), *streams.values()):
        for thread in traffic.threads:
            thread.join()
    print(json.dumps({
        "exitCode": done.returncode, "errors": done.stderr,
        "datagrams": {way: one.found for way, one in datagrams.items()},
        "streams": {way: {"bytes": one.bytes, "isIntact": one.is_intact}
                    for way, one in streams.items()}}))


main()
