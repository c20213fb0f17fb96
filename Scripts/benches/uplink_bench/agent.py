"""Runs inside a sandbox: a line of JSON in, a line of JSON out.

A list is a command to run; {"open": COUNT, "host": ..., "port": ...} opens connections, keeps them all,
and tells how many of them still answer at the end.
"""

import json
import resource
import selectors
import socket
import subprocess
import sys
import time

PATIENCE = 60


def execute(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return {"code": done.returncode, "output": done.stdout, "errors": done.stderr}


def hold(count, host, port, at_once=200):
    """How many connections answer when all of them are open."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    kept = []
    end = time.monotonic() + PATIENCE
    try:
        while len(kept) < count and time.monotonic() < end:
            opened = []
            for _ in range(min(at_once, count - len(kept))):
                client = socket.socket(family, socket.SOCK_STREAM)
                client.setblocking(False)
                client.connect_ex(address)
                opened.append(client)
            good = exchanged(opened)
            kept += good
            if len(good) < len(opened):
                break
        return {"answered": len(exchanged(kept))}
    except OSError as error:
        return {"answered": len(kept), "errors": str(error)}
    finally:
        for client in kept:
            client.close()


def exchanged(clients):
    """Those that answer a byte with a byte."""
    answered = []
    with selectors.DefaultSelector() as selector:
        for client in clients:
            selector.register(client, selectors.EVENT_WRITE)
        while selector.get_map() and (ready := selector.select(timeout=10)):
            for key, events in ready:
                try:
                    if events & selectors.EVENT_WRITE:
                        key.fileobj.send(b"?")
                        selector.modify(key.fileobj, selectors.EVENT_READ)
                        continue
                    if key.fileobj.recv(1):
                        answered.append(key.fileobj)
                except OSError:
                    pass
                selector.unregister(key.fileobj)
    return answered


def main():
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if isinstance(order, list):
            answer = execute(order)
        else:
            answer = hold(order["open"], order["host"], order["port"])
        print(json.dumps(answer), flush=True)


main()
