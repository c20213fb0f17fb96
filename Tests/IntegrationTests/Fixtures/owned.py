"""Round trips over sockets of this process, in a network namespace whose interface is conditioned.

Usage: owned.py LINKCOND NAMESPACE FAR NEAR OPTION...

The other ends are in NAMESPACE, at the address FAR; NEAR is the address here. Some sockets are opened
before `LINKCOND apply OPTION...`, and some afterwards. Prints for each how long a round trip takes
then, in seconds, and the shortest of many after `LINKCOND clear`.
"""

import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

PATIENCE = 60
LIBC = ctypes.CDLL(None, use_errno=True)
OWN = os.open("/proc/self/ns/net", os.O_RDONLY)


@contextmanager
def inside(namespace):
    with open("/run/netns/" + namespace) as other:
        assert LIBC.setns(other.fileno(), 0) == 0
    try:
        yield
    finally:
        assert LIBC.setns(OWN, 0) == 0


def echo(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, port), family=family)

    def serve(stream):
        while content := stream.recv(64):
            stream.sendall(content)

    def accept():
        while True:
            threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def connect(address, port):
    stream = socket.create_connection((address, port), timeout=PATIENCE)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream


def round_trip(stream):
    began = time.monotonic()
    stream.sendall(b"?")
    assert stream.recv(1)
    return time.monotonic() - began


def renamed(work):
    """What a thread with another name finds."""
    found = []

    def run():
        LIBC.prctl(15, b"another name", 0, 0, 0)
        found.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def forked(work):
    """What a child process finds."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, json.dumps(work()).encode())
        os._exit(0)
    os.close(writer)
    with open(reader) as answer:
        return json.load(answer)


def main():
    linkcond, namespace, far, near, *options = sys.argv[1:]
    with inside(namespace):
        echo(far, 80)
    echo(near, 81)
    old = connect(far, 80)
    round_trip(old)
    subprocess.run([linkcond, "apply", *options], check=True)

    def anew():
        return round_trip(connect(far, 80))

    with inside(namespace):
        visitor = socket.socket(old.family)
    visitor.settimeout(PATIENCE)
    visitor.connect((near, 81))
    found = {"old": round_trip(old), "accepted": round_trip(visitor), "new": anew(),
             "thread": renamed(anew), "fork": forked(anew)}
    subprocess.run([linkcond, "clear"], check=True)
    end = time.monotonic() + PATIENCE
    found["cleared"] = min(round_trip(old), round_trip(visitor))
    while found["cleared"] > 0.05 and time.monotonic() < end:
        found["cleared"] = min(found["cleared"], max(round_trip(old), round_trip(visitor)))
    print(json.dumps(found))


main()
