"""A file server for prefetch-assets, whose behaviour tests change while it runs.

Manifests describe assets whose content depends on `version`; ranges and If-Range are heeded.
`requests` has what was asked for, and what of it has reached the client's host.

As a program: asset_server.py PORT LOG. LOG gets a line of JSON for each request: `path`, `range`,
`start`, the `bytes` that will be sent, and `received`: the bytes of earlier responses for the same
path that the client's host has acknowledged.
"""
import hashlib, http.server, json, random, socket, struct, sys, threading, time

BLOCK = 16384


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64
    daemon_threads = True

    def __init__(self, sizes, address=("127.0.0.1", 0), log=None):
        super().__init__(address, Handler)
        self.sizes, self.version, self.log = sizes, 1, log
        # Bytes per second, of all assets or of one; after how many bytes it closes the connection.
        self.rate, self.rates, self.cuts = 0, {}, {}
        # What a manifest says of an asset, in place of the truth, and which assets it has.
        self.policies, self.lies, self.manifests = {}, {}, {"manifest.json": list(sizes)}
        # The entity tag, if it is not that of the version.
        self.tag = None
        self.requests, self.lock, self.held = [], threading.Lock(), threading.Event()
        self.held.set()
        self.url = f"http://127.0.0.1:{self.server_port}/manifest.json"

    def start(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def content(self, name, version=None):
        return random.Random(f"{name} {version or self.version}").randbytes(self.sizes[name])

    def manifest(self, names):
        entries = [{"name": name, "size": self.sizes[name],
                    "policy": self.policies.get(name, "essential"),
                    "sha256": hashlib.sha256(self.content(name)).hexdigest()}
                   | self.lies.get(name, {}) for name in names]
        return json.dumps(
            {"format": 1, "version": str(self.version), "assets": entries}).encode()

    def note(self, entry):
        """Notes a request, and what has arrived of the earlier ones."""
        with self.lock:
            entry["received"] = sum(other["acknowledged"]() for other in self.requests
                                    if other["path"] == entry["path"])
            self.requests.append(entry)
            if self.log:
                with open(self.log, "a") as log:
                    log.write(json.dumps(
                        {key: value for key, value in entry.items() if not callable(value)}) + "\n")

    def handle_error(self, *_):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # The bytes that were written to this connection.
    written = 0

    def log_message(self, *_):
        pass

    def do_GET(self):
        server, name = self.server, self.path.strip("/")
        if name in server.manifests:
            return self.answer(200, server.manifest(server.manifests[name]))
        if name not in server.sizes:
            return self.answer(404, b"no such file")
        whole, tag, start = server.content(name), server.tag or f'"{server.version}"', 0
        if self.headers["Range"] and self.headers["If-Range"] == tag:
            start = int(self.headers["Range"].removeprefix("bytes=").split("-")[0])
        if start >= len(whole):
            return self.answer(416, b"")
        headers = {"ETag": tag, "Content-Type": "application/octet-stream"}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(whole) - 1}/{len(whole)}"
        body = whole[start:][:server.cuts.get(name)]
        head = self.head(206 if start else 200, len(whole) - start, headers)
        # Tells what has arrived even when this connection is over.
        connection, before = self.connection.dup(), self.written + len(head)
        server.note({
            "method": "GET", "path": self.path, "version": server.version, "start": start,
            "range": self.headers["Range"], "bytes": len(body),
            "port": self.client_address[1],
            "acknowledged": lambda: max(0, min(len(body), acknowledged(connection) - before))})
        self.write(head)
        self.send_slowly(body, server.rates.get(name, server.rate))
        self.close_connection = start + len(body) < len(whole)

    def answer(self, status, body):
        self.write(self.head(status, len(body), {}) + body)

    def head(self, status, size, headers):
        fields = headers | {"Content-Length": size}
        return "".join([f"HTTP/1.1 {status} x\r\n"] + [
            f"{key}: {value}\r\n" for key, value in fields.items()] + ["\r\n"]).encode()

    def write(self, data):
        self.wfile.write(data)
        self.written += len(data)

    def send_slowly(self, body, rate):
        begin = time.monotonic()
        for offset in range(0, len(body), BLOCK):
            self.server.held.wait()
            self.write(body[offset:offset + BLOCK])
            if rate:
                due = begin + (offset + BLOCK) / rate
                time.sleep(max(0, due - time.monotonic()))


def acknowledged(connection):
    """The bytes of a connection that the client's host has received (tcpi_bytes_acked)."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    return struct.unpack_from("=Q", info, 120)[0]


def unread(port, client):
    """The bytes that the client's host has received, and the client has not read; None if there is
    no such connection."""
    # A row may be missing while other connections come and go.
    for _ in range(10):
        for line in open("/proc/net/tcp").read().splitlines()[1:]:
            fields = line.split()
            if [int(field.split(":")[1], 16) for field in fields[1:3]] == [client, port]:
                return int(fields[4].split(":")[1], 16)
    return None


if __name__ == "__main__":
    server = Server({"level1.pack": 400_000, "level2.pack": 600_000, "intro.pack": 100_000,
                     "cut.pack": 5_000_000, "short.pack": 1_000, "extra.pack": 50_000,
                     "big.pack": 6_600_000, "brief.pack": 2_000_000, "late.pack": 400_000},
                    ("", int(sys.argv[1])), sys.argv[2])
    server.policies = {"level1.pack": "prefetch", "level2.pack": "prefetch",
                       "late.pack": "prefetch", "extra.pack": "onDemand"}
    server.cuts = {"cut.pack": 2_000_000}
    server.rates = {"big.pack": 400_000, "brief.pack": 400_000, "late.pack": 100_000}
    server.lies = {"short.pack": {"size": 1_001}}
    # The others come first: it is the app that has to put the essential ones before them.
    server.manifests = {
        "manifest.json": ["level1.pack", "level2.pack", "extra.pack", "intro.pack", "cut.pack"],
        "short.json": ["short.pack"], "brief.json": ["level1.pack", "brief.pack"],
        "resumed.json": ["late.pack", "big.pack"]}
    server.serve_forever()
