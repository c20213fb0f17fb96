#!/usr/bin/env python3
"""Sends frames with a VLAN tag between two network namespaces, and prints when they arrived.

usage: tagged.py APP DEVICE SERVER [TYPE]

From DEVICE in APP to eth0 in SERVER (up) and back (down), to ports 7000 and 8000, over IPv4 and
IPv6: datagrams, and super-packets of TCP that hold three segments (big). Prints JSON: the
milliseconds until the last byte came, for names such as "up ipv4 7000 big", or null unless all
came with the tag and unharmed within 5 s. TYPE is that of the tag: 8100 (802.1Q) or 88a8 (802.1ad).

The time of what goes down counts only where DEVICE is another than the conditioned one: a packet
socket there sees what arrives before conditions do.
"""

import json
import os
import select
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Scripts/measure"))
sys.dont_write_bytecode = True

from probes.namespaces import network_namespace  # noqa: E402

SOL_PACKET, PACKET_AUXDATA, PACKET_VNET_HDR = 263, 8, 15
TP_STATUS_VLAN_VALID = 1 << 4
ETH_P_ALL, OUTGOING = 3, 4
PATIENCE = 5
TAG = bytes.fromhex((sys.argv[4] if len(sys.argv) > 4 else "8100") + "600a")
ETHERNET = bytes.fromhex("ffffffffffff020000000009")
SEGMENT, BIG = 1000, 3000
ADDRESSES = {
    "ipv4": [socket.inet_aton(f"198.51.100.{number}") for number in (1, 2)],
    "ipv6": [socket.inet_pton(socket.AF_INET6, f"2001:db8:10::{number}") for number in (1, 2)],
}


def open_socket(namespace, device):
    with network_namespace(namespace):
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    opened.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    opened.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    opened.bind((device, ETH_P_ALL))
    return opened


def folded_sum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total >> 16) + (total & 0xffff)
    return total


class Frame:
    def __init__(self, way, family, port, is_big):
        self.name = f"{way} {family} {port}" + (" big" if is_big else "")
        self.family, self.port, self.is_big = family, port, is_big
        self.addresses = ADDRESSES[family] if way == "up" else ADDRESSES[family][::-1]
        self.payload = os.urandom(BIG if is_big else 100)
        self.received = {}
        self.last = None

    @property
    def bytes(self):
        protocol = 6 if self.is_big else 17
        header = 20 if self.family == "ipv4" else 40
        length = len(self.payload) + (20 if self.is_big else 8)
        # The sum of the pseudo-header: the kernel is to finish it.
        partial = folded_sum(b"".join(self.addresses) + struct.pack("!II", length, protocol))
        if self.is_big:
            transport = struct.pack(
                "!HHIIBBHHH", 40000, self.port, 0, 0, 5 << 4, 0x10, 1000, partial, 0)
        else:
            transport = struct.pack("!HHHH", 40000, self.port, length, partial)
        if self.family == "ipv4":
            network = struct.pack(
                "!BBHHHBBH", 0x45, 0, header + length, 1, 0, 64, protocol, 0)
            total = folded_sum(network + b"".join(self.addresses))
            network = network[:10] + struct.pack("!H", ~total & 0xffff)
            kind = bytes.fromhex("0800")
        else:
            network = struct.pack("!IHBB", 6 << 28, length, protocol, 64)
            kind = bytes.fromhex("86dd")
        start = 18 + header
        segmentation = (1 if self.family == "ipv4" else 4) if self.is_big else 0
        virtual = struct.pack(
            "=BBHHHH", 1, segmentation, start + len(transport), SEGMENT if self.is_big else 0,
            start, 16 if self.is_big else 6)
        return (virtual + ETHERNET + TAG + kind + network + b"".join(self.addresses) + transport
                + self.payload)

    def take(self, ip, now):
        """Takes note of a packet if it is one of this frame."""
        header = 20 if self.family == "ipv4" else 40
        protocol = ip[9] if self.family == "ipv4" else ip[6]
        if (ip[0] >> 4 != (4 if self.family == "ipv4" else 6)
                or protocol != (6 if self.is_big else 17)
                or ip[header - len(self.addresses[0]):header] != self.addresses[1]
                or struct.unpack("!H", ip[header + 2:header + 4])[0] != self.port):
            return
        length = struct.unpack("!H", ip[2:4] if self.family == "ipv4" else ip[4:6])[0]
        ip = ip[:length + (0 if self.family == "ipv4" else header)]
        offset = struct.unpack("!I", ip[header + 4:header + 8])[0] if self.is_big else 0
        content = ip[header + (20 if self.is_big else 8):]
        for index, byte in enumerate(content):
            self.received[offset + index] = byte
        self.last = now

    @property
    def is_complete(self):
        return len(self.received) == len(self.payload)

    def milliseconds(self, sent):
        content = bytes(self.received[place] for place in sorted(self.received))
        return (self.last - sent) * 1000 if content == self.payload else None


def receive(opened, frames):
    data, ancillary, _, address = opened.recvmsg(70000, 1000)
    if address[2] == OUTGOING:
        return
    for level, kind, value in ancillary:
        if (level, kind) != (SOL_PACKET, PACKET_AUXDATA):
            continue
        status, *_, control, tag_type = struct.unpack("=IIIHHHH", value[:20])
        if status & TP_STATUS_VLAN_VALID and struct.pack("!HH", tag_type, control) == TAG:
            for frame in frames:
                # Behind the virtio_net_hdr and the Ethernet header.
                frame.take(data[10 + 14:], time.monotonic())


def main():
    app, device, server = sys.argv[1:4]
    ends = {"up": open_socket(app, device), "down": open_socket(server, "eth0")}
    receivers = {ends["down"]: [], ends["up"]: []}
    frames = {way: [Frame(way, family, port, is_big) for family in ADDRESSES
                    for port in (7000, 8000) for is_big in (False, True)] for way in ends}
    for receiver, way in zip(receivers, ends):
        receivers[receiver] = frames[way]
    sent = time.monotonic()
    for way, end in ends.items():
        for frame in frames[way]:
            end.send(frame.bytes)
    everything = [frame for way in frames.values() for frame in way]
    while ((left := sent + PATIENCE - time.monotonic()) > 0
           and not all(frame.is_complete for frame in everything)):
        for readable in select.select(list(receivers), [], [], left)[0]:
            receive(readable, receivers[readable])
    print(json.dumps({frame.name: frame.milliseconds(sent) for frame in everything}))


main()
