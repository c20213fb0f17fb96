"""Two network namespaces joined by a wire, and linkcond in the near one."""

import os
import subprocess
from contextlib import contextmanager

from shared.processes import run

# By version of IP: the near end, the far end, and another address of the far end.
ADDRESSES = {
    4: ("198.51.100.1", "198.51.100.2", "198.51.100.3"),
    6: ("2001:db8:51::1", "2001:db8:51::2", "2001:db8:51::3"),
}
NEAR, FAR, OTHER = range(3)


class Wire:
    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.names = {place: f"lcbench-{place}-{os.getpid()}" for place in ("near", "far")}

    @classmethod
    @contextmanager
    def made(cls, program):
        wire = cls(program)
        try:
            wire.build()
            yield wire
        finally:
            wire.remove()

    def remove(self):
        # The engine of a namespace that is gone notices it, but takes its time.
        subprocess.run([*self.inside("near"), self.program, "clear"], capture_output=True)
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def inside(self, place):
        return ["ip", "netns", "exec", self.names[place]]

    def build(self):
        for name in self.names.values():
            run(["ip", "netns", "add", name])
        run(["ip", "link", "add", "eth0", "netns", self.names["near"], "type", "veth",
             "peer", "name", "eth0", "netns", self.names["far"]])
        commands = {"near": [], "far": []}
        for near, *far in ADDRESSES.values():
            for place, addresses in (("near", [near]), ("far", far)):
                for address in addresses:
                    rest = "/64 dev eth0 nodad" if ":" in address else "/24 dev eth0"
                    commands[place].append(f"addr add {address}{rest}")
        for place, lines in commands.items():
            lines += ["link set eth0 addrgenmode none", "link set eth0 up"]
            for line in lines:
                run(["ip", "-n", self.names[place], *line.split()])

    def linkcond(self, *arguments):
        # Not by ip netns exec, which hides the control groups.
        place = ["nsenter", f"--net=/run/netns/{self.names['near']}"]
        return run([*place, self.program, *arguments])
