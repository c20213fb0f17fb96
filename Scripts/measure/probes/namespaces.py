"""Sockets in other network namespaces, and work in a process beside this one."""

import ctypes
import json
import os
import sys
from contextlib import contextmanager

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
SIGKILL = 9

libc = ctypes.CDLL(None, use_errno=True)


class MeasurementError(Exception):
    """What went wrong, in words for the user."""


def set_network_namespace(descriptor):
    # os.setns exists from Python 3.12 on only.
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        error = ctypes.get_errno()
        raise MeasurementError(f"cannot enter the network namespace: {os.strerror(error)}")


@contextmanager
def network_namespace(name):
    """Sockets made in here belong to the namespace for good, wherever they are used later.

    `name` is one of `ip netns`, a path such as /proc/PID/ns/net, or None for our own.
    """
    if name is None:
        yield
        return
    path = name if "/" in name else f"/run/netns/{name}"
    try:
        target = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise MeasurementError(f"network namespace {name}: {error.strerror}") from error
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        set_network_namespace(target)
        try:
            yield
        finally:
            set_network_namespace(own)
    finally:
        os.close(target)
        os.close(own)


class Companion:
    """A forked process that does one piece of work and hands back its JSON result.

    Sender and receiver in one process would wait for each other's turn at the interpreter.
    """

    def __init__(self, work):
        self.readable, writable = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.readable)
            self._work_and_exit(work, writable)
        os.close(writable)

    @staticmethod
    def _work_and_exit(work, writable):
        libc.prctl(PR_SET_PDEATHSIG, SIGKILL)
        try:
            outcome = {"result": work()}
        except (OSError, MeasurementError) as error:
            outcome = {"error": str(error)}
        with os.fdopen(writable, "w") as pipe:
            json.dump(outcome, pipe)
        os._exit(0)

    def fileno(self):
        """Readable, for select(), as soon as the work is done."""
        return self.readable

    def result(self):
        with os.fdopen(self.readable) as pipe:
            text = pipe.read()
        os.waitpid(self.pid, 0)
        outcome = json.loads(text) if text else {"error": "the companion process died"}
        if "error" in outcome:
            raise MeasurementError(outcome["error"])
        return outcome["result"]

    def kill(self):
        os.kill(self.pid, SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.readable)
