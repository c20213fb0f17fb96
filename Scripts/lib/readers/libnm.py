# Prints what libnm says of the first device that is not the loopback, as a line of JSON, and again
# after each change.
import json

import gi

gi.require_version("NM", "1.0")
from gi.repository import GLib, NM  # noqa: E402

client = NM.Client.new(None)


def say(*_):
    device = next((d for d in client.get_devices() if d.get_iface() != "lo"), None)
    print(json.dumps({
        "metered": NM.Metered(client.props.metered).value_nick,
        "connectivity": client.get_connectivity().value_nick,
        "state": client.get_state().value_nick,
        "type": device and device.get_device_type().value_nick,
        "device": device and device.get_state().value_nick,
    }), flush=True)


def watch(device):
    for name in ("metered", "state", "device-type"):
        device.connect(f"notify::{name}", say)


for name in ("metered", "connectivity", "state"):
    client.connect(f"notify::{name}", say)
client.connect("device-added", lambda _, device: (watch(device), say()))
client.connect("device-removed", say)
for device in client.get_devices():
    watch(device)
GLib.idle_add(say)
GLib.MainLoop().run()
