"""What toxics do to connections, by toxiproxy-python, and what its errors are."""

import itertools
import socket
import time

import pytest
from toxiproxy import Toxiproxy
from toxiproxy.exceptions import InvalidToxic, NotFound, ProxyExists

_numbers = itertools.count(1)


@pytest.fixture
def client(api):
    client = Toxiproxy()
    client.update_api_consumer("127.0.0.1", int(api.address.rpartition(":")[2]))
    yield client
    client.destroy_all()


@pytest.fixture
def proxy(client, echo):
    return client.create(name=f"echo{next(_numbers)}", upstream=echo)


def connect(proxy):
    host, port = proxy.listen.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=20)


def exchange(connection, data=b"x"):
    """Seconds until the same comes back."""
    began = time.monotonic()
    connection.sendall(data)
    received = b""
    while len(received) < len(data):
        part = connection.recv(65536)
        assert part, "closed"
        received += part
    assert received == data
    return time.monotonic() - began


def test_client_finds_what_it_made(client, proxy):
    assert client.running()
    assert b"2." in client.version()
    assert list(client.proxies()) == [proxy.name]
    assert client.get_proxy(proxy.name).listen == proxy.listen
    with connect(proxy) as connection:
        exchange(connection)


def test_errors_are_those_that_the_client_knows(client, proxy, echo):
    from toxiproxy.api import APIConsumer

    with pytest.raises(ProxyExists):
        APIConsumer.post("/proxies", json={"name": proxy.name, "upstream": echo})
    with pytest.raises(InvalidToxic, match="invalid toxic type"):
        proxy.add_toxic(type="unknown")
    with pytest.raises(InvalidToxic, match="share its link"):
        proxy.add_toxic(type="latency", toxicity=0.5)
    with pytest.raises(NotFound, match="toxic not found"):
        proxy.destroy_toxic("unknown")
    with pytest.raises(NotFound, match="proxy not found"):
        APIConsumer.get("/proxies/unknown")


def test_latency_reaches_open_connections(proxy):
    with connect(proxy) as connection:
        before = exchange(connection)
        proxy.add_toxic(type="latency", attributes={"latency": 250})
        proxy.add_toxic(type="latency", stream="upstream", attributes={"latency": 250})
        assert exchange(connection) >= 0.5 > before
        assert set(proxy.toxics()) == {"latency_upstream", "latency_downstream"}
        proxy.destroy_toxic("latency_upstream")
        assert 0.25 <= min(exchange(connection) for _ in range(5)) < 0.5
        proxy.destroy_toxic("latency_downstream")
        assert min(exchange(connection) for _ in range(5)) < 0.25


def test_bandwidth_is_in_kilobytes(proxy):
    data = b"x" * 50_000
    with connect(proxy) as connection:
        exchange(connection)
        proxy.add_toxic(type="bandwidth", attributes={"rate": 25})
        # Some of it waits in the link's queue, none of it passes faster.
        assert exchange(connection, data) >= 1.5
        proxy.destroy_toxic("bandwidth_downstream")
        assert exchange(connection, data) < 1.5


@pytest.mark.parametrize("toxic", [
    {"type": "bandwidth", "attributes": {"rate": 0}}, {"type": "down"},
    {"type": "loss", "attributes": {"percent": 100}},
])
def test_cut_is_silent_and_loses_nothing(proxy, toxic):
    with connect(proxy) as connection:
        exchange(connection)
        proxy.add_toxic(**toxic)
        connection.sendall(b"y")
        connection.settimeout(0.7)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        proxy.destroy_toxic(toxic["type"] + "_downstream")
        connection.settimeout(20)
        assert connection.recv(1) == b"y"


def test_loss_is_of_packets(api, proxy):
    # TCP waits twice as long after each loss of the same packet: with longer bursts now and then minutes.
    proxy.add_toxic(type="loss", attributes={"percent": 10, "burst": 1.5})
    with connect(proxy) as connection:
        connection.settimeout(60)
        exchange(connection, b"x" * 300_000)
    end = time.monotonic() + 20
    while True:
        links = api.send("GET", "/v1/counters")[1]["links"]
        if links[proxy.name]["down"]["lost"] > 0:
            break
        assert time.monotonic() < end, "nothing was lost"
    assert links[proxy.name]["up"]["lost"] == 0


def test_toxics_of_streams(proxy):
    proxy.add_toxic(type="limit_data", attributes={"bytes": 3})
    with connect(proxy) as connection:
        connection.sendall(b"hello")
        received = b""
        while data := connection.recv(10):
            received += data
        assert received == b"hel"
    proxy.destroy_toxic("limit_data_downstream")
    proxy.add_toxic(type="reset_peer", attributes={"timeout": 100})
    with connect(proxy) as connection, pytest.raises(ConnectionResetError):
        connection.sendall(b"x")
        while connection.recv(1):
            pass
    proxy.destroy_toxic("reset_peer_downstream")
    proxy.add_toxic(type="timeout", attributes={"timeout": 300})
    # It counts from the moment when the connection was accepted.
    began = time.monotonic()
    with connect(proxy) as connection:
        connection.sendall(b"x")
        assert connection.recv(1) == b""
        assert time.monotonic() - began >= 0.3
    proxy.destroy_toxic("timeout_downstream")
    proxy.add_toxic(
        type="slicer", attributes={"average_size": 10, "size_variation": 5, "delay": 1000})
    with connect(proxy) as connection:
        assert exchange(connection, b"x" * 1000) >= 0.06


def test_disabled_proxy_refuses(proxy):
    with connect(proxy) as connection:
        exchange(connection)
        with proxy.down():
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                while connection.recv(1):
                    pass
            with pytest.raises(ConnectionRefusedError):
                connect(proxy)
    with connect(proxy) as connection:
        exchange(connection)


def test_reset_and_populate(client, proxy, echo):
    proxy.add_toxic(type="down")
    proxy.add_toxic(type="timeout", attributes={"timeout": 0})
    proxy.disable()
    assert client.reset()
    assert proxy.toxics() == {}
    with connect(proxy) as connection:
        exchange(connection)
    made = client.populate([{"name": "one", "listen": "127.0.0.1:0", "upstream": echo},
                            {"name": proxy.name, "listen": proxy.listen, "upstream": echo}])
    assert [one.name for one in made] == ["one"]
