"""When datagrams arrived, by the kernel's clock: this process may read them later."""

import socket
import struct

# Python has no names for these.
SO_TIMESTAMPNS, SO_SNDBUFFORCE, SO_RCVBUFFORCE = 35, 32, 33
# Enough for what comes while all others run.
BUFFER = 1 << 26


def open_socket(version):
    family = socket.AF_INET6 if version == 6 else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_DGRAM)
    if version == 6:
        opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    opened.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    return opened


def receive(opened):
    """The next datagram's first bytes, and when it arrived, in seconds."""
    data, control, _, _ = opened.recvmsg(16, 64)
    seconds, nanoseconds = next(
        struct.unpack("qq", content[:16]) for level, kind, content in control
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS)
    return data, seconds + nanoseconds / 1e9


class Window:
    """The packets of some seconds, once a stream has settled."""

    SETTLE = 3

    def __init__(self, seconds):
        self.seconds = seconds
        self.origin = self.begin = self.end = None
        self.count = 0

    def add(self, moment):
        """False once it is over."""
        if self.origin is None:
            self.origin = moment
        if moment - self.origin > self.SETTLE + self.seconds:
            return False
        if moment - self.origin >= self.SETTLE:
            if self.begin is None:
                self.begin = moment
            self.count, self.end = self.count + 1, moment
        return True

    @property
    def rate(self):
        """Packets per second between the first and the last one; None if there are too few."""
        return (self.count - 1) / (self.end - self.begin) if self.count > 10 else None
