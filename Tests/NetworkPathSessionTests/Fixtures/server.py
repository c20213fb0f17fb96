"""An HTTP server for tests: server.py ADDRESS PORT LOG READY

GET /file?size=N       N bytes that are always the same; ranges and If-Range are heeded
    &cut=N             closes the connection after N bytes of a body
    &hold=yes          sends the first 64 KiB, and the rest when there is a file `release`
    &version=V         another resource with an entity tag of its own; `counted`: another each time
    &validator=none|weak|date   instead of a strong entity tag
    &rest=KIND         what becomes of requests for a range: a status without it (`503`), `portal`
                       (a page with 200), `portal-tag` (and an entity tag of its own), `ignored` (the
                       whole), or a part with a wrong `start`, `total` or `tag`, or `no-range` said
                       `no-tag`: none; `other`: other bytes of the same size without a tag
    &password=P        asks for the user `u` and this password (HTTP Basic)
    &digest=P          the same by HTTP Digest
GET /away              leads to /file of another port of the same host
    &to=URL            leads there; `loop` leads to itself
POST /anything         answers with the number of bytes received; takes `password` as well

The second port after PORT speaks IPv6 as well, and Multipath TCP if the kernel does.

LOG gets a line of JSON for each request, with the bytes that are to be sent. READY is a file that
appears once it listens.
"""
import base64, hashlib, http.server, json, os, random, socket, sys, threading, time
import urllib.parse, urllib.request

lock = threading.Lock()
bodies = {}


def body(size, version):
    """A body and its entity tag."""
    with lock:
        if (size, version) not in bodies:
            source = random.Random(version)
            # Python makes 256 MiB at a time at most.
            parts = [source.randbytes(min(size - at, 1 << 24)) for at in range(0, size, 1 << 24)]
            whole = b"".join(parts)
            bodies[size, version] = whole, '"' + hashlib.sha256(whole).hexdigest()[:16] + '"'
        return bodies[size, version]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def note(self, **more):
        entry = {
            "method": self.command, "path": self.path, "range": self.headers["Range"],
            "credential": self.headers["Authorization"], "client": self.client_address[0],
            **more,
        }
        with lock, open(sys.argv[3], "a") as log:
            log.write(json.dumps(entry) + "\n")

    @property
    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))

    def answer(self, status, text, **headers):
        """A short answer, whatever was asked for."""
        self.note(status=status)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def is_refused(self):
        if "digest" in self.query:
            return self.is_refused_by_digest(self.query["digest"])
        password = self.query.get("password")
        words = base64.b64encode(f"u:{password}".encode()).decode()
        if password is None or self.headers["Authorization"] == "Basic " + words:
            return False
        self.answer(401, "who are you?", WWW_Authenticate='Basic realm="here"')
        return True

    def is_refused_by_digest(self, password):
        """RFC 7616 with MD5 and without qop, as the oldest servers do it."""
        md5 = lambda *words: hashlib.md5(":".join(words).encode()).hexdigest()
        scheme, _, rest = (self.headers["Authorization"] or "").partition(" ")
        given = urllib.request.parse_keqv_list(urllib.request.parse_http_list(rest))
        wanted = md5(md5("u", "here", password), "once", md5(self.command, self.path))
        if scheme == "Digest" and given.get("response") == wanted:
            return False
        self.answer(401, "who are you?", WWW_Authenticate='Digest realm="here", nonce="once"')
        return True

    def do_POST(self):
        received, left = 0, int(self.headers["Content-Length"])
        while left and (part := self.rfile.read(min(left, 65536))):
            received, left = received + len(part), left - len(part)
        if self.is_refused():
            return
        self.note(received=received)
        answer = str(received).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self):
        query = self.query
        if self.is_refused():
            return
        if self.path.startswith("/away"):
            to = query.get("to", "http://192.0.2.2:8001/file?size=1000")
            return self.answer(302, "", Location=self.path if to == "loop" else to)
        version = query.get("version", "1")
        if version == "counted":
            # A resource that is another one whenever it is asked for.
            Handler.count = getattr(Handler, "count", 0) + 1
            version = f"counted {Handler.count}"
        whole, tag = body(int(query.get("size", 1000)), version)
        date = "Sat, 21 Nov 2026 10:00:00 GMT"
        name, value = {
            "none": (None, None), "weak": ("ETag", "W/" + tag), "date": ("Last-Modified", date),
        }.get(query.get("validator"), ("ETag", tag))
        start, status, total = 0, 200, len(whole)
        wanted, condition = self.headers["Range"], self.headers["If-Range"]
        fault = query.get("rest") if wanted else None
        if fault and fault.isdigit():
            return self.answer(int(fault), "This is not the time for it.", Retry_After="5")
        if fault in ("portal", "portal-tag"):
            more = {"ETag": '"portal"'} if fault == "portal-tag" else {}
            page = "<html><body>Accept the terms first</body></html>"
            return self.answer(200, page, Content_Type="text/html; charset=utf-8", **more)
        if wanted and fault != "ignored" and (condition is None or condition == value):
            start, status = int(wanted.removeprefix("bytes=").split("-")[0]), 206
        said = start + 1 if fault == "start" else start
        if fault == "other":
            whole, _ = body(len(whole), "other")
        self.send_response(status)
        if name and fault not in ("no-tag", "other"):
            self.send_header(name, '"another"' if fault == "tag" else value)
        if status == 206 and fault != "no-range":
            total += fault == "total"
            self.send_header("Content-Range", f"bytes {said}-{total - 1}/{total}")
        self.send_header("Content-Length", str(len(whole) - start))
        end = min(len(whole), start + int(query.get("cut", len(whole))))
        # Before any of it is sent: the client may ask for something else as soon as it has seen the
        # headers, and be answered sooner.
        self.note(status=status, sent=end - start)
        self.end_headers()
        self.close_connection = end < len(whole)
        try:
            if "hold" in query:
                start += self.wfile.write(whole[start:start + 65536])
                while not os.path.exists("release"):
                    time.sleep(0.05)
            self.wfile.write(whole[start:end])
        except OSError:
            pass


class ManyProtocols(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6

    def server_bind(self):
        try:
            other = socket.socket(self.address_family, self.socket_type, socket.IPPROTO_MPTCP)
        except OSError:
            pass
        else:
            self.socket.close()
            self.socket = other
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


http.server.ThreadingHTTPServer.request_queue_size = 64
servers = [
    http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2]) + offset), Handler)
    for offset in (0, 1)
] + [ManyProtocols(("::", int(sys.argv[2]) + 2), Handler)]
for server in servers[1:]:
    threading.Thread(target=server.serve_forever, daemon=True).start()
open(sys.argv[4], "w").close()
servers[0].serve_forever()
