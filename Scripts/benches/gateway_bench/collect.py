"""The server: counts what each device sends.

usage: collect.py PORT SECONDS

Prints "ready", and the packets per second of each device by its number when a line comes in.
"""

import json
import select
import sys

from arrivals import Window, open_socket, receive


def main():
    port, seconds = int(sys.argv[1]), float(sys.argv[2])
    sockets = [open_socket(version) for version in (4, 6)]
    for opened, address in zip(sockets, ("0.0.0.0", "::")):
        opened.bind((address, port))
        opened.setblocking(False)
    windows = {}
    print("ready", flush=True)
    while True:
        ready = select.select(sockets + [sys.stdin], [], [])[0]
        for opened in sockets:
            try:
                while opened in ready:
                    data, moment = receive(opened)
                    windows.setdefault(int(data[:4]), Window(seconds)).add(moment)
            except BlockingIOError:
                pass
        if sys.stdin in ready:
            break
    print(json.dumps({number: window.rate for number, window in windows.items()}), flush=True)


main()
