"""A web shop: products and orders in PostgreSQL, the product list cached in Redis.

What it promises its customers when the network to the database is bad, its tests show:
- an order is placed once or not at all, however often it is sent;
- the list of products comes from the cache when the database is away;
- no request waits longer than PATIENCE seconds.
"""

import contextlib
import json
import os
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg
import redis

PATIENCE = 20.0

SCHEMA = """
create table products (id int primary key, name text not null, stock int not null);
create table orders (key text primary key, product int not null references products);
insert into products values (1, 'kettle', 100), (2, 'teapot', 100);
"""


class DatabaseAway(Exception):
    """The database did not answer in time."""


class Shop:
    """The shop without its web server."""

    def __init__(self, database, cache, patience=PATIENCE):
        """`database` has the parameters of psycopg.connect, `cache` those of redis.Redis."""
        self._database = database
        self._cache = redis.Redis(socket_timeout=2, **cache)
        self._patience = patience

    def products(self):
        """The products, and whether the list may be old."""
        try:
            rows = self._run("select id, name, stock from products order by id", fetch=True)
        except DatabaseAway:
            cached = self._cache.get("products")
            if cached is None:
                raise
            return json.loads(cached), True
        products = [{"id": id, "name": name, "stock": stock} for id, name, stock in rows]
        self._cache.set("products", json.dumps(products))
        return products, False

    def order(self, key, product):
        """Places an order; the same key again places no other."""
        # One statement: the order and the stock change together or not at all.
        self._run(
            "with placed as (insert into orders values (%s, %s) on conflict do nothing"
            " returning product)"
            " update products set stock = stock - 1 where id = (select product from placed)",
            key, product)

    def _run(self, statement, *values, fetch=False):
        """Runs a statement that may be run again, until it succeeds or patience ends."""
        end = time.monotonic() + self._patience
        while True:
            left = end - time.monotonic()
            if left < 1:
                raise DatabaseAway(f"no answer within {self._patience} s")
            try:
                limit = max(2, int(left))
                with (
                    psycopg.connect(**self._database, connect_timeout=limit) as connection,
                    cut_after(end - time.monotonic(), connection),
                ):
                    cursor = connection.execute(statement, values)
                    return cursor.fetchall() if fetch else None
            except psycopg.errors.IntegrityError:
                raise
            except psycopg.OperationalError as error:
                if "refused" in str(error):
                    raise DatabaseAway("it refuses connections") from error
                # Lost on the way: whether it was carried out is unknown, so it is asked again.
                time.sleep(0.05)


@contextlib.contextmanager
def cut_after(seconds, connection):
    """Ends a connection whose server falls silent, for which libpq would wait for ever."""
    with socket.socket(fileno=os.dup(connection.fileno())) as own:
        timer = threading.Timer(max(0, seconds), own.shutdown, [socket.SHUT_RDWR])
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


class Handler(BaseHTTPRequestHandler):
    """`GET /products` and `PUT /orders/KEY`."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path != "/products":
            return self._answer(404, {"error": "no such page"})
        products, is_old = self.server.shop.products()
        self._answer(200, {"products": products, "old": is_old})

    def do_PUT(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.shop.order(self.path.removeprefix("/orders/"), body["product"])
        self._answer(201, {})

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except DatabaseAway as error:
            self._answer(503, {"error": f"the database is away: {error}"})

    def _answer(self, status, value):
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def serve(shop, address=("127.0.0.1", 0)):
    """A server, which the caller runs."""
    server = ThreadingHTTPServer(address, Handler)
    server.shop = shop
    return server
