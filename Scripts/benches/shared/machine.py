"""How busy the machine is, since figures of a busy one mean less."""

import os
import re
import time

IDLE = 0.1


def busy_share(seconds=1):
    """How much of all processors is in use, between 0 and 1, by whatever it be."""
    before = ticks()
    time.sleep(seconds)
    return busy_share_since(before)


def busy_share_since(before):
    """The same since `ticks()` told `before`."""
    total, idle = (after - earlier for after, earlier in zip(ticks(), before))
    return 1 - idle / max(1, total)


def ticks():
    with open("/proc/stat") as file:
        fields = [int(field) for field in file.readline().split()[1:9]]
    return sum(fields), fields[3] + fields[4]


def wait_until_idle(patience):
    """Waits at most `patience` seconds, and returns how busy it was at the end."""
    end = time.monotonic() + patience
    while (share := busy_share()) > IDLE and time.monotonic() < end:
        pass
    return share


def describe(share):
    note = "" if share <= IDLE else ": ratios mean more than figures"
    return f"{os.cpu_count()} processors, {share:.0%} busy with other work{note}"


def congestion_control():
    """That of every new namespace, in words. BBR paces by timers, which costs whatever stays within a
    host."""
    with open("/proc/sys/net/ipv4/tcp_congestion_control", encoding="ascii") as file:
        return f"TCP's congestion control is {file.read().strip()}"


def machine():
    """Its processors and kernel, in words."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.+)$", file.read(), re.MULTILINE)
    kernel = ".".join(os.uname().release.split(".")[:2])
    name = f", {' '.join(model.group(1).split())}" if model else ""
    return f"{os.cpu_count()} processors{name}, Linux {kernel}"
