"""The same promises with toxiproxy-python, unchanged, which speaks to `linkcond proxy --api`."""

import itertools
import os
import socket
import subprocess
import time

import pytest
from toxiproxy import Toxiproxy

import servers

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def toxiproxy():
    port = servers.free_port()
    # It ends with the command beside it, and that with this process's end of its input.
    program = os.environ.get("LINKCOND_BINARY", "linkcond")
    process = subprocess.Popen(
        [program, "proxy", "baseline", "--api", f"127.0.0.1:{port}", "--", "cat"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    client = Toxiproxy()
    client.update_api_consumer("127.0.0.1", port)
    while not client.running():
        assert process.poll() is None, "linkcond proxy has not started"
        time.sleep(0.02)
    yield client
    process.stdin.close()
    assert process.wait(timeout=30) == 0


@pytest.fixture
def database(toxiproxy, database_port):
    proxy = toxiproxy.create(
        name=f"database{next(_numbers)}", upstream=f"127.0.0.1:{database_port}")
    yield proxy
    toxiproxy.destroy(proxy)


def place(proxy):
    host, port = proxy.listen.rsplit(":", 1)
    return host, int(port)


def test_order_is_placed_once_over_high_loss(database, open_shop):
    customer = open_shop(*place(database), patience=120)
    database.add_toxic(type="profile", attributes={"name": "high-loss"})
    status, _, seconds = customer.order("a")
    assert status == 201
    assert seconds >= 3
    assert customer.order("a")[0] == 201
    assert customer.stored("select count(*) from orders") == 1
    database.destroy_toxic("profile_downstream")
    assert customer.products()[2] < 3


def test_products_come_from_the_cache_when_the_database_is_cut(database, open_shop):
    customer = open_shop(*place(database))
    assert customer.products()[1]["old"] is False
    with database.down():
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(place(database))
        assert customer.products()[1]["old"] is True
        assert customer.order("a")[0] == 503
    assert customer.products()[1]["old"] is False
    assert customer.stored("select count(*) from orders") == 0


def test_products_come_from_the_cache_when_answers_are_cut_short(database, open_shop):
    customer = open_shop(*place(database), patience=4)
    customer.products()
    database.add_toxic(type="limit_data", attributes={"bytes": 10})
    assert customer.products()[1]["old"] is True
    database.destroy_toxic("limit_data_downstream")
    assert customer.products()[1]["old"] is False


def test_latency_adds_to_each_round_trip(database, open_shop):
    customer = open_shop(*place(database))
    customer.products()
    database.add_toxic(type="latency", attributes={"latency": 300})
    # TCP's handshake has packets, too: three round trips, where Toxiproxy delays two.
    assert customer.products()[2] >= 0.9
