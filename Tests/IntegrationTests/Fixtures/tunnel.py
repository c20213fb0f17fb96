"""A tunnel between two network namespaces, of which each gets an interface t0.

Arguments: the namespaces, for how many seconds, and what hardware the interfaces are to be, as a
number of <linux/if_arp.h>. Ends when one of the interfaces is deleted.
"""
import ctypes
import fcntl
import os
import select
import signal
import struct
import sys

TUNSETIFF, TUNSETLINK = 0x400454CA, 0x400454CD
IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 1, 0x1000, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
signal.alarm(int(sys.argv[3]))


def end(namespace):
    with open(f"/run/netns/{namespace}") as target:
        if libc.setns(target.fileno(), CLONE_NEWNET) != 0:
            sys.exit(f"cannot enter {namespace}: {os.strerror(ctypes.get_errno())}")
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"t0", IFF_TUN | IFF_NO_PI))
    fcntl.ioctl(device, TUNSETLINK, int(sys.argv[4]))
    return device


# The namespaces shall not live on for this process.
own = os.open("/proc/self/ns/net", os.O_RDONLY)
near, far = end(sys.argv[1]), end(sys.argv[2])
libc.setns(own, CLONE_NEWNET)
while True:
    for source in select.select([near, far], [], [])[0]:
        packet = os.read(source, 1 << 16)
        try:
            os.write(far if source == near else near, packet)
        except OSError:
            pass  # The other end is down.
