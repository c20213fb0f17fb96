"""TCP through mahimahi's shells, where they are installed."""

import json
import os
import shutil
import tempfile
from contextlib import contextmanager

from shared.processes import run

# It refuses to run as root.
USER = 65534


def shells():
    """The commands that make the fastest link that each shell can be, by their names."""
    found = {}
    if shutil.which("mm-delay"):
        found["mm-delay 0"] = ["mm-delay", "0"]
    if shutil.which("mm-link"):
        found["mm-link, trace of 12 Gbit/s"] = ["mm-link", "{trace}", "{trace}", "--"]
    return found


@contextmanager
def trace():
    """A thousand packets in each millisecond."""
    with tempfile.TemporaryDirectory(prefix="linkcond-bench.") as directory:
        os.chmod(directory, 0o755)
        path = os.path.join(directory, "trace")
        with open(path, "w") as file:
            file.write("1\n" * 1000)
        yield path


def throughput(network, shell, seconds):
    """Gigabits per second of one TCP connection from within a shell to the namespace it is in."""
    network.allow_forwarding("app")
    script = f"exec iperf3 -c $MAHIMAHI_BASE -t {seconds} -J"
    with trace() as path, network.iperf_server("app"):
        command = [part.format(trace=path) for part in shell]
        done = run(
            [*network.inside("app"), "setpriv", f"--reuid={USER}", f"--regid={USER}",
             "--clear-groups", *command, "sh", "-c", script],
            env={**os.environ, "HOME": "/tmp", "USER": "nobody", "SHELL": "/bin/sh"})
    # Before the figures it may say what it did.
    return json.loads(done[done.index("{"):])["end"]["sum_received"]["bits_per_second"] / 1e9
