"""A client and a server in one program, over the loopback; prints what they measure as JSON.

Arguments: the address, the server's port (0: any), how many bytes of TCP go down and up, and for
how many seconds to wait for an answer over UDP.
"""
import json
import socket
import sys
import threading
import time

address, port, down, up = sys.argv[1], *map(int, sys.argv[2:5])
family = socket.AF_INET6 if ":" in address else socket.AF_INET
report = {}


def rate(sender, receiver, count):
    """Bits per second of what comes behind the first bytes.

    From the first on, since later some may wait behind one that was lost, which the link has carried
    before.
    """
    content = bytes(count)
    threading.Thread(target=sender.sendall, args=(content,)).start()
    got = first = len(receiver.recv(1 << 16))
    start = time.monotonic()
    while got < count:
        got += len(receiver.recv(1 << 16))
    return (got - first) * 8 / (time.monotonic() - start)


if down:
    listener = socket.create_server((address, port), family=family)
    begin = time.monotonic()
    client = socket.create_connection(listener.getsockname()[:2])
    report["connect"] = (time.monotonic() - begin) * 1000
    server = listener.accept()[0]
    report["serverPort"] = listener.getsockname()[1]
    report["clientPort"] = client.getsockname()[1]
    report["down"] = rate(server, client, down)
    report["up"] = rate(client, server, up)

service = socket.socket(family, socket.SOCK_DGRAM)
service.bind((address, port))
served = 0


def serve():
    global served
    while True:
        content, peer = service.recvfrom(1 << 16)
        served += 1
        service.sendto(content, peer)


threading.Thread(target=serve, daemon=True).start()
asker = socket.socket(family, socket.SOCK_DGRAM)
asker.settimeout(float(sys.argv[5]))
answered = 0
shortest = None
for size in [16, 16, 1400, 4000, 20000]:
    content = bytes(index % 251 for index in range(size))
    begin = time.monotonic()
    asker.sendto(content, service.getsockname()[:2])
    try:
        while asker.recv(1 << 16) != content:
            pass
    except TimeoutError:
        continue
    answered += 1
    taken = (time.monotonic() - begin) * 1000
    shortest = taken if shortest is None else min(shortest, taken)
report.update(asked=5, served=served, answered=answered, shortest=shortest)
print(json.dumps(report))
