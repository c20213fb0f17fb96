"""Connections that wait: waiting.py server PORT DIRECTORY, and waiting.py client PORT DIRECTORY.

The client opens one by IPv4, one by IPv6 and one by IPv4 from a socket of IPv6, and says what each
comes to: a byte, which the server sends once there is a file `back`, or an error.
"""
import errno, os, socket, sys, threading, time

role, port, directory = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def wait_for(name):
    while not os.path.exists(f"{directory}/{name}"):
        time.sleep(0.05)


def serve(connection):
    wait_for("back")
    connection.sendall(b"x")


if role == "server":
    server = socket.create_server(
        ("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=8)
    while True:
        threading.Thread(target=serve, args=[server.accept()[0]], daemon=True).start()

ways = []
for name, family, wanted in [
    ("IPv4", socket.AF_INET, socket.AF_INET), ("IPv6", socket.AF_INET6, socket.AF_INET6),
    ("IPv4 of IPv6", socket.AF_INET6, socket.AF_INET),
]:
    address = socket.getaddrinfo("server.linkcond", port, wanted, socket.SOCK_STREAM)[0][4][0]
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.connect(("::ffff:" + address if family != wanted else address, port))
    ways.append((name, connection))
open(f"{directory}/connected", "w").close()
for name, connection in ways:
    try:
        result = "a byte" if connection.recv(1) else "the end"
    except OSError as error:
        result = errno.errorcode[error.errno]
    print(f"{name}: {result}", flush=True)
