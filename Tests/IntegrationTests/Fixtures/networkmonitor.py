# networkmonitor.py COMMAND...: prints what GLib says of the network, and again after each shell
# command, once GLib has told of the change: monitor, available, metered, connectivity, and the
# signals that came.
import subprocess
import sys

import gi
from gi.repository import Gio, GLib

PATIENCE = 30
monitor = Gio.NetworkMonitor.get_default()
context = GLib.MainContext.default()
signals = set()


def state():
    return (
        monitor.get_network_available(),
        monitor.get_network_metered(),
        monitor.get_connectivity().value_nick,
    )


def wait(isover):
    expired = []
    source = GLib.timeout_add_seconds(PATIENCE, lambda: expired.append(True))
    while not isover() and not expired:
        context.iteration(True)
    if expired:
        sys.exit(f"nothing changed from {state()}")
    GLib.source_remove(source)


def show():
    print(type(monitor).__name__, *state(), *sorted(signals), flush=True)
    signals.clear()


for name in ("network-metered", "network-available", "connectivity"):
    monitor.connect(f"notify::{name}", lambda *_, name=name: signals.add(name))
# The portal answers when the main loop runs.
if "Portal" in type(monitor).__name__:
    wait(lambda: state()[0])
    signals.clear()
show()
for command in sys.argv[1:]:
    before = state()
    subprocess.run(command, shell=True, check=True, stdout=sys.stderr)
    wait(lambda: state() != before)
    # What belongs to one change comes together.
    while context.pending():
        context.iteration(False)
    show()
