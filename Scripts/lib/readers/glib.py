# glib.py [gtk]: prints what GLib's GNetworkMonitor says, as a line of JSON, and again after each of
# its signals; in a GTK application with a window if asked to.
import json
import sys

import gi
from gi.repository import Gio, GLib

monitor = Gio.NetworkMonitor.get_default()


def say(*_):
    print(json.dumps({
        "monitor": type(monitor).__name__,
        "available": monitor.get_network_available(),
        "metered": monitor.get_network_metered(),
        "connectivity": monitor.get_connectivity().value_nick,
    }), flush=True)


for name in ("network-metered", "network-available", "connectivity"):
    monitor.connect(f"notify::{name}", say)

if sys.argv[1:] == ["gtk"]:
    gi.require_version("Gtk", "4.0")
    from gi.repository import Gtk

    def activate(application):
        Gtk.ApplicationWindow(application=application).present()
        say()

    # Without a bus of the session an application is its own only instance.
    application = Gtk.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.connect("activate", activate)
    application.run()
else:
    GLib.idle_add(say)
    GLib.MainLoop().run()
