"""The networks that are measured, and how packets are sent each way through them."""

import re
import subprocess

from probes.namespaces import MeasurementError

PREFIX = {4: 24, 6: 64}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise MeasurementError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Network:
    """A network with an interface to be conditioned in the namespace `app`."""

    interface = None
    namespaces = ()

    def make(self):
        for namespace in self.namespaces:
            run("ip", "netns", "add", namespace)
            run("ip", "-n", namespace, "link", "set", "lo", "up")

    def state(self):
        """All that linkcond may touch in the app's namespace; counters and indexes left out."""
        links = re.sub(r"^\d+: ", "", run("ip", "-n", "app", "link", "show"), flags=re.MULTILINE)
        inside = ("ip", "netns", "exec", "app")
        return links + "".join(
            run("tc", "-n", "app", *what, "dev", self.interface)
            for what in (("qdisc", "show"), ("filter", "show"),
                         ("filter", "show", "ingress"), ("filter", "show", "egress"))
        ) + run(*inside, "sh", "-c", "! command -v nft > /dev/null || nft list ruleset") + run(
            *inside, "sh", "-c", "head -n 999 /proc/sys/net/ipv[46]/conf/*/* 2> /dev/null || true")


class Wire(Network):
    """Two namespaces with a wire between them, whose end in the app's is conditioned."""

    interface = "veth-app"
    namespaces = ("app", "server")
    _address = {
        ("app", 4): "10.77.0.1", ("server", 4): "10.77.0.2",
        ("app", 6): "fd77::1", ("server", 6): "fd77::2",
    }

    def make(self):
        super().make()
        run("ip", "link", "add", "name", self.interface, "netns", "app", "type", "veth",
            "peer", "name", "veth-server", "netns", "server")
        for namespace in self.namespaces:
            run("ip", "-n", namespace, "link", "set", f"veth-{namespace}", "up")
            for version in (4, 6):
                address = f"{self._address[namespace, version]}/{PREFIX[version]}"
                run("ip", "-n", namespace, "address", "add", address, "dev", f"veth-{namespace}",
                    *(["nodad"] if version == 6 else []))

    def server_address(self, version):
        return self._address["server", version]

    def way(self, name, version, port):
        """Where to send what goes this way, as arguments of the probes. Towards the app is down."""
        sender, receiver = ("server", "app") if name == "down" else ("app", "server")
        return {
            "to": self._address[receiver, version], "port": port,
            "sender_namespace": sender, "receiver_namespace": receiver}


class Loopback(Network):
    """The loopback of a namespace, where what goes to a server goes up."""

    interface = "lo"
    namespaces = ("app",)

    def server_address(self, version):
        return {4: "127.0.0.1", 6: "::1"}[version]

    def way(self, name, version, port):
        """By its ports a sender is a server, or a client, which has one above 32,767."""
        ports = {"port": port + 40_000, "sender_port": port} if name == "down" else {"port": port}
        return {
            "to": self.server_address(version), **ports,
            "sender_namespace": "app", "receiver_namespace": "app"}


NETWORKS = {"veth": Wire, "lo": Loopback}
