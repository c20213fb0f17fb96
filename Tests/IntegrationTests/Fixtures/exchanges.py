#!/usr/bin/env python3
"""Asks and answers between two network namespaces, all exchanges at once; prints how long each took.

usage: exchanges.py APP SERVER EXCHANGE...

APP and SERVER are names of `ip netns`. An exchange is KIND@ADDRESS[:PORT[:PORT]], asked in APP and
answered in SERVER at ADDRESS:

  ping     an echo request, bigping one of 4,000 bytes
  udp      a datagram, bigudp one of 4,000 bytes
  tcp      a connection, a byte and its echo
  closed   a datagram to a port where nobody listens, until the error is back
  inbound  a connection the other way: from the second port in SERVER to the first one in APP

Prints JSON: the milliseconds of each exchange, or null without an answer within 8 s.
"""

import json
import os
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Scripts/measure"))
sys.dont_write_bytecode = True

from probes.namespaces import network_namespace  # noqa: E402

PATIENCE = 8
BIG = 4000


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def make_socket(namespace, *arguments):
    # Made one after the other: the namespace is the thread's.
    with network_namespace(namespace):
        made = socket.socket(*arguments)
    made.settimeout(PATIENCE)
    return made


def listen(namespace, address, port):
    listener = make_socket(namespace, family(address), socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen()

    def serve():
        try:
            connection, _ = listener.accept()
            connection.settimeout(PATIENCE)
            connection.sendall(connection.recv(1))
        except OSError:
            pass
    threading.Thread(target=serve, daemon=True).start()


def stream(app, server, address, port, near_port=None, inbound=False):
    asking, answering = (server, app) if inbound else (app, server)
    listen(answering, address, port)
    client = make_socket(asking, family(address), socket.SOCK_STREAM)
    if near_port:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        client.bind(("", near_port))

    def ask():
        client.connect((address, port))
        client.sendall(b"x")
        return client.recv(1) == b"x"
    return ask


def datagram(app, server, address, port, size, is_answered=True):
    if is_answered:
        answering = make_socket(server, family(address), socket.SOCK_DGRAM)
        answering.bind((address, port))

        def serve():
            try:
                data, sender = answering.recvfrom(65536)
                answering.sendto(data, sender)
            except OSError:
                pass
        threading.Thread(target=serve, daemon=True).start()
    client = make_socket(app, family(address), socket.SOCK_DGRAM)
    client.connect((address, port))

    def ask():
        client.send(b"x" * size)
        try:
            return len(client.recv(65536)) == size
        except ConnectionRefusedError:
            return not is_answered
    return ask


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff


def ping(app, address, size, number):
    is_ipv6 = ":" in address
    protocol = socket.IPPROTO_ICMPV6 if is_ipv6 else socket.IPPROTO_ICMP
    request, reply = (128, 129) if is_ipv6 else (8, 0)
    client = make_socket(app, family(address), socket.SOCK_RAW, protocol)

    def ask():
        message = struct.pack("!BBHHH", request, 0, 0, number, 1) + b"x" * size
        if not is_ipv6:
            message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
        client.sendto(message, (address, 0))
        while True:
            data = client.recv(65536)
            data = data if is_ipv6 else data[20:]
            if data[0] == reply and struct.unpack("!H", data[4:6])[0] == number:
                return True
    return ask


def prepare(exchange, number, app, server):
    kind, _, place = exchange.partition("@")
    address, *ports = place.rsplit(":", 2) if kind == "inbound" else place.rsplit(":", 1)
    if kind in ("ping", "bigping"):
        return ping(app, place, BIG if kind == "bigping" else 8, number)
    ports = [int(port) for port in ports]
    if kind in ("udp", "bigudp"):
        return datagram(app, server, address, ports[0], BIG if kind == "bigudp" else 1)
    if kind == "closed":
        return datagram(app, server, address, ports[0], 1, is_answered=False)
    if kind == "tcp":
        return stream(app, server, address, ports[0])
    return stream(app, server, address, ports[0], ports[1], inbound=True)


def main():
    app, server, *exchanges = sys.argv[1:]
    asks = {
        exchange: prepare(exchange, number + 1, app, server)
        for number, exchange in enumerate(exchanges)
    }
    results = {}

    def measure(exchange):
        start = time.monotonic()
        try:
            isanswered = asks[exchange]()
        except OSError:
            isanswered = False
        results[exchange] = (time.monotonic() - start) * 1000 if isanswered else None
    threads = [threading.Thread(target=measure, args=(exchange,)) for exchange in asks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(results))


main()
