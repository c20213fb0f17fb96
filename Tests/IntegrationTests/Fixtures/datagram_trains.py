#!/usr/bin/env python3
"""Sends super-packets of datagrams (UDP_SEGMENT) and counts the datagrams that come.

usage: datagram_trains.py serve TIMES
       datagram_trains.py ask ADDRESS...

`ask` sends three to each address, has three sent back, and prints for each what came at either end.
"""

import collections
import socket
import sys

UDP_SEGMENT = 103
PORT, SIZE, COUNT = 5003, 1000, 20
PATIENCE = 20


def send_trains(sender, address):
    sender.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, SIZE)
    for _ in range(3):
        sender.sendto(bytes(SIZE * COUNT), address)
    sender.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 0)
    sender.sendto(b"end", address)


def count(receiver):
    """What comes before the end, and who sent that."""
    sizes = collections.Counter()
    while True:
        data, address = receiver.recvfrom(65536)
        if data == b"end":
            return ", ".join(f"{number} of {size}" for size, number in sizes.items()), address
        if data != b"hello":
            sizes[len(data)] += 1
        else:
            receiver.sendto(data, address)


def serve(times):
    server = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    server.settimeout(3 * PATIENCE)
    server.bind(("::", PORT))
    for _ in range(times):
        counted, address = count(server)
        server.sendto(counted.encode(), address)
        send_trains(server, address)


def ask(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    client = socket.socket(family, socket.SOCK_DGRAM)
    # Until the server is there.
    client.settimeout(0.5)
    for _ in range(2 * PATIENCE):
        try:
            client.sendto(b"hello", (host, PORT))
            client.recv(100)
            break
        except (TimeoutError, ConnectionRefusedError):
            pass
    client.settimeout(PATIENCE)
    send_trains(client, (host, PORT))
    while (answer := client.recv(65536)) == b"hello":
        pass
    print(f"there {answer.decode()}; back {count(client)[0]}", flush=True)


if sys.argv[1] == "serve":
    serve(int(sys.argv[2]))
else:
    for host in sys.argv[2:]:
        ask(host)
