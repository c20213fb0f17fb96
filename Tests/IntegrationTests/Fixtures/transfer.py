"""Sends bytes over TCP from one network namespace to another; prints how many seconds it took.

Arguments: the namespaces of sender and receiver, the receiver's address, how many bytes. Fails if
others arrive than were sent.
"""
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Scripts/measure"))
sys.dont_write_bytecode = True

from probes.namespaces import network_namespace  # noqa: E402

sender_namespace, receiver_namespace, address, count = sys.argv[1:]
family = socket.AF_INET6 if ":" in address else socket.AF_INET
with network_namespace(receiver_namespace):
    listener = socket.create_server((address, 5201), family=family)
with network_namespace(sender_namespace):
    sender = socket.socket(family)
content = os.urandom(int(count))
sender.connect((address, 5201))
receiver = listener.accept()[0]
begin = time.monotonic()
threading.Thread(target=lambda: (sender.sendall(content), sender.close()), daemon=True).start()
received = bytearray()
while part := receiver.recv(1 << 16):
    received += part
if received != content:
    sys.exit(f"of {len(content)} bytes {len(received)} came, or others")
print(time.monotonic() - begin)
