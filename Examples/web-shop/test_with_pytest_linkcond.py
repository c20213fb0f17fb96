"""The shop's promises, with the plugin: each test has a link of its own, also in parallel."""

import pytest


@pytest.mark.network("high-loss")
def test_order_is_placed_once_over_high_loss(linkcond_proxy, open_shop, database_port):
    database = linkcond_proxy(f"127.0.0.1:{database_port}")
    customer = open_shop(database.host, database.port, patience=120)
    status, _, seconds = customer.order("a")
    assert status == 201
    # TCP's handshake, PostgreSQL's and the statement: three round trips of a second each.
    assert seconds >= 3
    # The customer has seen no answer, and sends it again.
    assert customer.order("a")[0] == 201
    assert customer.stored("select count(*) from orders") == 1
    assert customer.stored("select stock from products where id = 1") == 99


def test_products_come_from_the_cache_when_the_database_is_cut(
        linkcond_proxy, open_shop, database_port):
    database = linkcond_proxy(f"127.0.0.1:{database_port}")
    customer = open_shop(database.host, database.port)
    assert customer.products()[1]["old"] is False
    database.disable()
    status, answer, _ = customer.products()
    assert (status, answer["old"]) == (200, True)
    assert [product["name"] for product in answer["products"]] == ["kettle", "teapot"]
    assert customer.order("a")[0] == 503
    database.enable()
    assert customer.products()[1]["old"] is False
    assert customer.stored("select count(*) from orders") == 0


def test_customers_are_answered_when_the_database_falls_silent(
        linkcond_proxy, open_shop, database_port):
    database = linkcond_proxy(f"127.0.0.1:{database_port}")
    customer = open_shop(database.host, database.port, patience=4)
    customer.products()
    with database.silence():
        status, answer, seconds = customer.products()
        assert (status, answer["old"]) == (200, True)
        # Nobody refuses: the shop has to lose its patience by itself.
        assert seconds >= 2
    assert customer.products()[1]["old"] is False
