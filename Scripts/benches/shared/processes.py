"""Starts programs, and complains of those that fail."""

import subprocess
import sys


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
