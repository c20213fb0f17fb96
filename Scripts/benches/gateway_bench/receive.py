"""A device: asks for a stream, and prints its packets per second.

usage: receive.py ADDRESS PORT PACKETS_PER_SECOND SECONDS

Its socket is open until its standard input ends: what is still on the link would otherwise be
answered with errors of ICMP, which take the way up.
"""

import json
import sys

from arrivals import Window, open_socket, receive


def main():
    address, port, rate, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    stream = open_socket(6 if ":" in address else 4)
    stream.connect((address, port))
    stream.settimeout(2)
    window = Window(seconds)
    question = f"{rate} {Window.SETTLE + seconds + 3}".encode()
    for attempt in range(10):
        stream.send(question)
        try:
            _, moment = receive(stream)
        except TimeoutError:
            continue
        while window.add(moment):
            try:
                _, moment = receive(stream)
            except TimeoutError:
                break
        break
    print(json.dumps(window.rate), flush=True)
    sys.stdin.read()


main()
