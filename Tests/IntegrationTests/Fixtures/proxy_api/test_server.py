"""The API's server: its addresses, its limits, clients that mean no good, and its end."""

import contextlib
import json
import os
import resource
import signal
import socket
import stat
import subprocess
import threading
import time

from http.client import HTTPException

import pytest

from conftest import PROGRAM, free_port

TOKEN = "0123456789abcdef"


def is_free(address):
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) != 0


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "in vain"
        time.sleep(0.02)


def test_description_is_openapi_and_answers_conform(api, echo):
    from jsonschema import Draft202012Validator
    from openapi_spec_validator import validate

    description = api.send("GET", "/v1/openapi.json")[1]
    validate(description)

    def conforms(name, value):
        schema = {"$ref": f"#/components/schemas/{name}", "components": description["components"]}
        Draft202012Validator(schema).validate(value)

    body = {"name": "all", "address": "127.0.0.1:0", "target": echo, "profile": "3G",
            "settings": ["down.loss=1%"], "proxyHeader": "v1", "enabled": True,
            "behaviours": [{"type": "slow_close", "delay": 10}]}
    conforms("NewListener", body)
    status, listener, headers = api.send("POST", "/v1/listeners", body)
    assert (status, headers["etag"]) == (201, f'"{listener["version"]}"')
    conforms("Listener", listener)
    api.send("POST", "/proxies/all/toxics", {"type": "loss", "attributes": {"rate": 0.1}})
    for path, name in [("state", "State"), ("counters", "Counters"), ("profiles", "ProfileList"),
                       ("listeners", "ListenerList"), ("links", "LinkList"),
                       ("links/all", "Link")]:
        conforms(name, api.send("GET", f"/v1/{path}")[1])
    conforms("Error", api.send("GET", "/v1/links/none")[1])
    conforms("Error", api.send("PATCH", "/v1/links/all", {"profil": "LTE"})[1])
    assert api.send("DELETE", "/v1/listeners/all")[0] == 204


def test_testcontainers_waits_for_it(api):
    from testcontainers.core.wait_strategies import HttpWaitStrategy

    class Container:
        """What a strategy asks of a container, of which there is none without an engine."""

        def get_container_host_ip(self):
            return "127.0.0.1"

        def get_exposed_port(self, port):
            return int(api.address.rpartition(":")[2])

    HttpWaitStrategy(8474, "/version").for_status_code(200).wait_until_ready(Container())


def test_wrong_profiles_settings_and_addresses_are_named(api, echo):
    new = {"address": "127.0.0.1:0", "target": echo}
    for change, text in [({"profile": "3H"}, "3H"), ({"settings": ["down.los=1%"]}, "los"),
                         ({"address": "127.0.0.1"}, "127.0.0.1"), ({"link": "none"}, "none"),
                         ({"target": "echo"}, "echo")]:
        status, answer, _ = api.send("POST", "/v1/listeners", {**new, **change})
        assert status in (400, 404), answer
        assert text in answer["error"]
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        status, answer, _ = api.send(
            "POST", "/proxies", {"name": "a", "listen": f"localhost:{port}", "upstream": echo})
    assert (status, answer["error"]) == (
        500, f"listen tcp 127.0.0.1:{port}: bind: address already in use")
    assert api.send("GET", "/proxies")[1] == {}


def test_changes_are_told_as_events(api, echo):
    connection = api.connect()
    connection.sendall(b"GET /v1/events?counters=50 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    lines = connection.makefile()
    events = []

    def read():
        with contextlib.suppress(OSError):
            for line in lines:
                if line.startswith("event: "):
                    name = line.split()[1]
                    events.append((name, json.loads(next(lines).removeprefix("data: "))))

    reader = threading.Thread(target=read)
    reader.start()
    until(lambda: events)
    api.send("POST", "/proxies", {"name": "told", "upstream": echo})
    api.send("POST", "/proxies/told/toxics", {"type": "down"})
    api.send("DELETE", "/proxies/told")
    until(lambda: "listener-deleted" in [name for name, _ in events])
    until(lambda: "counters" in [name for name, _ in events])
    names = [name for name, _ in events]
    assert names[0] == "state"
    assert "link" in names
    assert ("listener-deleted", {"name": "told"}) in events
    assert [value["name"] for name, value in events if name == "listener"][0] == "told"
    connection.shutdown(socket.SHUT_RDWR)
    reader.join()


def test_one_of_many_controllers_wins(api):
    api.send("POST", "/v1/links", {"name": "fought"})
    version = api.send("GET", "/v1/links/fought")[2]["etag"]
    statuses = []

    def change(number):
        body = {"settings": [f"down.delay={number} ms"]}
        statuses.append(api.send("PATCH", "/v1/links/fought", body, {"If-Match": version})[0])

    threads = [threading.Thread(target=change, args=[number]) for number in range(1, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [412] * 15
    assert api.send("DELETE", "/v1/links/fought")[0] == 204


@pytest.mark.parametrize("content, status, text", [
    (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400, b""),
    (b"\x16\x03\x01\x00\xff" * 20 + b"\r\n\r\n", 400, b""),
    (b"GET / HTTP/1.1\r\nA: " + b"x" * 40_000 + b"\r\n\r\n", 431, b""),
    (b"POST /reset HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413, b"longer than 1048576"),
    (b"GET /%zz HTTP/1.1\r\n\r\n", 400, b"percent encoding"),
    (b"GET /proxies HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, b"loopback"),
    (b"POST /reset HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n", 403,
     b"evil.example"),
    (b"LOCK /proxies HTTP/1.1\r\n\r\n", 405, b"GET, POST"),
])
def test_hostile_requests_are_refused(api, content, status, text):
    with api.connect() as connection:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while data := connection.recv(65536):
            answer += data
    found = int(answer.split()[1])
    assert found == status or (found, status) == (400, 431), answer
    assert text in answer
    assert api.send("GET", "/version")[0] == 200


@pytest.mark.parametrize("content, status, text", [
    (b"hello\r\n\r\n", 400, "no HTTP/1.1: invalid HTTP method"),
    (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400, "invalid character in header"),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "the request is no HTTP/1.1"),
    (b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400, "content-length"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "chunk size"),
    (b"GET / HTTP/1.1\r\nA: " + b"x" * 17_000 + b"\r\n\r\n", 431, "each field 16384 bytes"),
    (b"GET / HTTP/1.1\r\nA: " + b"x" * 3_000_000 + b"\r\n\r\n", 431, "too long"),
    (b"GET / HTTP/1.1\r\n" + b"A: x\r\n" * 101 + b"\r\n", 431, "100 fields"),
    (b"POST /reset HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n" + b"x" * 3_000_000, 413, "1048576"),
], ids=lambda value: repr(value)[:40])
def test_what_cannot_be_read_is_told_and_ends_the_connection(api, content, status, text):
    # Far below the time in which a header has to arrive.
    with api.connect(timeout=5) as connection:
        connection.sendall(content)
        answer = b""
        while data := connection.recv(65536):
            answer += data
        head, _, body = answer.partition(b"\r\n\r\n")
        assert int(head.split()[1]) == status
        assert b"connection: close" in head.lower()
        assert text in json.loads(body)["error"]
        # The server does not wait for the client's end.
        end = time.monotonic() + 8
        with pytest.raises(OSError):
            while time.monotonic() < end:
                connection.sendall(b"x")
                time.sleep(0.1)


def test_request_that_cannot_be_read_follows_the_answer_to_the_one_before(api):
    with api.connect(timeout=5) as connection:
        connection.sendall(b"GET /version HTTP/1.1\r\n\r\nhello\r\n\r\n")
        answer = b""
        while data := connection.recv(65536):
            answer += data
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.count(b"HTTP/1.1 400 Bad Request\r\n") == 1


def test_long_body_in_pieces_is_cut_off(api):
    with api.connect() as connection:
        connection.sendall(b"POST /populate HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
        with pytest.raises(OSError):
            for _ in range(1000):
                connection.sendall(piece)
    assert api.send("GET", "/version")[0] == 200


def test_slow_loris_delays_nobody(start):
    api = start()
    slow = [api.connect() for _ in range(100)]
    for connection in slow:
        connection.sendall(b"GET / HTTP/1.1\r\nA: ")
    began = time.monotonic()
    closed = []

    def drip():
        waiting = list(slow)
        while waiting:
            for connection in list(waiting):
                try:
                    connection.setblocking(False)
                    connection.send(b"G")
                    if not connection.recv(4096, socket.MSG_PEEK):
                        raise ConnectionError
                except BlockingIOError:
                    continue
                except OSError:
                    pass
                waiting.remove(connection)
                closed.append(time.monotonic() - began)
            time.sleep(0.2)

    thread = threading.Thread(target=drip)
    thread.start()
    while thread.is_alive():
        asked = time.monotonic()
        assert api.send("GET", "/version")[0] == 200
        assert time.monotonic() - asked < 5
        time.sleep(0.1)
    assert len(closed) == 100
    # Sending something again and again bought them no time.
    assert 8 < min(closed) <= max(closed) < 20
    for connection in slow:
        connection.close()


def test_connections_are_limited_and_old_ones_stay(start):
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    api = start()
    old = api.connect()
    crowd = [api.connect() for _ in range(700)]
    old.sendall(b"GET /version HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert b"200 OK" in old.recv(4096)

    def refused():
        """How many of the crowd the server has closed."""
        count = 0
        for connection in crowd:
            connection.setblocking(False)
            try:
                count += connection.recv(1, socket.MSG_PEEK) == b""
            except BlockingIOError:
                pass
            except ConnectionResetError:
                count += 1
        return count

    # It is still accepting some of them, perhaps.
    until(lambda: refused() >= 150)
    assert refused() < 700
    for connection in [old, *crowd]:
        connection.close()
    until(lambda: answers(api))


def answers(api):
    try:
        return api.send("GET", "/version")[0] == 200
    except (OSError, HTTPException):
        return False


def test_port_in_use_is_said(start):
    first = start()
    second = subprocess.run(
        [PROGRAM, "proxy", "baseline", "--api", first.address, "--", "sleep", "60"],
        capture_output=True, text=True, timeout=60)
    assert second.returncode != 0
    assert first.address in second.stderr and "another program listens there" in second.stderr


@pytest.mark.parametrize("address, options, text", [
    ("127.0.0.1", [], "127.0.0.1:8474"), ("0.0.0.0:0", [], "needs a token"),
    ("0.0.0.0:0", ["--api-token", "short"], "at least 16"),
    ("192.0.2.1:8474", ["--api-token", TOKEN], "192.0.2.1"),
])
def test_wrong_addresses_are_said(address, options, text):
    result = subprocess.run(
        [PROGRAM, "proxy", "baseline", "--api", address, *options, "--", "sleep", "60"],
        capture_output=True, text=True, timeout=60)
    assert result.returncode != 0
    assert text in result.stderr


def test_token_opens_other_addresses(start):
    api = start(f"0.0.0.0:{free_port()}", variables={"LINKCOND_API_TOKEN": TOKEN})
    assert api.send("GET", "/version")[0] == 401
    assert api.send("GET", "/version", headers={"Authorization": f"Bearer {TOKEN}"})[0] == 200
    import requests

    url = f"http://:{TOKEN}@127.0.0.1:{api.address.rpartition(':')[2]}/version"
    assert requests.get(url).status_code == 200


def test_unix_socket_is_the_users_alone_and_goes(start, tmp_path):
    path = str(tmp_path / "api")
    api = start(f"unix:{path}")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert api.send("GET", "/proxies")[1] == {}
    number = api.api_process
    # A proxy that goes on would start it again.
    api.process.send_signal(signal.SIGSTOP)
    os.kill(number, signal.SIGKILL)
    api.process.kill()
    until(lambda: not os.path.exists(f"/proc/{number}"))
    # What it leaves is no obstacle.
    assert os.path.exists(path)
    again = start(f"unix:{path}")
    assert again.send("GET", "/proxies")[1] == {}
    assert again.end() == 0
    until(lambda: not os.path.exists(path))


def test_api_ends_with_a_killed_proxy(start):
    api = start()
    number = api.api_process
    api.process.kill()
    api.process.wait()
    until(lambda: not os.path.exists(f"/proc/{number}"))
    assert is_free(api.address)


def killed(api):
    """Kills the process that serves the API."""
    number = api.api_process
    os.kill(number, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{number}"))


def test_killed_api_is_started_again_with_its_toxics(start, echo):
    api = start()
    listener = api.send("POST", "/proxies", {"name": "a", "upstream": echo})[1]
    toxic = {"type": "latency", "attributes": {"latency": 200, "jitter": 0}}
    api.send("POST", "/proxies/a/toxics", toxic)
    api.send("PATCH", "/v1/links/a", {"settings": ["down.delay=50 ms"]})
    host, _, port = listener["listen"].rpartition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        killed(api)
        # Connections go on meanwhile, over the same link.
        began = time.monotonic()
        connection.sendall(b"x")
        assert connection.recv(1) == b"x"
        assert time.monotonic() - began >= 0.25
    until(lambda: answers(api))
    assert api.send("GET", "/proxies/a/toxics")[1][0]["attributes"] == toxic["attributes"]
    link = api.send("GET", "/v1/links/a")[1]
    assert (link["settings"], link["inForce"]["settings"]) == (
        ["down.delay=50 ms"], ["down.delay=50 ms", "down.delay=250 ms"])
    assert api.send("DELETE", "/proxies/a/toxics/latency_downstream")[0] == 204
    assert api.send("GET", "/v1/links/a")[1]["inForce"]["settings"] == ["down.delay=50 ms"]
    # A program that ends again and again does not serve.
    for _ in range(3):
        killed(api)
        until(lambda: answers(api) or api.process.poll() is not None)
    assert api.process.wait(timeout=20) == 69
    assert "again and again" in api.process.stderr.read()
    assert is_free(listener["listen"])
