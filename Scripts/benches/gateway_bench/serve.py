"""The server: sends each device what it asks for.

usage: serve.py PORT PAYLOAD

A question is "PACKETS_PER_SECOND SECONDS". Prints "ready", and ends with its standard input.
"""

import select
import socket
import sys
import time

from arrivals import SO_SNDBUFFORCE, open_socket


def main():
    port, payload = int(sys.argv[1]), b"x" * int(sys.argv[2])
    sockets = [open_socket(version) for version in (4, 6)]
    for opened, address in zip(sockets, ("0.0.0.0", "::")):
        opened.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 23)
        opened.bind((address, port))
        opened.setblocking(False)
    print("ready", flush=True)
    streams = {}
    while True:
        for opened in select.select(sockets + [sys.stdin], [], [], 0.001 if streams else 1)[0]:
            if opened is sys.stdin:
                return
            question, source = opened.recvfrom(64)
            rate, seconds = map(float, question.split())
            now = time.monotonic()
            # A repeated question does not begin anew.
            streams.setdefault(source, [opened, rate, now, now + seconds, 0])
        now = time.monotonic()
        for source, stream in list(streams.items()):
            opened, rate, begin, end, sent = stream
            if now > end:
                del streams[source]
                continue
            for _ in range(int((now - begin) * rate) - sent):
                try:
                    opened.sendto(payload, source)
                except BlockingIOError:
                    break
                stream[4] += 1


main()
