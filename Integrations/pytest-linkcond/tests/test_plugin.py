"""The plugin against real listeners; the targets are threads of this process."""

import os
import socket
import threading
import time

import pytest


@pytest.fixture
def echo():
    """The address of a server that sends back what it gets."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve(connection):
        with connection:
            try:
                while data := connection.recv(65536):
                    connection.sendall(data)
            except OSError:
                pass

    def accept():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=[connection], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield "127.0.0.1:%d" % server.getsockname()[1]
    server.close()


def connect(listener):
    return socket.create_connection((listener.host, listener.port), timeout=20)


def round_trip(connection, data=b"x"):
    began = time.monotonic()
    connection.sendall(data)
    received = b""
    while len(received) < len(data):
        received += connection.recv(65536)
    assert received == data
    return time.monotonic() - began


def test_passes_data_without_a_marker(linkcond_proxy, echo):
    listener = linkcond_proxy(echo)
    with connect(listener) as connection:
        round_trip(connection, b"hello" * 10000)
    end = time.monotonic() + 20
    while listener.counters["accepted"] != 1:
        assert time.monotonic() < end


@pytest.mark.network("baseline", set=["down.delay=150 ms", "up.delay=150 ms"])
def test_marker_gives_the_link_its_conditions(linkcond_proxy, echo):
    with connect(linkcond_proxy(echo)) as connection:
        assert round_trip(connection) >= 0.3


# Each is on a link of its own: side by side, neither is as slow as both.
@pytest.mark.parametrize("number", range(4))
@pytest.mark.network("3G")
def test_profiles_in_parallel(linkcond_proxy, echo, number):
    with connect(linkcond_proxy(echo)) as connection:
        assert round_trip(connection) >= 0.2


def test_change_while_connected(linkcond_proxy, echo):
    listener = linkcond_proxy(echo)
    with connect(listener) as connection:
        before = round_trip(connection)
        listener.change("baseline", set=["down.delay=400 ms"])
        assert round_trip(connection) >= 0.4 > before
        listener.change("baseline")
        # What TCP repeated meanwhile takes the 400 ms still, and nothing overtakes it.
        round_trip(connection)
        assert round_trip(connection) < 0.4


def test_silence_passes(linkcond_proxy, echo):
    listener = linkcond_proxy(echo)
    with connect(listener) as connection:
        round_trip(connection)
        connection.settimeout(0.7)
        with listener.silence():
            connection.sendall(b"y")
            with pytest.raises(TimeoutError):
                connection.recv(1)
        # TCP sends it again.
        connection.settimeout(20)
        assert connection.recv(1) == b"y"


def test_disabled_listener_refuses(linkcond_proxy, echo):
    listener = linkcond_proxy(echo)
    with connect(listener) as connection:
        round_trip(connection)
        listener.disable()
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
    with pytest.raises(ConnectionRefusedError):
        connect(listener)
    listener.enable()
    with connect(listener) as connection:
        round_trip(connection)


def test_reset_connections(linkcond_proxy, echo):
    listener = linkcond_proxy(echo)
    with connect(listener) as connection:
        round_trip(connection)
        listener.reset_connections()
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
    with connect(listener) as connection:
        round_trip(connection)


def test_toxic_of_streams(linkcond_proxy, echo):
    listener = linkcond_proxy(echo)
    with listener.toxic("limit_data", bytes=3), connect(listener) as connection:
        connection.sendall(b"hello")
        received = b""
        while data := connection.recv(100):
            received += data
        assert received == b"hel"


def test_wrong_profile_is_named(linkcond_proxy, echo):
    from pytest_linkcond import LinkcondError

    listener = linkcond_proxy(echo)
    with pytest.raises(LinkcondError, match="3H"):
        listener.change("3H")


def test_worker_has_one_process(_linkcond):
    assert os.path.exists(f"/proc/{_linkcond._process.pid}")
