"""Sends datagrams to port 9 as fast as it can: ADDRESS SECONDS. Prints how many bytes they had."""

import socket
import sys
import time

address, seconds = sys.argv[1], float(sys.argv[2])
segment_bytes, udp_segment = 1400, 103
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
# As many as the kernel takes in one piece.
sender.setsockopt(socket.IPPROTO_UDP, udp_segment, segment_bytes)
payload = bytes(46 * segment_bytes)
target = (address, 9)
count = 0
end = time.monotonic() + seconds
while time.monotonic() < end:
    try:
        count += sender.sendto(payload, target)
    except OSError:
        # What the answer to an earlier one says.
        pass
print(count)
