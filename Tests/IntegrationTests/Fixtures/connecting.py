"""Opens TCP connections to a port where nobody listens: ADDRESS COUNT. Prints the milliseconds until
each was refused, by the clock that never jumps."""

import socket
import sys
import time

address, count = sys.argv[1], int(sys.argv[2])
for _ in range(count):
    with socket.socket() as opened:
        opened.settimeout(30)
        begin = time.monotonic()
        if opened.connect_ex((address, 9)) == 0:
            sys.exit("somebody listens")
        print((time.monotonic() - begin) * 1000)
