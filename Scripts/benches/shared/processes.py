"""Starts programs, and complains of those that fail."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager


def start(main):
    """Runs a bench. Who ends it early gets what it made removed, too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever reads it has enough, such as head. What is left has to go somewhere at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


def run(command, **options):
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True,
        stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))} failed: "
                 f"{done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def read_until_ready(process):
    line = process.stdout.readline().strip()
    if line != "ready":
        sys.exit(f"bench: {' '.join(process.args[-4:])} said {line!r} and not ready")


@contextmanager
def started(command):
    """A program that runs beside, and ends at the latest with the block."""
    process = subprocess.Popen(
        [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def busy_loops(count, user):
    """Loops of a user that would take all of as many processors."""
    running = [subprocess.Popen(["sh", "-c", "while :; do :; done"], **user)
               for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
