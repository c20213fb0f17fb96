"""The rate at which a TCP connection delivers payload once it has left slow start."""

import ipaddress
import socket
import struct
import time

from .namespaces import Companion, MeasurementError, network_namespace

CHUNK_BYTES = 1 << 18
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
# Offsets in struct tcp_info, include/uapi/linux/tcp.h.
TCPI_RTT, TCPI_TOTAL_RETRANS, TCP_INFO_BYTES = 68, 100, 104


def open_socket(version, namespace, buffer_option, buffer_bytes):
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    with network_namespace(namespace):
        opened = socket.socket(family, socket.SOCK_STREAM)
    if buffer_bytes:
        opened.setsockopt(socket.SOL_SOCKET, buffer_option, buffer_bytes)
    return opened


def send_until_closed(sender, target, timeout, congestion_control):
    if congestion_control:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion_control.encode())
    sender.settimeout(timeout)
    try:
        sender.connect(target)
    except OSError as error:
        raise MeasurementError(f"cannot connect to {target[0]} port {target[1]}: {error}") from error
    chunk = bytes(CHUNK_BYTES)
    try:
        while True:
            sender.send(chunk)
    except (BrokenPipeError, ConnectionResetError, TimeoutError):
        pass
    information = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_BYTES)
    return {
        "retransmits": struct.unpack_from("=I", information, TCPI_TOTAL_RETRANS)[0],
        "smoothedRTTMilliseconds": struct.unpack_from("=I", information, TCPI_RTT)[0] / 1000,
    }


class Window:
    """The arrivals between warm-up and end.

    The rate is a slope between two arrivals: on a slow link whole intervals between packets would
    be gained or lost if it were bytes over nominal time. And which arrivals matters: behind a lost
    packet delivery to the reader stalls, for seconds on a slow link, and then catches up at once,
    so a window that begins or ends within a stall is off by all that waits. Both ends are
    therefore looked for, each in its quarter of the window, where delivery is least behind.
    """

    RESOLUTION = 0.001

    def __init__(self, warmup, duration):
        self.warmup = warmup
        self.duration = duration
        self.first_byte = None
        self.total = 0
        self.points = []

    def add(self, count, now):
        self.total += count
        if self.first_byte is None:
            self.first_byte = now
        elapsed = now - self.first_byte
        if elapsed >= self.warmup and (
            not self.points or elapsed - self.points[-1][0] >= self.RESOLUTION
        ):
            self.points.append((elapsed, self.total))

    def is_over(self, now):
        return self.first_byte is not None and now - self.first_byte >= self.duration

    def report(self):
        if len(self.points) < 2:
            raise MeasurementError("too little arrived after the warm-up; measure longer")
        first, last = self.points[0], self.points[-1]
        for _ in range(3):
            first, last = self._ends_least_behind(slope(first, last))
        return {
            "goodputBitsPerSecond": slope(first, last) * 8,
            "windowSeconds": last[0] - first[0],
            "windowBytes": last[1] - first[1],
            "totalBytes": self.total,
        }

    def _ends_least_behind(self, bytes_per_second):
        begin, end = self.points[0][0], self.points[-1][0]
        quarter = (end - begin) / 4

        def lead(point):
            return point[1] - bytes_per_second * point[0]

        return (
            max((point for point in self.points if point[0] <= begin + quarter), key=lead),
            max((point for point in self.points if point[0] >= end - quarter), key=lead),
        )


def slope(first, last):
    return (last[1] - first[1]) / (last[0] - first[0])


def receive(listener, window, timeout):
    listener.settimeout(timeout)
    try:
        connection, _ = listener.accept()
    except TimeoutError as error:
        raise MeasurementError(f"no connection within {timeout:g} s") from error
    # Closing with unread data resets the connection at once, instead of draining the sender.
    with connection:
        connection.setblocking(True)
        set_receive_timeout(connection, timeout)
        buffer = bytearray(CHUNK_BYTES)
        while True:
            try:
                count = connection.recv_into(buffer)
            except BlockingIOError as error:
                raise MeasurementError(f"nothing arrived for {timeout:g} s") from error
            now = time.monotonic()
            if not count or window.is_over(now):
                break
            window.add(count, now)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def set_receive_timeout(connection, timeout):
    """In the kernel, where it costs no second system call per read as Python's own does."""
    seconds = struct.pack("ll", int(timeout), int(timeout % 1 * 1e6))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, seconds)


def tcp_goodput(
    to, port=5201, duration=10.0, warmup=2.0, sender_namespace=None, receiver_namespace=None,
    congestion_control=None, buffer_bytes=None, timeout=30.0, sender_port=0,
):
    """Payload bits per second at the receiver between `warmup` and `duration` seconds."""
    version = ipaddress.ip_address(to).version
    listener = open_socket(version, receiver_namespace, SO_RCVBUFFORCE, buffer_bytes)
    sender = open_socket(version, sender_namespace, SO_SNDBUFFORCE, buffer_bytes)
    with listener, sender:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((to, port))
            if sender_port:
                sender.bind(("", sender_port))
        except OSError as error:
            raise MeasurementError(f"{to} port {port}: {error.strerror}") from error
        listener.listen(1)
        window = Window(warmup, duration)
        companion = Companion(
            lambda: send_until_closed(sender, (to, port), timeout, congestion_control))
        try:
            receive(listener, window, timeout)
        except MeasurementError:
            companion.kill()
            raise
        return window.report() | companion.result()
