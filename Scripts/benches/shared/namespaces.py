"""What the kernel takes for the namespaces and processes of a `linkcond run`, with nothing done in them.

The forks of Python are in it: about a fifth."""

import ctypes
import os
import socket
import struct
import sys
import time

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000

# From linux/rtnetlink.h, linux/netlink.h, linux/if_link.h and linux/veth.h.
RTM_NEWLINK, REQUEST_ACK_EXCL_CREATE = 16, 0x605
NLMSG_ERROR = 2
IFLA_IFNAME, IFLA_LINKINFO, IFLA_INFO_KIND, IFLA_INFO_DATA, VETH_INFO_PEER = 3, 18, 1, 2, 1
INTERFACE = bytes(16)

libc = ctypes.CDLL(None, use_errno=True)


def seconds_of_kernel(count, jobs):
    """How long it takes to make that many sandboxes, so many at a time, and to run `true` in each:
    three network namespaces, two pairs of interfaces, a mount and a process namespace."""
    begin = time.perf_counter()
    workers = [fork(lambda: repeat(count // jobs)) for _ in range(jobs)]
    failed = [worker for worker in workers if os.waitpid(worker, 0)[1] != 0]
    if failed:
        sys.exit("bench: namespaces could not be made; try it as root")
    return time.perf_counter() - begin


def repeat(count):
    for _ in range(count):
        if os.waitpid(fork(sandbox), 0)[1] != 0:
            raise OSError("a sandbox failed")


def sandbox():
    # In namespaces of its own from the start, as the command of a run is.
    user = 0 if os.geteuid() == 0 else CLONE_NEWUSER
    unshare(user | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET)
    command = os.posix_spawn("/bin/true", ["true"], {})
    for number in range(2):
        unshare(CLONE_NEWNET)
        add_pair(f"near{number}", f"far{number}")
    os.waitpid(command, 0)


def fork(body):
    process = os.fork()
    if process == 0:
        status = 1
        try:
            body()
            status = 0
        finally:
            os._exit(status)
    return process


def unshare(flags):
    if libc.unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def add_pair(name, peer):
    link = attribute(IFLA_IFNAME, name.encode() + b"\0") + attribute(
        IFLA_LINKINFO, attribute(IFLA_INFO_KIND, b"veth") + attribute(
            IFLA_INFO_DATA, attribute(
                VETH_INFO_PEER, INTERFACE + attribute(IFLA_IFNAME, peer.encode() + b"\0"))))
    header = struct.pack(
        "=IHHII", 16 + len(INTERFACE) + len(link), RTM_NEWLINK, REQUEST_ACK_EXCL_CREATE, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
        netlink.send(header + INTERFACE + link)
        answer = netlink.recv(4096)
    kind, error = struct.unpack_from("=H", answer, 4)[0], struct.unpack_from("=i", answer, 16)[0]
    if kind != NLMSG_ERROR or error != 0:
        raise OSError(-error, "a pair of interfaces")


def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)
