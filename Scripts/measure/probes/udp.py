"""Numbered and stamped UDP packets: loss, bursts, reordering, duplicates, corruption, delay."""

import gc
import ipaddress
import select
import socket
import struct
import time
import zlib

from .namespaces import Companion, MeasurementError, network_namespace
from .statistics import clopper_pearson, runs, summary

# Magic, checksum of what follows, number, nanoseconds of CLOCK_MONOTONIC at sending.
HEADER = struct.Struct("!IIQQ")
CHECKSUMMED = struct.Struct("!QQ")
MAGIC = 0x6C6B636E
HEADER_BYTES = {4: 28, 6: 48}
BUFFER_BYTES = 64 << 20

SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
UDP_NO_CHECK6_TX, UDP_NO_CHECK6_RX = 101, 102


def open_socket(version, namespace, address, port):
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    with network_namespace(namespace):
        opened = socket.socket(family, socket.SOCK_DGRAM)
    force_buffers(opened)
    accept_damage(opened, version)
    try:
        opened.bind((address, port))
    except OSError as error:
        raise MeasurementError(f"{address} port {port}: {error.strerror}") from error
    return opened


def force_buffers(opened):
    """What a full socket buffer dropped would look like loss on the link."""
    for forced, modest in (
        (SO_SNDBUFFORCE, socket.SO_SNDBUF), (SO_RCVBUFFORCE, socket.SO_RCVBUF),
    ):
        try:
            opened.setsockopt(socket.SOL_SOCKET, forced, BUFFER_BYTES)
        except PermissionError:
            opened.setsockopt(socket.SOL_SOCKET, modest, BUFFER_BYTES)


def accept_damage(opened, version):
    """Without UDP's checksum a damaged packet arrives and is counted, not silently dropped."""
    if version == 4:
        so_no_check = 11
        opened.setsockopt(socket.SOL_SOCKET, so_no_check, 1)
    else:
        opened.setsockopt(socket.IPPROTO_UDP, UDP_NO_CHECK6_TX, 1)
        opened.setsockopt(socket.IPPROTO_UDP, UDP_NO_CHECK6_RX, 1)


def send_packets(sender, target, count, payload_bytes, packets_per_second):
    """At even intervals. A sender that was held up does not catch up with a burst, which would
    overflow a queue that the wanted rate leaves empty.
    """
    gc.disable()
    filler = bytes(payload_bytes - HEADER.size)
    filler_checksum = zlib.crc32(filler)
    interval = 1e9 / packets_per_second
    start = due = time.monotonic_ns()
    for number in range(count):
        wait = due - time.monotonic_ns()
        if wait > 0:
            time.sleep(wait / 1e9)
        now = time.monotonic_ns()
        due = max(due, now - interval) + interval
        checksum = zlib.crc32(CHECKSUMMED.pack(number, now), filler_checksum)
        sender.sendto(HEADER.pack(MAGIC, checksum, number, now) + filler, target)
    return {"seconds": (time.monotonic_ns() - start) / 1e9}


class Arrivals:
    """What has come in so far."""

    def __init__(self, count, payload_bytes):
        self.filler_checksum = zlib.crc32(bytes(payload_bytes - HEADER.size))
        self.payload_bytes = payload_bytes
        self.seen = bytearray(count)
        self.delays = []
        self.times = []
        self.highest = -1
        self.reordered = self.duplicates = self.corrupted = 0

    def add(self, payload, now):
        if len(payload) < HEADER.size:
            return
        magic, checksum, number, sent = HEADER.unpack_from(payload)
        if self._is_intact(payload, magic, checksum, number, sent):
            self._add_intact(number, now, now - sent)
        else:
            self.corrupted += 1
            if number < len(self.seen):
                self.seen[number] = 1

    def _is_intact(self, payload, magic, checksum, number, sent):
        # Checksums chain from the filler, so that the sender computes it once.
        filler = zlib.crc32(memoryview(payload)[HEADER.size:])
        return (
            magic == MAGIC and len(payload) == self.payload_bytes
            and checksum == zlib.crc32(CHECKSUMMED.pack(number, sent), filler)
            and number < len(self.seen)
        )

    def _add_intact(self, number, now, delay):
        if self.seen[number]:
            self.duplicates += 1
            return
        self.seen[number] = 1
        self.times.append(now)
        self.delays.append(delay / 1e6)
        # RFC 4737, section 3: late is what comes after a packet with a higher number.
        if number < self.highest:
            self.reordered += 1
        else:
            self.highest = number

    def is_complete(self):
        return len(self.delays) + self.corrupted >= len(self.seen)


def receive_packets(receiver, companion, arrivals, drain):
    """Until all have come, or for `drain` seconds of silence after the last was sent."""
    gc.disable()
    receiver.setblocking(False)
    waiting = [receiver, companion]
    while companion in waiting or not arrivals.is_complete():
        silence = None if companion in waiting else drain
        readable, _, _ = select.select(waiting, [], [], silence)
        if receiver in readable:
            try:
                payload = receiver.recv(65535)
            except BlockingIOError:
                # Damaged so that the kernel dropped it after all: it counts as lost.
                continue
            arrivals.add(payload, time.monotonic_ns())
        elif companion in readable:
            waiting.remove(companion)
        else:
            break
    gc.enable()


def udp_probe(
    to, sender_address=None, port=5201, count=1000, packet_bytes=200, packets_per_second=100,
    sender_namespace=None, receiver_namespace=None, drain=3.0, sender_port=0,
):
    """Sends packets of `packet_bytes` (IP header included) and tells how they arrived."""
    version = ipaddress.ip_address(to).version
    payload_bytes = packet_bytes - HEADER_BYTES[version]
    if payload_bytes < HEADER.size:
        raise MeasurementError(
            f"{packet_bytes} bytes are too few; the least is {HEADER.size + HEADER_BYTES[version]}")
    any_address = "0.0.0.0" if version == 4 else "::"
    receiver = open_socket(version, receiver_namespace, to, port)
    sender = open_socket(version, sender_namespace, sender_address or any_address, sender_port)
    with receiver, sender:
        arrivals = Arrivals(count, payload_bytes)
        companion = Companion(lambda: send_packets(
            sender, (to, port), count, payload_bytes, packets_per_second))
        receive_packets(receiver, companion, arrivals, drain)
        sending = companion.result()
    return report(arrivals, packet_bytes, sending["seconds"])


def report(arrivals, packet_bytes, seconds):
    count = len(arrivals.seen)
    bursts = runs(not seen for seen in arrivals.seen)
    lost = sum(bursts)
    return {
        "sent": count,
        "received": count - lost,
        "lost": lost,
        "lossRatio": lost / count,
        "lossRatioInterval99": clopper_pearson(lost, count),
        "lossBursts": len(bursts),
        "meanLossBurstPackets": lost / len(bursts) if bursts else None,
        "longestLossBurstPackets": max(bursts, default=0),
        "reordered": arrivals.reordered,
        "duplicates": arrivals.duplicates,
        "corrupted": arrivals.corrupted,
        "delayMilliseconds": summary(arrivals.delays),
        "packetBytes": packet_bytes,
        "sentPacketsPerSecond": count / seconds,
        "receivedBitsPerSecond": received_rate(arrivals.times, packet_bytes),
    }


def received_rate(times, packet_bytes):
    """IP bits per second from first to last arrival: the link's rate, if it was kept busy."""
    if len(times) < 2:
        return None
    return (len(times) - 1) * packet_bytes * 8e9 / (times[-1] - times[0])
