"""Talks to the packet engine of its network namespace as linkcond does, and as it does not.

    engine_client.py REQUEST...
    engine_client.py COUNT
    engine_client.py slowly REQUEST

Each request is a JSON object for the engine; what it answers is printed, one JSON text per line. With
a number, so many connections are made by another user, who says nothing, until all have ended. Who
asks slowly says whether the engine is still there some time after it has done what was asked, and
when that was looked at.
"""

import json
import os
import socket
import struct
import sys
import time


def address():
    """Where the engine of this network namespace listens."""
    number = os.stat("/proc/self/ns/net").st_ino
    with open("/proc/net/unix") as file:
        names = [line.split()[-1] for line in file if "linkcond" in line and "engine" in line]
    # The names under which they were made, if those were changed.
    names = [name.removesuffix(".new") for name in names]
    # Connections from here to engines of other namespaces are listed, too, with their names.
    name = next(name for name in names if name.startswith("@") or name.endswith(f"-{number}"))
    return "\0" + name[1:] if name.startswith("@") else name


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


def ask_slowly(request):
    channel = connect()
    request["query"]["token"] = json.loads(channel.recv(1 << 17))["token"]
    channel.send(json.dumps(request).encode())
    while "done" not in json.loads(channel.recv(1 << 17))["content"]:
        pass
    engine = struct.unpack("3i", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    time.sleep(0.2)
    print("there" if os.path.exists(f"/proc/{engine}") else "gone")
    channel.shutdown(socket.SHUT_WR)
    print("ended" if not channel.recv(1) else "goes on")


if sys.argv[1].isdigit():
    crowd(int(sys.argv[1]))
elif sys.argv[1] == "slowly":
    ask_slowly(json.loads(sys.argv[2]))
else:
    for text in sys.argv[1:]:
        print(json.dumps(ask(json.loads(text))))
