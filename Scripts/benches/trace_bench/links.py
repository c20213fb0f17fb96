"""Links that play a delivery trace toward the app, with traffic that keeps them busy."""

import json
import os
import pathlib
import shutil
import sys

from shared.processes import read_until_ready, run, started

TRAFFIC = pathlib.Path(__file__).with_name("traffic.py")
# One that any user may execute, which that of a version manager in root's home is not.
PYTHON = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
PORT = 9000
# Both links drop what does not fit, and have enough while a sender waits for its turn on a machine
# that is busy with other work.
QUEUE = 4000
# mm-link refuses to run as root.
USER = 65534


def traffic(*words, script=TRAFFIC):
    return [PYTHON, str(script), *(str(word) for word in words)]


def linkcond(program, trace, directory, seconds):
    profile = os.path.join(directory, "bench.yaml")
    with open(profile, "w") as file:
        file.write(f"name: Bench\ndown: {{ trace: {trace}, queue: {QUEUE} packets }}\n"
                   "up: {}\n")
    os.chmod(profile, 0o644)
    sender = " ".join(traffic("send", PORT, trace))
    return arrivals(run([
        program, "run", profile, "--uplink", "none", "--server", sender, "--",
        *traffic("receive", "server.linkcond", PORT, seconds)]))


def mahimahi(trace, directory, seconds):
    fast = os.path.join(directory, "fast.up")
    with open(fast, "w") as file:
        file.write("1\n" * 100)
    # Wherever the repository is, another user may not read it.
    script = shutil.copy(TRAFFIC, directory)
    os.chmod(script, 0o644)
    receiver = " ".join(
        traffic("receive", "$MAHIMAHI_BASE", PORT, seconds, script=script))
    with started(traffic("send", PORT, trace)) as sender:
        read_until_ready(sender)
        return arrivals(run(
            ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "mm-link", fast,
             trace, "--downlink-queue=droptail", f"--downlink-queue-args=packets={QUEUE}", "--",
             "sh", "-c", f"exec {receiver}"],
            cwd="/", env={**os.environ, "HOME": "/tmp", "USER": "nobody", "SHELL": "/bin/sh"}))


def arrivals(output):
    """Nanoseconds and bytes of each packet."""
    # Before the figures mm-link may say what it did.
    return json.loads(output[output.index("["):])
