"""The servers of a test run, and a shop whose database connection a test conditions."""

import contextlib
import json
import threading
import time
import urllib.error
import urllib.request

import psycopg
import pytest

import servers
import shop


@pytest.fixture(scope="session")
def database_port():
    with servers.postgres() as port:
        yield port


@pytest.fixture(scope="session")
def cache_port():
    with servers.redis_server() as port:
        yield port


class Customer:
    """Uses a shop over HTTP, and sees its database from behind."""

    def __init__(self, url, database):
        self.url = url
        self.database = database

    def send(self, method, path, body=None):
        """The status, the answer and the seconds that it took."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        began = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, content = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, content = error.code, error.read()
        return status, json.loads(content), time.monotonic() - began

    def products(self):
        return self.send("GET", "/products")

    def order(self, key, product=1):
        return self.send("PUT", f"/orders/{key}", {"product": product})

    def stored(self, statement):
        with psycopg.connect(**self.database) as connection:
            return connection.execute(statement).fetchone()[0]


@pytest.fixture
def open_shop(database_port, cache_port, request):
    """Opens a shop that reaches its database at a host and port; its data are new."""
    name = "shop_" + "".join(c for c in request.node.name.lower() if c.isalnum())
    server = {"host": "127.0.0.1", "port": database_port, "user": "shop"}
    with psycopg.connect(**server, dbname="postgres", autocommit=True) as connection:
        connection.execute(f"create database {name}")
    direct = {**server, "dbname": name}
    with psycopg.connect(**direct) as connection:
        connection.execute(shop.SCHEMA)
    with contextlib.ExitStack() as stack:
        def open(host, port, **options):
            database = {**direct, "host": host, "port": port}
            web = shop.serve(shop.Shop(database, {"port": cache_port}, **options))
            thread = threading.Thread(target=web.serve_forever, daemon=True)
            thread.start()
            stack.callback(web.server_close)
            stack.callback(web.shutdown)
            return Customer("http://127.0.0.1:%d" % web.server_port, direct)

        yield open
