"""Flows of one datagram each from one port to as many of a host.

flows.py count: counts the flows to ports of this host, listens at TCP port 7000, and tells its client.
flows.py open HOST NUMBER: opens that many, and prints what the other one has counted.
"""

import select
import socket
import struct
import sys

FIRST_PORT, CONTROL_PORT = 20_000, 7000


def count():
    # Sees datagrams for ports at which nobody listens, too.
    packets = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
    packets.setblocking(False)
    listener = socket.create_server(("0.0.0.0", CONTROL_PORT))
    sources, targets, client = set(), set(), None

    def read():
        while True:
            try:
                packet = packets.recv(1 << 16)
            except BlockingIOError:
                return
            source, target = struct.unpack_from("!HH", packet, (packet[0] & 15) * 4)
            if target >= FIRST_PORT:
                sources.add(source)
                targets.add(target)

    while True:
        ready, _, _ = select.select([packets, listener] + ([client] if client else []), [], [])
        read()
        if listener in ready:
            client, _ = listener.accept()
        if client in ready:
            if client.recv(1):
                client.sendall(struct.pack("!HH", len(targets), len(sources)))
            else:
                client = None


def open_flows(host, number):
    control = socket.create_connection((host, CONTROL_PORT))

    def counted():
        control.sendall(b"?")
        return struct.unpack("!HH", control.recv(4))

    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for index in range(number):
        datagrams.sendto(b"x", (host, FIRST_PORT + index))
        # No more at once than the other's buffer has room for.
        if index % 100 == 99:
            counted()
    targets, sources = counted()
    print(f"{targets} flows from {sources} ports")


if sys.argv[1] == "count":
    count()
else:
    open_flows(sys.argv[2], int(sys.argv[3]))
