"""The API of a running proxy, over its Unix socket."""

import http.client
import json
import socket
from urllib.parse import quote


class LinkcondError(Exception):
    """The proxy has refused a request, or does not run."""


class _Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class API:
    """Sends requests, each on a connection of its own."""

    def __init__(self, path):
        self._path = path

    def request(self, method, *segments, body=None):
        """The JSON of the answer; None for one without."""
        connection = _Connection(self._path)
        try:
            target = "/" + "/".join(quote(segment, safe="") for segment in segments)
            connection.request(method, target, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            content = answer.read()
        except OSError as error:
            raise LinkcondError(f"linkcond's proxy does not answer: {error}") from error
        finally:
            connection.close()
        value = json.loads(content) if content else None
        if answer.status >= 400:
            raise LinkcondError(f"{method} {target}: {value['error']}")
        return value
