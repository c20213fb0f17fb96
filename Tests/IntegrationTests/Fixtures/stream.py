"""A download without end: stream.py server PORT, and stream.py client PORT.

The client says how its connection ended.
"""
import errno, socket, sys

role, port = sys.argv[1], int(sys.argv[2])
if role == "server":
    server = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    while True:
        connection = server.accept()[0]
        try:
            while True:
                connection.sendall(bytes(65536))
        except OSError:
            pass

connection = socket.create_connection(("server.linkcond", port))
try:
    while connection.recv(65536):
        pass
    print("the end")
except OSError as error:
    print(errno.errorcode[error.errno])
