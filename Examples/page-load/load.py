#!/usr/bin/env python3
"""Loads a page and all its resources, one after the other: load.py [--reuse] HOST PORT

Each resource has a connection of its own. With --reuse all of them use a single one.
"""

import http.client
import sys

is_reusing = sys.argv[1] == "--reuse"
host, port = sys.argv[-2:]
connection = None


def get(path):
    global connection
    if connection is None or not is_reusing:
        connection = http.client.HTTPConnection(host, int(port))
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        sys.exit(f"{path}: {response.status}")
    if not is_reusing:
        connection.close()
    return body


for path in get("/").decode().split():
    get(path)
