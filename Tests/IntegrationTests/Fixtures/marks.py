"""Datagrams that may be marked (ECN): marks.py server PORT DIRECTORY, and marks.py client PORT COUNT.

The client sends 8 Mbit/s, half of it by IPv4. The server keeps in the file `marks` how many came and
how many of them were marked, for IPv4 and IPv6.
"""
import os, select, socket, struct, sys, time

role, port = sys.argv[1], int(sys.argv[2])
families = [
    (socket.AF_INET, socket.IPPROTO_IP, socket.IP_TOS, 13, socket.IP_TOS),  # IP_RECVTOS
    (socket.AF_INET6, socket.IPPROTO_IPV6, socket.IPV6_TCLASS, socket.IPV6_RECVTCLASS,
     socket.IPV6_TCLASS),
]
if role == "server":
    sockets = []
    for family, level, _, receive, _ in families:
        one = socket.socket(family, socket.SOCK_DGRAM)
        if family == socket.AF_INET6:
            one.setsockopt(level, socket.IPV6_V6ONLY, 1)
        one.setsockopt(level, receive, 1)
        one.setsockopt(socket.SOL_SOCKET, 33, 1 << 22)  # SO_RCVBUFFORCE: a busy machine loses none
        one.bind(("", port))
        sockets.append(one)
    # Who can connect knows that the others are there.
    ready = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    counts = [[0, 0], [0, 0]]
    while True:
        readable = select.select(sockets, [], [], 0.2)[0]
        for one in readable:
            number = sockets.index(one)
            _, messages, _, _ = one.recvmsg(2048, 256)
            counts[number][0] += 1
            for _, kind, data in messages:
                if kind == families[number][4] and data[0] & 3 == 3:
                    counts[number][1] += 1
        if not readable:
            # It may be killed at any moment, and the file is to be whole.
            with open(f"{sys.argv[3]}/marks.new", "w") as file:
                file.write(" ".join(str(count) for pair in counts for count in pair))
            os.replace(f"{sys.argv[3]}/marks.new", f"{sys.argv[3]}/marks")

sockets = []
for family, level, option, _, _ in families:
    one = socket.socket(family, socket.SOCK_DGRAM)
    one.setsockopt(level, option, 0xB8 | 2)  # expedited forwarding, ECT(0)
    address = socket.getaddrinfo("server.linkcond", port, family, socket.SOCK_DGRAM)[0][4]
    one.connect(address)
    sockets.append(one)
start = time.monotonic()
for number in range(int(sys.argv[3])):
    sockets[number % 2].send(bytes(972))
    time.sleep(max(0, start + (number + 1) / 1000 - time.monotonic()))
time.sleep(2)
