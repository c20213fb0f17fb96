"""Talks to the packet engine of its network namespace as linkcond does, and as it does not.

    engine_client.py REQUEST...
    engine_client.py COUNT

Each request is a JSON object for the engine; what it answers is printed, one JSON text per line. With
a number, so many connections are made by another user, who says nothing, until all have ended.
"""

import json
import os
import socket
import sys


def address():
    """Where the engine of this network namespace listens."""
    with open("/proc/net/unix") as file:
        names = [line.split()[-1] for line in file if "linkcond" in line and "engine" in line]
    name = names[0]
    # The name under which it was made, if that was changed.
    return "\0" + name[1:] if name.startswith("@") else name.removesuffix(".new")


def connect():
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # With a time limit it would not wait until there is room for one more.
    channel.connect(address())
    channel.settimeout(60)
    return channel


def ask(request):
    channel = connect()
    greeting = json.loads(channel.recv(1 << 17))
    if isinstance(request, dict) and "query" in request:
        request["query"].setdefault("token", greeting["token"])
    channel.send(json.dumps(request).encode())
    answers = []
    while True:
        try:
            message = channel.recv(1 << 17)
        except OSError:
            break
        if not message:
            break
        answers.append(json.loads(message)["content"])
    return answers


def crowd(count):
    os.setuid(65534)
    for channel in [connect() for _ in range(count)]:
        try:
            while channel.recv(1 << 17):
                pass
        except ConnectionError:
            pass
    print("sent away")


if sys.argv[1].isdigit():
    crowd(int(sys.argv[1]))
else:
    for text in sys.argv[1:]:
        print(json.dumps(ask(json.loads(text))))
