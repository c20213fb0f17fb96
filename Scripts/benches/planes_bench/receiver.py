"""Writes how long each datagram took, in nanoseconds: receiver.py FILE. Ends when it is told to."""

import socket
import struct
import sys

SO_TIMESTAMPNS, SO_RCVBUFFORCE = 35, 33

datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
try:
    datagrams.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
except PermissionError:
    datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
datagrams.bind(("", 9000))
datagrams.settimeout(60)
ready = socket.create_server(("", 9001))
with open(sys.argv[1], "w") as file:
    while True:
        data, extra, _, _ = datagrams.recvmsg(2048, 256)
        if data == b"end":
            break
        seconds, nanoseconds = struct.unpack("qq", extra[0][2][:16])
        file.write(f"{seconds * 10**9 + nanoseconds - struct.unpack('q', data[:8])[0]}\n")
