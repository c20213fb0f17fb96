"""A proxy with an API, and servers behind it."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import threading
import time

import pytest

PROGRAM = os.environ["LINKCOND_BINARY"]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class API:
    """A proxy, and requests to its API."""

    def __init__(self, address, *options, variables={}, profile="baseline"):
        self.address = address
        # It ends with the command beside it, and that with this process's end of its input.
        self.process = subprocess.Popen(
            [PROGRAM, "proxy", profile, "--api", address, *options, "--", "cat"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **variables})

    def wait(self):
        for _ in range(3000):
            with contextlib.suppress(OSError):
                self.connect().close()
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError(f"the API is not there: {self.process.stderr.read()}")

    def connect(self, timeout=30):
        if self.address.startswith("unix:"):
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(timeout)
            connection.connect(self.address.removeprefix("unix:"))
            return connection
        host, _, port = self.address.rpartition(":")
        host = {"0.0.0.0": "127.0.0.1"}.get(host, host)
        return socket.create_connection((host.strip("[]"), int(port)), timeout=timeout)

    def send(self, method, path, body=None, headers={}):
        """Status, value and header fields of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1")
        connection.sock = self.connect()
        data = body if isinstance(body, (bytes, str, type(None))) else json.dumps(body)
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        with contextlib.suppress(ValueError):
            content = json.loads(content)
        return answer.status, content, answer.headers

    @property
    def api_process(self):
        """The number of the process that serves the API."""
        children = open(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read()
        return next(int(child) for child in children.split()
                    if open(f"/proc/{child}/comm").read().strip() == "linkcond-api")

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=30)
        self.process.stderr.close()
        return code


@pytest.fixture
def start():
    """Starts a proxy with an API at an address, and with options."""
    started = []

    def start(address=None, *options, **more):
        api = API(address or f"127.0.0.1:{free_port()}", *options, **more)
        started.append(api)
        return api.wait()

    yield start
    for api in started:
        if api.process.poll() is None:
            assert api.end() == 0


@pytest.fixture(scope="module")
def api():
    api = API(f"127.0.0.1:{free_port()}").wait()
    yield api
    assert api.end() == 0


@pytest.fixture
def echo():
    """The address of a server that sends back what it gets."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve(connection):
        with connection, contextlib.suppress(OSError):
            while data := connection.recv(65536):
                connection.sendall(data)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=serve, args=[connection], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield "127.0.0.1:%d" % server.getsockname()[1]
    server.close()
