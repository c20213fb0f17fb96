#!/usr/bin/env python3
"""Serves a page and its 50 resources of 2 kB, and keeps connections open: server.py PORT"""

import http.server
import socket
import sys

RESOURCES = 50


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_GET(self):
        body = b"x" * 2000
        if self.path == "/":
            body = "".join(f"/resource/{number}\n" for number in range(RESOURCES)).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        self.wfile.write(head + body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    request_queue_size = 100


Server(("::", int(sys.argv[1])), Page).serve_forever()
