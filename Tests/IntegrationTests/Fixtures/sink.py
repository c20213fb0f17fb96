"""Takes TCP connections at a port and writes into a file how each of them ended, and after how many
bytes; with `udp`, how many datagrams have come."""

import socket
import sys
import threading

path, port, *words = sys.argv[1:]


def write(text):
    with open(path, "a") as log:
        log.write(text + "\n")


def read(connection):
    count = 0
    try:
        while data := connection.recv(65536):
            count += len(data)
        write(f"end after {count}")
    except OSError as error:
        write(f"{type(error).__name__} after {'all' if count == 300000 else 'some'}")
    connection.close()


if words == ["udp"]:
    datagrams = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    datagrams.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    datagrams.bind(("::", int(port)))
    while True:
        write(datagrams.recv(65536).decode())

listener = socket.create_server(
    ("::", int(port)), family=socket.AF_INET6, dualstack_ipv6=True)
while True:
    threading.Thread(target=read, args=(listener.accept()[0],), daemon=True).start()
