"""A device: sends a stream to the server.

usage: send.py ADDRESS PORT PACKETS_PER_SECOND SECONDS NUMBER PAYLOAD

Each packet begins with the number of the device.
"""

import sys
import time

from arrivals import open_socket


def main():
    address, port, rate, seconds = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:5])
    stream = open_socket(6 if ":" in address else 4)
    stream.connect((address, port))
    data = f"{int(sys.argv[5]):04}".encode().ljust(int(sys.argv[6]), b"x")
    begin, sent = time.monotonic(), 0
    while (now := time.monotonic()) < begin + seconds:
        while sent < (now - begin) * rate:
            try:
                stream.send(data)
            except OSError:
                pass
            sent += 1
        time.sleep(0.002)


main()
