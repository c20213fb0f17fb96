"""A process of linkcond, and its listeners."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time

from .api import API, LinkcondError

BASELINE = "baseline"


class Listener:
    """A listener on a link of its own."""

    def __init__(self, api, state):
        self._api = api
        self.name = state["name"]
        self.address = state["address"]

    @property
    def host(self):
        return self.address.rpartition(":")[0].strip("[]")

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    @property
    def counters(self):
        return self._api.request("GET", "v1", "listeners", self.name)["counters"]

    def change(self, profile, set=()):
        """Gives the link another profile; connections stay."""
        body = {"profile": profile, "settings": list(set)}
        self._api.request("PATCH", "v1", "links", self._link, body=body)

    def play(self, scenario):
        """Plays a scenario's timeline on the link."""
        self._api.request("PUT", "v1", "links", self._link, "scenario", body={"scenario": scenario})

    def disable(self):
        """Closes the listener and resets its connections."""
        self._api.request("PATCH", "v1", "listeners", self.name, body={"enabled": False})

    def enable(self):
        """Opens it again, at the same address."""
        self._api.request("PATCH", "v1", "listeners", self.name, body={"enabled": True})

    def reset_connections(self):
        """Resets the connections."""
        self._api.request("DELETE", "v1", "listeners", self.name, "connections")

    @contextlib.contextmanager
    def toxic(self, type, stream="downstream", toxicity=1, **attributes):
        """A toxic of Toxiproxy's API, or of linkcond's own: loss, profile, down."""
        body = {"type": type, "stream": stream, "toxicity": toxicity, "attributes": attributes}
        path = ("proxies", self.name, "toxics")
        name = self._api.request("POST", *path, body=body)["name"]
        try:
            yield self
        finally:
            self._api.request("DELETE", *path, name)

    def silence(self):
        """No packet passes in either direction; connections stay open."""
        return self.toxic("down")

    def close(self):
        """Deletes the listener and its link."""
        self._api.request("DELETE", "v1", "listeners", self.name)

    @property
    def _link(self):
        return self._api.request("GET", "v1", "listeners", self.name)["link"]


class Proxy:
    """`linkcond proxy`, which ends with this process however that ends."""

    def __init__(self, program=None):
        program = program or os.environ.get("LINKCOND_BINARY") or "linkcond"
        found = shutil.which(program)
        if found is None:
            raise LinkcondError(
                f"there is no program {program}; install linkcond, or set LINKCOND_BINARY")
        # Not below pytest's directories: the path of a socket has at most 107 characters.
        self._directory = tempfile.TemporaryDirectory(prefix="linkcond-")
        socket = os.path.join(self._directory.name, "api")
        self._log = open(os.path.join(self._directory.name, "log"), "w+")
        # The proxy ends with the command beside it, and that with the other end of its input.
        self._process = subprocess.Popen(
            [found, "proxy", BASELINE, "--api", f"unix:{socket}", "--", "cat"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._log,
            start_new_session=True)
        self.api = API(socket)
        try:
            self._wait(socket)
        except BaseException:
            self.close()
            raise

    def listen(self, target, profile=BASELINE, set=(), name=None, address="127.0.0.1:0"):
        """Opens a listener that forwards to a target."""
        body = {"address": address, "target": target, "profile": profile, "settings": list(set)}
        if name is not None:
            body["name"] = name
        return Listener(self.api, self.api.request("POST", "v1", "listeners", body=body))

    def close(self):
        """Ends the proxy and all its listeners."""
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        self._directory.cleanup()

    def _wait(self, socket):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if self._process.poll() is not None:
                break
            if os.path.exists(socket):
                with contextlib.suppress(LinkcondError):
                    self.api.request("GET", "v1", "state")
                    return
            time.sleep(0.01)
        self._log.seek(0)
        raise LinkcondError(f"linkcond proxy has not started: {self._log.read().strip()}")
