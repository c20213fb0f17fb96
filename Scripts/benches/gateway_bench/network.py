"""A router, a server behind its uplink, and devices behind a switch, as network namespaces."""

import os
import subprocess
import sys
import time

SERVER = {4: "198.51.100.1", 6: "2001:db8:1::1"}

LEASE = """#!/bin/sh
case $1 in bound | renew)
    ip -4 address flush dev $interface
    ip address add $ip/$mask dev $interface
    ip route replace default via $router ;;
esac
"""


class Network:
    """The namespaces, which are gone at the end."""

    def __init__(self, count, directory):
        self.prefix = f"lcgw{os.getpid()}"
        self.devices = [f"{self.prefix}-d{number}" for number in range(count)]
        self.router, self.server, self.fabric = (f"{self.prefix}-{x}" for x in "rsf")
        self.lease = os.path.join(directory, "lease")
        with open(self.lease, "w") as file:
            file.write(LEASE)
        os.chmod(self.lease, 0o755)

    def __enter__(self):
        r, s, f = self.router, self.server, self.fabric
        for name in [r, s, f, *self.devices]:
            sh(f"ip netns add {name} && ip -n {name} link set lo up")
        sh(f"""set -e
        ip link add wan0 netns {r} type veth peer name eth0 netns {s}
        ip -n {r} address add 198.51.100.2/24 dev wan0
        ip -n {r} address add 2001:db8:1::2/64 dev wan0 nodad
        ip -n {r} link set wan0 up
        ip -n {s} address add {SERVER[4]}/24 dev eth0
        ip -n {s} address add {SERVER[6]}/64 dev eth0 nodad
        ip -n {s} link set eth0 up
        ip -n {r} route add default via {SERVER[4]}
        ip -n {r} -6 route add default via {SERVER[6]}
        ip -n {f} link add br0 type bridge
        ip -n {f} link set br0 addrgenmode none up
        ip link add lan0 netns {r} type veth peer name port0 netns {f}
        ip -n {f} link set port0 master br0 addrgenmode none up
        ip -n {r} link set lan0 up""")
        for number, name in enumerate(self.devices):
            sh(f"""set -e
            ip link add eth0 netns {name} type veth peer name p{number} netns {f}
            ip -n {f} link set p{number} master br0 addrgenmode none up
            ip -n {name} link set eth0 address 02:00:00:00:01:{number:02x} up""")
        return self

    def __exit__(self, *_):
        for name in [*self.devices, self.router, self.server, self.fabric]:
            sh(f"ip netns pids {name} | xargs -r kill -9; ip netns delete {name}", check=False)

    def popen(self, namespace, *command, **options):
        return subprocess.Popen(
            ["ip", "netns", "exec", namespace, *map(str, command)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, **options)


def sh(script, check=True):
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"bench gateway: {script}: {done.stderr.strip()}")
    return done.stdout


def until(what, condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    sys.exit(f"bench gateway: never: {what}")
