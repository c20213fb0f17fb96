"""Peers for the tests of the relay: each is one command of this file."""

import array
import fcntl
import hashlib
import os
import resource
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time


def listener(port, host="::"):
    server = socket.create_server(
        (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET,
        backlog=4096, dualstack_ipv6=host == "::")
    return server


def half_close_server(port):
    """Reads until the end of the stream, and only then answers with its digest."""
    server = listener(int(port))
    while True:
        connection, _ = server.accept()
        digest = hashlib.sha256()
        while data := connection.recv(65536):
            digest.update(data)
        connection.sendall(digest.hexdigest().encode())
        connection.close()


def half_close_client(host, port, size):
    data = bytes(range(256)) * (int(size) // 256)
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)
    answer = b""
    while part := connection.recv(65536):
        answer += part
    print("same" if answer.decode() == hashlib.sha256(data).hexdigest() else "different")


def early_close_server(port):
    """Says something, ends its direction, and then tells what it still hears."""
    server = listener(int(port))
    connection, _ = server.accept()
    connection.sendall(b"banner")
    connection.shutdown(socket.SHUT_WR)
    heard = b""
    while part := connection.recv(65536):
        heard += part
    print(len(heard), flush=True)
    connection, _ = server.accept()
    connection.sendall(str(len(heard)).encode())
    connection.close()


def early_close_client(host, port):
    connection = socket.create_connection((host, int(port)), timeout=20)
    banner = b""
    while part := connection.recv(100):
        banner += part
    time.sleep(0.2)
    connection.sendall(b"x" * 300000)
    connection.close()
    time.sleep(0.3)
    again = socket.create_connection((host, int(port)), timeout=20)
    print(banner.decode(), again.recv(100).decode())


def resetting_server(port):
    """Answers with a bit and resets the connection."""
    server = listener(int(port))
    while True:
        connection, _ = server.accept()
        connection.recv(1)
        connection.sendall(b"partial")
        time.sleep(0.1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def use_ordinary_congestion_control(connection):
    """The one that everybody may choose. With BBR, which some hosts prefer, the sender's own buffer
    grows far beyond the window."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")


def endless_server(port, log, waits=None):
    """Sends until it cannot, and writes down why: nothing moved for a while, or an error. With
    `waits` only once something has come, which it never reads."""
    server = listener(int(port))
    while True:
        connection, _ = server.accept()
        connection.settimeout(1.5)
        total = 0
        try:
            if waits:
                connection.recv(1, socket.MSG_PEEK)
            while True:
                total += connection.send(b"x" * 65536)
        except socket.timeout:
            outcome = total
        except OSError as error:
            outcome = type(error).__name__
        with open(log, "a") as file:
            file.write(f"{outcome}\n")
        connection.close()


def hasty_server(port, log, algorithm):
    """Sends as much as it can from when it is asked, and writes down how many bytes its kernel has
    taken after one, two and four seconds."""
    connection, _ = listener(int(port)).accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm.encode())
    connection.recv(1)
    begin = time.monotonic()
    total, totals = 0, []
    for moment in (1, 2, 4):
        while (left := begin + moment - time.monotonic()) > 0:
            connection.settimeout(left)
            try:
                total += connection.send(b"x" * 16384)
            except socket.timeout:
                pass
        totals.append(total)
    with open(log, "w") as file:
        file.write(" ".join(map(str, totals)) + "\n")


def reader(host, port, seconds):
    """Asks, and reads what comes for a while."""
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(b"?")
    end = time.monotonic() + float(seconds)
    while (left := end - time.monotonic()) > 0:
        connection.settimeout(left)
        try:
            if not connection.recv(65536):
                break
        except socket.timeout:
            pass


def expect_reset(host, port, server=None):
    """Connects, and once data flows kills the process `server`, if one is given."""
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.sendall(b"?")
    received = connection.recv(65536)
    if server:
        os.kill(int(server), signal.SIGKILL)
    try:
        while part := connection.recv(65536):
            received += part
        print("end of stream after", len(received))
    except ConnectionResetError:
        print("reset after", len(received))


def reset_by_client(host, port):
    """Connects, and goes away with a reset once data flows."""
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.recv(1000)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def idle_client(host, port, seconds):
    """Connects and reads nothing."""
    connection = socket.create_connection((host, int(port)), timeout=20)
    time.sleep(float(seconds))
    connection.close()


def patient_server(port, log, size):
    """Sends so much twenty times a second until the kernel finds that nothing has arrived for two
    seconds, and writes down how much it could send by then."""
    connection, _ = listener(int(port)).accept()
    use_ordinary_congestion_control(connection)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 2000)
    total = 0
    try:
        while True:
            connection.sendall(b"x" * int(size))
            total += int(size)
            time.sleep(0.05)
    except OSError as error:
        with open(log, "w") as file:
            file.write(f"{error.errno} {total}\n")


def read_bytes(host, port, count):
    """Reads so many bytes and stays."""
    connection = socket.create_connection((host, int(port)), timeout=20)
    while (count := int(count)) > 0:
        count -= len(connection.recv(min(count, 65536)))
    print("read", flush=True)
    time.sleep(5)


def send_urgent(connection):
    connection.sendall(b"abc")
    connection.send(b"!", socket.MSG_OOB)
    connection.sendall(b"def")


def read_inline(connection):
    """Reads what `send_urgent` sends, and puts the urgent byte into brackets."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    text = ""
    while not text.endswith("f"):
        select.select([connection], [], [])
        mark = array.array("i", [0])
        fcntl.ioctl(connection, 0x8905, mark)
        data = connection.recv(1).decode()
        if not data:
            break
        text += f"[{data}]" if mark[0] else data
    return text


def read_apart(connection):
    """Reads the same, and by itself the urgent byte that select tells of."""
    text, urgent = "", ""
    while len(text) < 6 or not urgent:
        readable, _, exceptional = select.select([connection], [], [connection], 5)
        if exceptional and not urgent:
            urgent = connection.recv(1, socket.MSG_OOB).decode()
        elif readable:
            text += connection.recv(100).decode()
        else:
            break
    return f"{text} {urgent}"


def urgent_server(port):
    """Tells what comes in the way that the first byte asks for, and sends the same itself."""
    server = listener(int(port))
    while True:
        connection, _ = server.accept()
        connection.settimeout(10)
        way = read_inline if connection.recv(1) == b"i" else read_apart
        connection.sendall(b"%-20s" % way(connection).encode())
        send_urgent(connection)
        connection.recv(1)
        connection.close()


def urgent_client(host, port):
    for way, name in [(read_inline, b"i"), (read_apart, b"a")]:
        connection = socket.create_connection((host, int(port)), timeout=10)
        connection.sendall(name)
        time.sleep(0.1)
        send_urgent(connection)
        answer = b""
        while len(answer) < 20:
            answer += connection.recv(20 - len(answer))
        print(answer.decode().strip(), "/", way(connection))
        connection.close()


def echo_server(port):
    """Echoes many connections at once."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    server = listener(int(port))
    server.setblocking(False)
    selector = selectors.DefaultSelector()
    selector.register(server, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is server:
                connection, _ = server.accept()
                selector.register(connection, selectors.EVENT_READ)
            elif data := key.fileobj.recv(65536):
                key.fileobj.sendall(data)
            else:
                selector.unregister(key.fileobj)
                key.fileobj.close()


def parallel_client(host, port, count):
    """Opens all connections before it uses any, and checks that none gets another's data."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    connections = [
        socket.create_connection((host, int(port)), timeout=20) for _ in range(int(count))]
    for number, connection in enumerate(connections):
        connection.sendall(b"%08d" % number * 100)
    right = 0
    for number, connection in enumerate(connections):
        received = b""
        while len(received) < 800:
            received += connection.recv(800)
        right += received == b"%08d" % number * 100
        connection.close()
    print(right, "right")


def connect(host, port, seconds):
    """How an attempt to connect ends, and whether it took as long as it might."""
    begin = time.monotonic()
    connection = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    connection.settimeout(float(seconds))
    try:
        connection.connect((host, int(port)))
        print("connected", end=" ")
    except OSError as error:
        print(type(error).__name__, error.errno, end=" ")
    print("at once" if time.monotonic() - begin < float(seconds) / 2 else "late")


def foreign_protocol(host, number):
    """Sends a packet of a protocol, and prints the error that comes back."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sender = socket.socket(family, socket.SOCK_RAW, int(number))
    sender.connect((host, 0))
    sender.settimeout(20)
    sender.send(bytes(100))
    try:
        sender.recv(100)
    except OSError as error:
        print(error.errno or "nothing")


def datagram_socket(host):
    return socket.socket(
        socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)


def datagram_echo_server(port, host="::"):
    server = datagram_socket(host)
    server.bind((host, int(port)))
    while True:
        data, sender = server.recvfrom(65536)
        server.sendto(data, sender)


def datagram_client(host, port, sizes):
    """Sends datagrams of several sizes over one socket and checks the echoes."""
    client = datagram_socket(host)
    client.settimeout(5)
    client.connect((host, int(port)))
    for size in map(int, sizes.split(",")):
        data = bytes(index % 251 for index in range(size))
        client.send(data)
        answer = client.recv(65536)
        print(size, "same" if answer == data else f"different: {len(answer)}")


def ask_over(interface, host, port):
    """Asks an echo server over an interface, again and again in case it is not up yet."""
    client = datagram_socket(host)
    client.setsockopt(socket.SOL_SOCKET, 25, interface.encode())  # SO_BINDTODEVICE
    client.settimeout(1)
    client.connect((host, int(port)))
    for _ in range(10):
        try:
            client.send(b"anybody?")
            client.recv(100)
            return print("heard")
        except OSError:
            time.sleep(0.05)
    print("not heard")


def datagram_refused(host, port):
    client = datagram_socket(host)
    client.settimeout(3)
    client.connect((host, int(port)))
    client.send(b"anybody?")
    try:
        client.recv(100)
    except OSError as error:
        print(type(error).__name__)


def reflecting_server(port, host="::"):
    """Tells each sender by which port it came; from another port, as TFTP does."""
    server = datagram_socket(host)
    server.bind((host, int(port)))
    while True:
        _, sender = server.recvfrom(65536)
        other = datagram_socket(host)
        other.sendto(b"%d" % sender[1], sender)
        other.close()


def one_port(*places):
    """Asks reflecting servers over one socket: prints by how many ports it was seen, and who has
    answered, by another port than the one that was asked."""
    hosts = [place.rsplit("/", 1) for place in places]
    client = datagram_socket(hosts[0][0])
    client.settimeout(5)
    ports, answers = set(), []
    for host, port in hosts:
        client.sendto(b"?", (host, int(port)))
        data, sender = client.recvfrom(100)
        ports.add(data)
        answers.append(sender[0] if sender[1] != int(port) else "the same port")
    print(len(ports), *answers)


def refused_among(host, closed, opened):
    """Sends to two ports over one socket, and prints what its error queue says, and the answer."""
    client = datagram_socket(host)
    level, option = (41, 25) if ":" in host else (0, 11)
    client.setsockopt(level, option, 1)
    client.sendto(b"to nobody", (host, int(closed)))
    poll = selectors.DefaultSelector()
    poll.register(client, selectors.EVENT_READ)
    poll.select(5)
    data, control, _, destination = client.recvmsg(100, 512, socket.MSG_ERRQUEUE)
    error = struct.unpack_from("I", control[0][2])[0]
    print(destination[0], destination[1], data.decode(), os.strerror(error))
    client.sendto(b"to somebody", (host, int(opened)))
    client.settimeout(5)
    print(client.recv(100).decode())


def burst(client, end, count, size):
    for number in range(int(count)):
        client.sendto(b"%08d" % number + b"x" * (int(size) - 8), end)


def burst_server(port, count, size, host="127.0.0.1"):
    """Answers each datagram with a burst."""
    server = datagram_socket(host)
    server.bind((host, int(port)))
    while True:
        _, sender = server.recvfrom(100)
        burst(server, sender, count, size)


def ordered_burst_server(port, directory, count):
    """Answers a datagram with a burst when the file "go" is there, and says so by files."""
    server = datagram_socket("127.0.0.1")
    server.bind(("127.0.0.1", int(port)))
    _, sender = server.recvfrom(100)
    open(f"{directory}/asked", "w").close()
    while not os.path.exists(f"{directory}/go"):
        time.sleep(0.01)
    burst(server, sender, count, 1200)
    open(f"{directory}/gone", "w").close()


def count_datagrams(receiver):
    """Counts datagrams with different numbers until no more come."""
    seen = set()
    receiver.settimeout(2)
    try:
        while True:
            seen.add(receiver.recv(65536)[:8])
    except socket.timeout:
        return len(seen)


def with_room(receiver):
    try:
        receiver.setsockopt(socket.SOL_SOCKET, 33, 256 << 20)  # SO_RCVBUFFORCE
    except PermissionError:
        pass
    return receiver


def ask_for_burst(host, port):
    client = with_room(datagram_socket(host))
    client.sendto(b"?", (host, int(port)))
    print(count_datagrams(client))


def burst_sink(port, host="127.0.0.1"):
    """Counts a burst, and tells who asks for it by TCP on the same port."""
    server = with_room(datagram_socket(host))
    server.bind((host, int(port)))
    asked = listener(int(port), host)
    while True:
        count = count_datagrams(server)
        asked.settimeout(0)
        try:
            connection, _ = asked.accept()
        except BlockingIOError:
            continue
        connection.sendall(b"%d" % count)


def send_burst(host, port, count, size):
    client = datagram_socket(host)
    burst(client, (host, int(port)), count, size)
    print(socket.create_connection((host, int(port)), timeout=60).recv(100).decode())


def exchange_bursts(host, *ports):
    """Sends bursts of different lengths to servers that echo, and tells how many came back as they were."""
    client = with_room(datagram_socket(host))
    client.settimeout(5)
    lengths = [300] * 5 + [120, 0, 120, 120, 0, 0] + [1400] * 4 + [1401, 8, 9, 1]
    right = 0
    for number in range(20):
        sent = {int(port): [] for port in ports}
        for place, length in enumerate(lengths):
            port = int(ports[place // (number + 1) % len(ports)])
            sent[port].append((b"%d.%d " % (number, place) * 300)[:length])
            client.sendto(sent[port][-1], (host, port))
        answers = {port: [] for port in sent}
        for _ in lengths:
            data, sender = client.recvfrom(65536)
            answers[sender[1]].append(data)
        right += answers == sent
    print(right, "right")


def train_server(port):
    """Answers with the length of what arrived at once, which the kernel does not take apart for it."""
    server = datagram_socket("127.0.0.1")
    server.setsockopt(socket.IPPROTO_UDP, 104, 1)  # UDP_GRO
    server.bind(("127.0.0.1", int(port)))
    while True:
        data, sender = server.recvfrom(65536)
        server.sendto(b"%d" % len(data), sender)


def send_train(host, port):
    """Sends 16 datagrams of 100 bytes at once, and tells whether some of them arrived at once."""
    client = datagram_socket(host)
    client.settimeout(5)
    client.setsockopt(socket.IPPROTO_UDP, 103, 100)  # UDP_SEGMENT
    client.sendto(b"x" * 1600, (host, int(port)))
    lengths = []
    while sum(lengths) < 1600:
        lengths.append(int(client.recv(100)))
    print("at once" if max(lengths) > 100 else "one by one")


def train_answering_server(port):
    """Answers with 16 datagrams of 100 bytes at once."""
    server = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    server.setsockopt(socket.IPPROTO_UDP, 103, 100)  # UDP_SEGMENT
    server.bind(("::", int(port)))
    while True:
        _, sender = server.recvfrom(100)
        server.sendto(b"".join(b"%d" % (number % 10) * 100 for number in range(16)), sender)


def ask_for_trains(host, port):
    """Asks until datagrams arrive at once, for some seconds, and tells what arrived."""
    client = datagram_socket(host)
    client.settimeout(0.5)
    client.setsockopt(socket.IPPROTO_UDP, 104, 1)  # UDP_GRO
    client.connect((host, int(port)))
    expected = b"".join(b"%d" % (number % 10) * 100 for number in range(16))
    end = time.monotonic() + 10
    while time.monotonic() < end:
        client.send(b"x")
        received = []
        try:
            while len(b"".join(received)) < len(expected):
                received.append(client.recv(65536))
        except TimeoutError:
            continue
        if max(map(len, received)) > 100:
            print("at once, right" if b"".join(received) == expected else "wrong")
            return
        time.sleep(0.1)
    print("one by one" if received else "nothing")


def burst_refused(host, port):
    """Prints the error of datagrams that are sent at once."""
    client = datagram_socket(host)
    client.settimeout(5)
    client.connect((host, int(port)))
    try:
        for _ in range(20):
            client.send(b"x" * 100)
        client.recv(100)
    except OSError as error:
        print(type(error).__name__)


def connected_burst(host, port):
    """Sends datagrams at once, in one system call and in several, and tells how many came back in order."""
    client = with_room(datagram_socket(host))
    client.settimeout(5)
    client.connect((host, int(port)))
    sent = [b"%3d" % number for number in range(16)]
    try:
        client.setsockopt(socket.IPPROTO_UDP, 103, 3)  # UDP_SEGMENT
        client.send(b"".join(sent))
        client.setsockopt(socket.IPPROTO_UDP, 103, 0)
        for number in range(16, 40):
            sent.append(b"%d" % number * (number % 5 + 1))
            client.send(sent[-1])
        received = [client.recv(100) for _ in sent]
    except OSError as error:
        print(type(error).__name__)
    else:
        print("as sent" if received == sent else received)


def many_flows(host, port, count):
    """Talks over many sockets, one datagram each."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (16384, 16384))
    right = 0
    clients = []
    for number in range(int(count)):
        client = datagram_socket(host)
        client.settimeout(5)
        client.connect((host, int(port)))
        client.send(b"%d" % number)
        right += client.recv(100) == b"%d" % number
        clients.append(client)
    print(right, "right")


def name_server(address, answer):
    """Answers every question of type A with `answer`, by UDP and by TCP."""

    def reply(question):
        end = question.index(b"\0", 12) + 5
        header = question[:2] + b"\x81\x80\0\1\0\1\0\0\0\0"
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + socket.inet_aton(answer)
        return header + question[12:end] + record

    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind((address, 53))
    streams = socket.create_server((address, 53))
    selector = selectors.DefaultSelector()
    selector.register(datagrams, selectors.EVENT_READ)
    selector.register(streams, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is datagrams:
                question, sender = datagrams.recvfrom(4096)
                datagrams.sendto(reply(question), sender)
            else:
                connection, _ = streams.accept()
                answer_bytes = reply(connection.recv(4096)[2:])
                connection.sendall(struct.pack("!H", len(answer_bytes)) + answer_bytes)
                connection.close()


def silent_name_server(address):
    """Hears datagrams, takes no connections and answers nothing."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))
    while True:
        server.recv(4096)


def resolve(server, transport):
    """Asks `server` for a name, as a C library would, three times at most."""
    question = b"\x12\x34\x01\0\0\1\0\0\0\0\0\0\x04test\x07example\0\0\1\0\1"
    if transport == "tcp":
        client = socket.create_connection((server, 53), timeout=5)
        client.sendall(struct.pack("!H", len(question)) + question)
        answer = client.recv(4096)
    else:
        client = datagram_socket(server)
        client.settimeout(1)
        client.connect((server, 53))
        for _ in range(3):
            client.send(question)
            try:
                answer = client.recv(4096)
                break
            except socket.timeout:
                continue
    print(socket.inet_ntoa(answer[-4:]))


def helpers():
    """The helper programs and guardians of this user in this network namespace."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/status") as file:
                status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
            name = status["Name"].strip()
            if int(status["Uid"].split()[0]) != os.getuid():
                continue
            if os.readlink(f"/proc/{process}/ns/net") != os.readlink("/proc/self/ns/net"):
                continue
        except PermissionError:
            pass
        except OSError:
            continue
        if name.startswith(("pasta", "passt", "slirp", "nft", "linkcond guard")):
            yield name


def sandbox(tests, uplink):
    """Plays both processes of a sandbox, kills the one on the host, and prints what the app saw
    and which processes are left."""
    ends = socket.socketpair()

    def play(role, end, far_process, *prefix):
        environment = dict(
            os.environ, LINKCOND_TEST_ROLE=role, LINKCOND_TEST_UPLINK=uplink,
            LINKCOND_TEST_SOCKET=str(end.fileno()), LINKCOND_TEST_FAR=str(far_process))
        command = [
            *prefix, tests, "--testing-library", "swift-testing", "--filter",
            "UplinkRoles"]
        return subprocess.Popen(
            command, env=environment, pass_fds=[end.fileno()], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    far = play("far", ends[0], 0, "unshare", "-n" if os.getuid() == 0 else "-Urn")
    host = play("host", ends[1], far.pid)
    for end in ends:
        end.close()
    print(far.communicate(timeout=30)[0])
    print("helped by:", " ".join(sorted(helpers())))
    host.kill()
    print(host.communicate(timeout=30)[0])
    deadline = time.monotonic() + 2
    while (left := " ".join(helpers())) and time.monotonic() < deadline:
        time.sleep(0.05)
    print("left:", left)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
