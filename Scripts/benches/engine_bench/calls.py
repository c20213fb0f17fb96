"""Counts how often a running program asks for memory, and how often it waits for another thread."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

GROUP = f"linkcond_{os.getpid()}"
# Swift's own locks call the kernel only to wait, or to wake who waits.
WAITS = "syscalls:sys_enter_futex"


@contextmanager
def point(program):
    """A point in a program at which perf counts; gives the reason if there can be none. All memory of
    Swift comes from malloc, which a program with static libraries has itself."""
    if not shutil.which("perf"):
        yield "perf is not installed (Debian's package linux-perf)"
        return
    added = subprocess.run(
        perf("probe", "-x", program, f"{GROUP}:allocation=malloc"),
        capture_output=True, text=True)
    try:
        yield ", ".join(added.stderr.split("\n")[:2]) if added.returncode else None
    finally:
        subprocess.run(perf("probe", "-d", f"{GROUP}:*"), capture_output=True)


class Calls:
    """What was counted; known at the end."""
    allocations = waits = None


@contextmanager
def counted(process):
    """Counts while it lasts, in all threads of a process."""
    calls = Calls()
    counting = subprocess.Popen(
        perf("stat", "-x,", "--log-fd", "1", "-e", f"{GROUP}:allocation,{WAITS}", "-p",
             str(process)),
        stdout=subprocess.PIPE, text=True)
    # perf does not tell when it has begun.
    time.sleep(0.5)
    try:
        yield calls
    finally:
        counting.send_signal(signal.SIGINT)
        lines = counting.communicate()[0].splitlines()
    calls.allocations, calls.waits = (int(line.split(",")[0]) for line in lines)


def perf(*arguments):
    """It needs the kernel's tracing files, which few have mounted: in a mount namespace of its own."""
    return ["unshare", "-m", "sh", "-c",
            '[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing'
            ' && exec perf "$@"', "sh", *arguments]
