"""Clients and servers of `linkcond proxy`: proxying.py PROGRAM TEST, as whoever starts it.

Each test prints lines that the Swift tests expect.
"""

import json
import os
import re
import resource
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM, TEST, *REST = sys.argv[1:]
PATIENCE = 60
RESET = struct.pack("ii", 1, 0)


class Proxy:
    """A running proxy, and the connection by which it is controlled."""

    def __init__(self, *arguments, is_controlled=False):
        reader, writer = os.pipe()
        inherited = [writer]
        words = [PROGRAM, "proxy", *arguments, "--ready-fd", str(writer)]
        if is_controlled:
            self.connection, other = socket.socketpair()
            self.stream = self.connection.makefile("rw")
            words += ["--control-fd", str(other.fileno())]
            inherited.append(other.fileno())
        self.process = subprocess.Popen(
            words, pass_fds=inherited, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        if is_controlled:
            other.close()
        self.errors = ""
        self.reader = threading.Thread(target=self.read_errors)
        self.reader.start()
        with os.fdopen(reader) as ready:
            line = ready.readline()
        if not line:
            self.reader.join()
            sys.exit(f"no proxy: {self.errors}")
        self.state = json.loads(line)
        self.number = 0

    def read_errors(self):
        for line in self.process.stderr:
            self.errors += line

    def address(self, index=0):
        return place(self.state["listeners"][index]["address"])

    def call(self, request):
        self.number += 1
        self.stream.write(json.dumps({"number": self.number, "request": request}) + "\n")
        self.stream.flush()
        while True:
            line = self.stream.readline()
            if not line:
                self.reader.join()
                sys.exit(f"the proxy has ended: {self.errors}, {self.process.wait()}")
            answer = json.loads(line)
            if answer.get("number") == self.number:
                return answer["content"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=PATIENCE)
        self.reader.join()


def place(address):
    host, port = address.removeprefix("udp:").rsplit(":", 1)
    return host.strip("[]"), int(port)


def serve(handle, family=socket.AF_INET, address=("127.0.0.1", 0)):
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(1024)

    def accept():
        while True:
            client, _ = listener.accept()
            threading.Thread(target=handle, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()


def echo(client):
    """Echoes, and says the end when the client has."""
    try:
        while part := client.recv(65536):
            client.sendall(part)
        client.sendall(b"<end>")
        client.close()
    except OSError:
        pass


def rest_of(client):
    client.settimeout(PATIENCE)
    received = b""
    try:
        while part := client.recv(65536):
            received += part
        return received, "end"
    except ConnectionResetError:
        return received, "reset"


def forward(target, *arguments, **options):
    return Proxy("baseline", *arguments, "--listen", f"127.0.0.1:0={target}", **options)


def half_close():
    """The client ends first, and still hears the end of the server."""
    _, port = serve(echo)
    with forward(f"127.0.0.1:{port}") as proxy:
        client = socket.create_connection(proxy.address())
        client.sendall(b"abc")
        client.shutdown(socket.SHUT_WR)
        print(*rest_of(client))


def resets():
    """Each end sees the reset of the other, and a refusal is one."""
    seen = []

    def reset(client):
        client.recv(1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.close()

    def watch(client):
        client.sendall(b"x")
        seen.append(rest_of(client)[1])

    ports = [serve(handler)[1] for handler in (reset, watch)]
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))
    ports.append(closed.getsockname()[1])
    words = [word for port in ports for word in ("--listen", f"127.0.0.1:0=127.0.0.1:{port}")]
    with Proxy("baseline", *words) as proxy:
        client = socket.create_connection(proxy.address(0))
        client.sendall(b"a")
        print("server", rest_of(client)[1])
        client = socket.create_connection(proxy.address(1))
        client.recv(1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.close()
        while not seen:
            time.sleep(0.01)
        print("client", *seen)
        for _ in range(2):
            print("refused", rest_of(socket.create_connection(proxy.address(2)))[1])
    print("told", len(re.findall("refuses the connection", proxy.errors)))


def unix_sockets():
    """Both ends are paths, and whoever does not know the token gets nowhere."""
    with tempfile.TemporaryDirectory() as directory:
        serve(echo, socket.AF_UNIX, f"{directory}/target")
        with Proxy(
                "baseline", "--listen", f"unix:{directory}/listener=unix:{directory}/target",
                "--listen", f"127.0.0.1:0=unix:{directory}/none") as proxy:
            client = socket.socket(socket.AF_UNIX)
            client.connect(f"{directory}/listener")
            client.sendall(b"abc")
            client.shutdown(socket.SHUT_WR)
            print(*rest_of(client))
            print("none", rest_of(socket.create_connection(proxy.address(1)))[1])
            wait_until(lambda: "none: there is no such socket" in proxy.errors)
            print("told")
        print(*os.listdir(directory))


def datagrams():
    """Each client has a port of its own toward the server; SOCKS clients name targets."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    port = server.getsockname()[1]
    clients = set()

    def answer():
        while True:
            datagram, sender = server.recvfrom(65536)
            clients.add(sender)
            server.sendto(datagram.upper(), sender)

    threading.Thread(target=answer, daemon=True).start()
    with Proxy(
            "baseline", "--listen", f"udp:127.0.0.1:0=localhost:{port}",
            "--socks", "127.0.0.1:0") as proxy:
        for word in (b"one", b"two"):
            print(ask(proxy.address(0), word).decode())
        print(len(clients))
        control = socket.create_connection(proxy.address(1))
        control.sendall(b"\5\1\0")
        control.recv(2)
        control.sendall(b"\5\3\0\1" + bytes(6))
        reply = control.recv(10)
        relay = (proxy.address(1)[0], struct.unpack(">H", reply[8:])[0])
        where = b"\0\0\0\3\x09localhost" + struct.pack(">H", port)
        print(ask(relay, where + b"socks")[10:].decode())


def ask(address, payload):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(1)
    client.connect(address)
    for _ in range(PATIENCE):
        client.send(payload)
        try:
            return client.recv(65536)
        except TimeoutError:
            pass
    raise TimeoutError


def headers():
    """Targets learn who the client is."""
    heads = []

    def read(client):
        head = b""
        while not head.endswith(b"hello"):
            head += client.recv(100)
        heads.append(head)
        client.close()

    _, port = serve(read)
    for version in ("v1", "v2"):
        with forward(f"127.0.0.1:{port}", "--proxy-protocol", version) as proxy:
            client = socket.create_connection(proxy.address())
            client.sendall(b"hello")
            rest_of(client)
            own, listener = client.getsockname()[1], proxy.address()[1]
            expected = {
                "v1": f"PROXY TCP4 127.0.0.1 127.0.0.1 {own} {listener}\r\n".encode(),
                "v2": b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes([127, 0, 0, 1] * 2)
                + struct.pack(">HH", own, listener)}[version]
            print(version, heads.pop() == expected + b"hello")


def killed():
    """After SIGKILL in mid-transfer: the client sees a reset, the port is free, nothing is left."""

    def flood(client):
        try:
            while True:
                client.sendall(bytes(65536))
        except OSError:
            pass

    _, port = serve(flood)
    proxy = forward(f"127.0.0.1:{port}")
    client = socket.create_connection(proxy.address())
    client.recv(100_000)
    proxy.process.kill()
    proxy.process.wait()
    print("client", rest_of(client)[1])
    wait_until(lambda: can_listen(proxy.address()))
    print("free")
    wait_until(lambda: not is_left())
    print("gone")


def can_listen(address):
    try:
        socket.create_server(address).close()
        return True
    except OSError:
        return False


def is_left():
    """Whether processes of the proxy are left: they have its variable."""
    mark = f"LCTEST_RUN={os.environ['LCTEST_RUN']}".encode()
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{process}/environ", "rb") as file:
                is_ours = mark in file.read().split(b"\0")
        except OSError:
            continue
        if is_ours and any(word.startswith(b"proxy-") for word in words):
            return True
    return False


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(condition)
        time.sleep(0.005)


def round_trip(client):
    start = time.monotonic()
    client.sendall(b"x")
    client.recv(1)
    return time.monotonic() - start


def live_change():
    """An open connection meets other conditions, and stays."""
    _, port = serve(echo)
    with forward(f"127.0.0.1:{port}", is_controlled=True) as proxy:
        name = proxy.state["listeners"][0]["name"]
        client = socket.create_connection(proxy.address())
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        round_trip(client)
        for delay in ("300 ms", "0 ms"):
            answer = proxy.call({"changeLink": {"_0": name, "_1": {
                "settings": [f"down.delay={delay}"]}}})
            least = min(round_trip(client) for _ in range(5))
            print(delay, "late" if least >= 0.3 else "early", answer["link"]["_0"]["settings"])


SCENARIO = """\
name: Two ways
interfaces:
  wifi0: { profile: baseline }
  cell0: { profile: baseline, set: { down.delay: 300 ms } }
timeline:
  - { at: 500 ms, interface: wifi0, down: true }
  - { at: 4 s, interface: wifi0, up: true }
"""


def scenario():
    """A link has the conditions of the interface that an app would use."""
    _, port = serve(echo)
    with tempfile.TemporaryDirectory() as directory, \
            forward(f"127.0.0.1:{port}", is_controlled=True) as proxy:
        with open(f"{directory}/ways.yaml", "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        name = proxy.state["listeners"][0]["name"]
        client = socket.create_connection(proxy.address())
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        failed = proxy.call({"startScenario": {"link": name, "scenario": "none such"}})["failed"]
        print(failed["_0"]["field"])
        link = proxy.call({"startScenario": {
            "link": name, "scenario": f"{directory}/ways.yaml"}})["link"]["_0"]
        print(link["scenario"])
        wait_until(lambda: round_trip(client) >= 0.3)
        print("late")
        wait_until(lambda: round_trip(client) < 0.3)
        print("early")

        def is_over():
            return "scenario" not in proxy.call({"state": {}})["state"]["_0"]["links"][0]

        wait_until(is_over)
        print("over")


def behaviours():
    """What is done to streams beside what packets meet."""
    _, port = serve(echo)
    with forward(f"127.0.0.1:{port}", is_controlled=True) as proxy:
        name = proxy.state["listeners"][0]["name"]

        def behave(kind, direction="downstream"):
            answer = proxy.call({"changeListener": {"_0": name, "_1": {"behaviours": [
                {"name": "only", "kind": kind, "direction": direction, "toxicity": 1}]}}})
            assert "listener" in answer, answer
            return socket.create_connection(proxy.address())

        client = behave({"limitData": {"bytes": 10}})
        client.sendall(bytes(100))
        print("limit", len(rest_of(client)[0]))
        start = time.monotonic()
        client = behave({"timeout": {"milliseconds": 200}})
        client.sendall(b"x")
        print("timeout", *rest_of(client), time.monotonic() - start >= 0.2)
        client = behave({"resetPeer": {"milliseconds": 200}})
        client.sendall(b"x")
        print("reset", *rest_of(client))
        client = behave({"slowClose": {"milliseconds": 300}})
        client.sendall(b"x")
        start = time.monotonic()
        client.shutdown(socket.SHUT_WR)
        print("slow", *rest_of(client), time.monotonic() - start >= 0.3)
        client = behave({"slicer": {
            "averageBytes": 10, "variationBytes": 2, "delayMicroseconds": 20_000}})
        client.sendall(bytes(100))
        slices = []
        while sum(slices) < 100:
            slices.append(len(client.recv(100)))
        print("slices", len(slices) > 5)
        proxy.call({"changeListener": {"_0": name, "_1": {"behaviours": []}}})
        client.sendall(bytes(100))
        client.shutdown(socket.SHUT_WR)
        print("all", len(rest_of(client)[0]))


def control():
    """Calls that succeed, and others that do not and say why."""
    _, port = serve(echo)
    with forward(f"127.0.0.1:{port}", is_controlled=True) as proxy:
        name = proxy.state["listeners"][0]["name"]
        used = proxy.address()

        def create(**fields):
            return proxy.call({"createListener": {"_0": {
                "service": {"forward": {"to": f"127.0.0.1:{port}"}}, "address": "127.0.0.1:0",
                "isEnabled": True, "behaviours": [], **fields}}})

        def reason(answer):
            failed = answer["failed"]["_0"]
            return failed["reason"], failed.get("field")

        print(*reason(create(name=name)))
        print(*reason(create(name="a", address=f"127.0.0.1:{used[1]}")))
        print(*reason(create(name="a", address="nowhere")))
        print(*reason(create(name="a", service={"forward": {"to": "x"}})))
        print(*reason(create(name="a", conditions={"profile": "LTEE"})))
        print(*reason(create(name="a", conditions={"settings": ["down.delay=5"]})))
        print(*reason(create(name="a", link="none")))
        print(*reason(create(name="a", link=name)))
        print(*reason(proxy.call({"deleteListener": {"_0": "none"}})))
        print(*reason(proxy.call({"nonsense": {}})))
        made = create(name="a", conditions={"profile": "LTE"})["listener"]["_0"]
        address = place(made["address"])
        client = socket.create_connection(address)
        client.sendall(b"x")
        print(client.recv(1))
        print(*reason(proxy.call({"deleteLink": {"_0": "a"}})))
        change = {"changeListener": {"_0": "a", "_1": {"isEnabled": False}}}
        print(proxy.call(change)["listener"]["_0"]["isEnabled"], rest_of(client)[1],
              socket.socket().connect_ex(address) != 0)
        change["changeListener"]["_1"]["isEnabled"] = True
        print(proxy.call(change)["listener"]["_0"]["address"] == made["address"],
              socket.socket().connect_ex(address))
        proxy.call({"createLink": {"_0": {"name": "shared", "conditions": {}}}})
        moved = proxy.call({"changeListener": {"_0": "a", "_1": {"link": "shared"}}})
        print(moved["listener"]["_0"]["link"])
        client = socket.create_connection(address)
        client.sendall(b"y")
        print(client.recv(1))
        print(*(link["name"] == name or link["name"]
                for link in proxy.call({"state": {}})["state"]["_0"]["links"]))
        print(*proxy.call({"deleteListener": {"_0": "a"}}))
        print(socket.socket().connect_ex(address) != 0)


def crowd():
    """Many connections at once, each of which answers while all are open."""
    count = int(REST[0])
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        echo_all(listener)
    listener_port = listener.getsockname()[1]
    listener.close()
    try:
        with forward(f"127.0.0.1:{listener_port}") as proxy:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            clients = [socket.create_connection(proxy.address()) for _ in range(count)]
            for client in clients:
                client.sendall(b"x")
            answered = 0
            for client in clients:
                client.settimeout(PATIENCE)
                try:
                    answered += client.recv(1) == b"x"
                except OSError:
                    pass
            print(answered)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def echo_all(listener):
    listener.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is listener:
                    try:
                        selector.register(listener.accept()[0], selectors.EVENT_READ)
                    except BlockingIOError:
                        pass
                    continue
                try:
                    part = key.fileobj.recv(4096)
                except OSError:
                    part = b""
                if part:
                    key.fileobj.send(part)
                else:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()


def scarcity():
    """With descriptors used up, old connections live, new ones are reset, and users are told."""
    _, port = serve(echo)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    with forward(f"127.0.0.1:{port}") as proxy:
        clients, fates = [], []
        for _ in range(120):
            client = socket.create_connection(proxy.address())
            client.settimeout(PATIENCE)
            try:
                client.sendall(b"x")
                fates.append(client.recv(1) == b"x")
            except OSError:
                fates.append(False)
            clients.append(client)
        first = fates.index(False)
        clients[0].sendall(b"y")
        print(first > 50, not any(fates[first:]), clients[0].recv(1))
        for client in clients:
            client.close()
        time.sleep(1)
        client = socket.create_connection(proxy.address())
        client.sendall(b"z")
        print(client.recv(1))
    print(len(re.findall("connections are refused", proxy.errors)))


def backpressure():
    """A reader that stalls stops the sender, and nothing is lost."""
    sent = [0]

    def flood(client):
        client.settimeout(2)
        try:
            while sent[0] < 50_000_000:
                sent[0] += client.send(bytes(65536))
        except TimeoutError:
            sent.append("stopped")
            client.settimeout(PATIENCE)
            client.sendall(b"!")
        client.close()

    _, port = serve(flood)
    with forward(f"127.0.0.1:{port}") as proxy:
        client = socket.create_connection(proxy.address())
        wait_until(lambda: len(sent) > 1)
        received, end = rest_of(client)
        print(sent[1], sent[0] < 20_000_000, len(received) == sent[0] + 1, end)


class Iperf:
    """A server of iperf3, and clients of it through a proxy."""

    def __init__(self):
        is_listening = False
        while not is_listening:
            with socket.create_server(("127.0.0.1", 0)) as probe:
                self.port = probe.getsockname()[1]
            self.server = subprocess.Popen(
                ["iperf3", "-s", "-B", "127.0.0.1", "-p", str(self.port), "--forceflush"],
                stdout=subprocess.PIPE, text=True)
            # It ends without this line if somebody else was given the port meanwhile.
            is_listening = any("listening" in line for line in self.server.stdout)

    def load(self, address, *options):
        return subprocess.Popen(
            ["iperf3", "-J", "-c", address[0], "-p", str(address[1]), *options],
            stdout=subprocess.PIPE, text=True)

    def rate(self, address, *options):
        """Mbit/s that have arrived."""
        while True:
            result = json.loads(self.load(address, *options).communicate(timeout=PATIENCE)[0])
            if not (error := result.get("error", "")):
                return result["end"]["sum_received"]["bits_per_second"] / 1e6
            # The server may be busy with the load before still, or listen anew behind it.
            if not any(reason in error for reason in ("busy", "reset", "refused")):
                sys.exit(f"iperf3 {' '.join(options)}: {error}")
            time.sleep(0.1)


def links():
    """A link has a rate for each direction and a queue, which only listeners on it share."""
    _, echo_port = serve(echo)
    words = ["--set", "down.bandwidth=8 Mbit/s", "--set", "up.bandwidth=2 Mbit/s",
             "--set", "up.queue=60 packets"]
    times = []
    for options in ([], ["--shared"]):
        iperf = Iperf()
        for port in (iperf.port, echo_port):
            options += ["--listen", f"127.0.0.1:0=127.0.0.1:{port}"]
        with Proxy("baseline", *words, *options) as proxy:
            client = socket.create_connection(proxy.address(1))
            round_trip(client)
            if not times:
                up = iperf.rate(proxy.address(0), "-t", "1")
                down = iperf.rate(proxy.address(0), "-R", "-t", "1")
                print(up < 2.1, down < 8.4, down > 2 * up)
            while True:
                load = iperf.load(proxy.address(0), "-t", "60", "-P", "4")
                time.sleep(1.5)
                if load.poll() is None:
                    break
            times.append(sorted(round_trip(client) for _ in range(5))[2])
            for process in (load, iperf.server):
                process.kill()
                process.wait()
    # A queue of 60 packets of 12,000 bits takes up to 360 ms.
    print("queued", times[1] > 3 * times[0])


def loss():
    """Packets are lost on the link, and TCP sends them again."""
    _, port = serve(echo)
    with forward(f"127.0.0.1:{port}", "--set", "up.loss=5%", is_controlled=True) as proxy:
        client = socket.create_connection(proxy.address())
        data = bytes(500_000)
        threading.Thread(target=client.sendall, args=[data], daemon=True).start()
        received = 0
        while received < len(data):
            received += len(client.recv(65536))
        endpoint = find_process("proxy-endpoint", proxy.process.pid)
        sockets = subprocess.run(
            ["nsenter", f"--net=/proc/{endpoint}/ns/net", "ss", "-tinH", "state", "established"],
            capture_output=True, text=True, check=True).stdout
        resent = [int(count) for count in re.findall(r"retrans:\d+/(\d+)", sockets)]
        print("sent again", sum(resent) > 0)

        def lost():
            links = proxy.call({"state": {}})["state"]["_0"]["links"]
            return links[0]["counters"]["up"]["lost"], links[0]["counters"]["down"]["lost"]

        wait_until(lambda: lost()[0] > 0)
        print("lost", lost()[1])


def lost_link():
    """A link whose process is killed: clients are refused, the others go on, and users are told."""
    _, port = serve(echo)
    with forward(f"127.0.0.1:{port}", is_controlled=True) as proxy:
        name = proxy.state["listeners"][0]["name"]
        endpoint = int(find_process("proxy-endpoint", proxy.process.pid))
        other = proxy.call({"createListener": {"_0": {
            "service": {"forward": {"to": f"127.0.0.1:{port}"}}, "address": "127.0.0.1:0",
            "isEnabled": True, "behaviours": []}}})["listener"]["_0"]
        client = socket.create_connection(proxy.address())
        kept = socket.create_connection(place(other["address"]))
        # Only then is it the endpoint's.
        round_trip(client)
        os.kill(endpoint, signal.SIGKILL)
        print(rest_of(client)[1])

        def listener():
            return proxy.call({"state": {}})["state"]["_0"]["listeners"][0]

        wait_until(lambda: not listener()["isEnabled"])
        print("free", can_listen(proxy.address()))
        kept.sendall(b"x")
        print(kept.recv(1))
        failed = proxy.call({"changeListener": {"_0": name, "_1": {"isEnabled": True}}})
        print(failed["failed"]["_0"]["reason"], can_listen(proxy.address()))
        print(*proxy.call({"deleteListener": {"_0": name}}))
    print("told", "endpoint ended" in proxy.errors)


def find_process(word, ancestor):
    """The process with this word that a process has started, directly or not."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if word.encode() not in file.read().split(b"\0"):
                    continue
            parent = int(process)
            while parent > 1 and parent != ancestor:
                with open(f"/proc/{parent}/stat", encoding="ascii") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == ancestor:
            return process
    raise LookupError(word)


globals()[TEST]()
