"""Sends datagrams of 100 bytes that say when they were sent: sender.py RATE SECONDS."""

import socket
import struct
import sys
import time

rate, seconds = int(sys.argv[1]), int(sys.argv[2])
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
address = (socket.gethostbyname("server.linkcond"), 9000)
beginning = time.monotonic()
for number in range(rate * seconds):
    pause = beginning + number / rate - time.monotonic()
    if pause > 0:
        time.sleep(pause)
    datagrams.sendto(struct.pack("q", time.time_ns()) + bytes(92), address)
time.sleep(0.5)
datagrams.sendto(b"end", address)
