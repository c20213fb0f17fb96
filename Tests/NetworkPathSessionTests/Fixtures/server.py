"""An HTTP server for tests: server.py ADDRESS PORT LOG READY

GET /file?size=N       N bytes that are always the same; ranges and If-Range are heeded
    &cut=N             closes the connection after N bytes of a body
    &hold=yes          sends the first 64 KiB, and the rest when there is a file `release`
    &version=V         another resource with an entity tag of its own; `counted`: another each time
    &validator=none|weak|date   instead of a strong entity tag
POST /anything         answers with the number of bytes received

LOG gets a line of JSON for each request, with the bytes that are to be sent. READY is a file that
appears once it listens.
"""
import hashlib, http.server, json, os, random, sys, threading, time, urllib.parse

lock = threading.Lock()
bodies = {}


def body(size, version):
    with lock:
        if (size, version) not in bodies:
            bodies[size, version] = random.Random(version).randbytes(size)
        return bodies[size, version]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def note(self, **more):
        entry = {"method": self.command, "path": self.path, "range": self.headers["Range"], **more}
        with lock, open(sys.argv[3], "a") as log:
            log.write(json.dumps(entry) + "\n")

    def do_POST(self):
        received, left = 0, int(self.headers["Content-Length"])
        while left and (part := self.rfile.read(min(left, 65536))):
            received, left = received + len(part), left - len(part)
        self.note(received=received)
        answer = str(received).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        version = query.get("version", "1")
        if version == "counted":
            # A resource that is another one whenever it is asked for.
            Handler.count = getattr(Handler, "count", 0) + 1
            version = f"counted {Handler.count}"
        whole = body(int(query.get("size", 1000)), version)
        tag = '"' + hashlib.sha256(whole).hexdigest()[:16] + '"'
        date = "Sat, 21 Nov 2026 10:00:00 GMT"
        name, value = {
            "none": (None, None), "weak": ("ETag", "W/" + tag), "date": ("Last-Modified", date),
        }.get(query.get("validator"), ("ETag", tag))
        start, status = 0, 200
        wanted, condition = self.headers["Range"], self.headers["If-Range"]
        if wanted and (condition is None or condition == value):
            start, status = int(wanted.removeprefix("bytes=").split("-")[0]), 206
        self.send_response(status)
        if name:
            self.send_header(name, value)
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        self.send_header("Content-Length", str(len(whole) - start))
        self.end_headers()
        end = min(len(whole), start + int(query.get("cut", len(whole))))
        # Before it is sent: once the client has it, everything here may be over.
        self.note(status=status, sent=end - start)
        self.close_connection = end < len(whole)
        try:
            if "hold" in query:
                start += self.wfile.write(whole[start:start + 65536])
                while not os.path.exists("release"):
                    time.sleep(0.05)
            self.wfile.write(whole[start:end])
        except OSError:
            pass


http.server.ThreadingHTTPServer.request_queue_size = 64
server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
open(sys.argv[4], "w").close()
server.serve_forever()
