"""Writes captures as linkcond run --pcap does, of any size: TCP and DNS on an idle link of 10 ms."""

import struct

ORIGIN = 1_700_000_000_000_000_000
DELAY = 10_000_000
THINKING = 200_000
COMMENT = b"delivered after 10.000 ms, 0.058 ms sending"
SYN, ACK, PUSH, FIN = 2, 16, 8, 1

_block = struct.Struct("<IIIIIII")
_tcp = struct.Struct(">HHIIBBHHH")
_udp = struct.Struct(">HHHH")
_ip = struct.Struct(">BBHHHBBHII")
_options = struct.Struct(f"<HH{len(COMMENT)}s{-len(COMMENT) % 4}xHHIHHQII")
_ether = b"\2" * 12 + b"\x08\x00"
APP, SERVER = 0xC0000201, 0xC0000202


class Capture:
    """A file to which packets are added in the order in which they leave the link."""

    def __init__(self, file):
        self.file = file
        self.size = 0
        self.packets = 0
        self.now = 0
        self.parts = []
        self.put(_padded_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
                               + _option(4, b"linkcond bench")))
        for name in (b"up", b"down"):
            self.put(_padded_block(1, struct.pack("<HHI", 1, 0, 0) + _option(2, name)
                                   + _option(9, b"\x09")))

    def put(self, block):
        self.parts.append(block)
        self.size += len(block)
        if len(self.parts) > 4096:
            self.flush()

    def flush(self):
        self.file.write(b"".join(self.parts))
        self.parts = []

    def packet(self, is_down, sent, transport, protocol, payload):
        """Adds an IPv4 packet that enters the link at `sent`; returns when it arrives."""
        source, destination = (SERVER, APP) if is_down else (APP, SERVER)
        length = 20 + len(transport) + len(payload)
        frame = b"".join((_ether, _ip.pack(0x45, 0, length, 0, 0, 64, protocol, 0, source,
                                           destination), transport, payload))
        self.packets += 1
        pad = -len(frame) % 4
        size = 28 + len(frame) + pad + _options.size
        time = ORIGIN + sent
        self.put(b"".join((
            _block.pack(6, size, is_down, time >> 32, time & 0xFFFFFFFF, len(frame), len(frame)),
            frame, b"\0" * pad,
            _options.pack(1, len(COMMENT), COMMENT, 2, 4, 1 if is_down else 2, 5, 8,
                          self.packets, 0, size))))
        return sent + DELAY

    def end(self):
        for interface in (0, 1):
            times = b"".join(_option(code, struct.pack("<II", time >> 32, time & 0xFFFFFFFF))
                             for code, time in ((2, ORIGIN), (3, ORIGIN + self.now)))
            self.put(_padded_block(5, struct.pack("<III", interface, 0, 0) + times))
        self.flush()


def _option(code, value):
    return struct.pack("<HH", code, len(value)) + value + b"\0" * (-len(value) % 4)


def _padded_block(kind, body):
    body += struct.pack("<I", 0)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


class Connection:
    """A TCP connection of the app with the server."""

    def __init__(self, capture, port):
        self.capture, self.port = capture, port
        self.up, self.down = 1000, 5000

    def send(self, is_down, sent, flags=ACK, payload=b""):
        ports = (8000, self.port) if is_down else (self.port, 8000)
        own, other = (self.down, self.up) if is_down else (self.up, self.down)
        header = _tcp.pack(*ports, own & 0xFFFFFFFF, other & 0xFFFFFFFF, 0x50, flags, 60000, 0, 0)
        count = len(payload) + (1 if flags & (SYN | FIN) else 0)
        if is_down:
            self.down += count
        else:
            self.up += count
        return self.capture.packet(is_down, sent, header, 6, payload)

    def open(self, now):
        now = self.send(False, now, SYN)
        now = self.send(True, now, SYN | ACK)
        self.send(False, now)
        return now

    def request(self, now, target, response):
        now = self.send(False, now, ACK | PUSH, b"GET /%d HTTP/1.1\r\n\r\n" % target) + THINKING
        self.send(True, now, ACK | PUSH, b"HTTP/1.1 200 OK\r\n\r\n")
        rest = response
        while rest > 0:
            end = self.send(True, now, ACK, b"x" * min(1448, rest))
            now += 1_200_000
            rest -= 1448
            if rest // 1448 % 2:
                self.send(False, end)
        return now + DELAY

    def close(self, now):
        self.send(False, now, ACK | FIN)
        self.send(True, now + DELAY, ACK | FIN)
        self.send(False, now + 2 * DELAY)


def downloads(capture, size):
    """Downloads of 1 MB on one connection, in full packets."""
    connection = Connection(capture, 40000)
    now = connection.open(0)
    number = 0
    while capture.size < size:
        now = connection.request(now, number, 1_000_000)
        number += 1
    capture.now = now


def requests(capture, size):
    """Small requests on one connection, one after the other."""
    connection = Connection(capture, 40000)
    now = connection.open(0)
    number = 0
    while capture.size < size:
        now = connection.request(now, number, 100) + 1_000_000
        number += 1
    capture.now = now


def connections(capture, size):
    """A connection for each small request, one after the other."""
    now, number = 0, 0
    while capture.size < size:
        connection = Connection(capture, 20000 + number % 40000)
        connection.up += 1000 * number
        connection.down += 1000 * number
        now = connection.request(connection.open(now), number, 100)
        connection.close(now)
        now += 1_000_000
        number += 1
    capture.now = now


def names(capture, size):
    """Questions for names, each another one, and their answers."""
    now, number = 0, 0
    while capture.size < size:
        label = b"host%d" % number
        name = bytes([len(label)]) + label + b"\x07example\0\0\x01\0\x01"
        port = 20000 + number % 40000
        head = struct.pack(">H", number & 0xFFFF)
        ask = head + b"\x01\0\0\x01\0\0\0\0\0\0" + name
        now = capture.packet(False, now, _udp.pack(port, 53, 8 + len(ask), 0), 17, ask)
        answer = head + b"\x81\x80\0\x01\0\0\0\0\0\0" + name
        now = capture.packet(True, now + THINKING, _udp.pack(53, port, 8 + len(answer), 0), 17,
                             answer)
        number += 1
    capture.now = now


KINDS = {"downloads": downloads, "requests": requests, "connections": connections,
         "names": names}
