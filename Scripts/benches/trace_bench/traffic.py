"""One end of a link that is kept busy.

traffic.py send PORT TRACE             waits for a packet, and sends faster than the trace lets
                                       through to whoever sent it, until nobody is there any more
traffic.py receive HOST PORT SECONDS   asks for that, and prints when each packet came, as JSON
"""

import json
import socket
import struct
import sys
import time

SO_TIMESTAMPNS = 35
BUFFER = 16 << 20
# With the headers of IPv4 and UDP, 1,500 bytes.
PAYLOAD = bytes(1472)
HEADERS = 28
# What reaches the app while the first packets of the trace are still to be found.
MARGIN = 3


def peak(path):
    """The most packets of a tenth of a second, per second."""
    counts = {}
    with open(path) as file:
        for line in file:
            counts[int(line) // 100] = counts.get(int(line) // 100, 0) + 1
    return max(counts.values()) * 10


def send(port, trace):
    rate = 1.5 * peak(trace)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        here.bind(("", port))
        print("ready", flush=True)
        _, peer = here.recvfrom(100)
        start, sent = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - start) * rate)
            while sent < due:
                try:
                    here.sendto(PAYLOAD, peer)
                except ConnectionRefusedError:
                    return
                except (BlockingIOError, OSError):
                    break
                sent += 1
            sent = due
            time.sleep(0.001)


def receive(host, port, seconds):
    came = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        here.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        here.settimeout(0.5)
        # Not connected: who answers may have another address.
        for _ in range(40):
            # Until the sender is there.
            here.sendto(b"now", (host, port))
            try:
                came.append(stamped(here))
                break
            except TimeoutError:
                pass
        end = time.monotonic() + seconds + MARGIN
        while time.monotonic() < end:
            try:
                came.append(stamped(here))
            except TimeoutError:
                pass
    print(json.dumps(came))


def stamped(here):
    data, extras, _, _ = here.recvmsg(2048, 64)
    (when,) = [struct.unpack("qq", value) for level, kind, value in extras
               if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS]
    return when[0] * 10**9 + when[1], len(data) + HEADERS


if sys.argv[1] == "send":
    send(int(sys.argv[2]), sys.argv[3])
else:
    receive(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
