"""A STUN server (RFC 3489) on two addresses and two ports: stunserver.py ADDRESS OTHER

Listens on ports 3478 and 3479 of both. A client asks it to answer from another address or port, and
so learns which kind of NAT stands before it.
"""
import itertools
import select
import socket
import struct
import sys

addresses, ports = sys.argv[1:3], (3478, 3479)
sockets = {}
for place in itertools.product((0, 1), (0, 1)):
    sockets[place] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sockets[place].bind((addresses[place[0]], ports[place[1]]))
places = {one.fileno(): place for place, one in sockets.items()}


def attribute(kind, endpoint):
    return struct.pack("!HHBBH4s", kind, 8, 0, 1, endpoint[1], socket.inet_aton(endpoint[0]))


def change(message):
    """Whether another address is wanted, and another port."""
    at = 20
    while at + 4 <= len(message):
        kind, length = struct.unpack_from("!HH", message, at)
        if kind == 3:
            flags = struct.unpack_from("!I", message, at + 4)[0]
            return bool(flags & 4), bool(flags & 2)
        at += 4 + length
    return False, False


while True:
    for one in select.select(list(sockets.values()), [], [])[0]:
        message, client = one.recvfrom(2048)
        if len(message) < 20 or message[:2] != b"\0\1":
            continue
        place = places[one.fileno()]
        other = tuple(own ^ wanted for own, wanted in zip(place, change(message)))
        body = attribute(1, client)
        body += attribute(4, (addresses[other[0]], ports[other[1]]))
        body += attribute(5, (addresses[1 - place[0]], ports[1 - place[1]]))
        answer = struct.pack("!HH", 0x101, len(body)) + message[4:20] + body
        sockets[other].sendto(answer, client)
