"""A file server for the examples: files.py PORT LOG

GET /manifest.json     two essential assets and two others
GET /NAME              an asset; ranges and If-Range are heeded. `cut.pack` is closed every 2 MB,
                       `short.pack` is smaller than the manifest says
PUT /NAME              keeps nothing

LOG gets a line of JSON for each request, with the bytes of the bodies that passed.
"""
import http.server, json, random, sys, threading

sizes = {"intro.pack": 100_000, "cut.pack": 5_000_000, "level1.pack": 400_000,
         "level2.pack": 600_000, "short.pack": 1_000}
essential = ["intro.pack", "cut.pack"]
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def note(self, count):
        entry = {"method": self.command, "path": self.path, "bytes": count,
                 "range": self.headers["Range"]}
        with lock, open(sys.argv[2], "a") as log:
            log.write(json.dumps(entry) + "\n")

    def do_PUT(self):
        received, left = 0, int(self.headers["Content-Length"])
        while left and (part := self.rfile.read(min(left, 65536))):
            received, left = received + len(part), left - len(part)
        self.note(received)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        name = self.path.strip("/")
        if name == "manifest.json":
            return self.answer(json.dumps({"assets": self.assets(["level1.pack", "level2.pack"])}))
        if name == "short.json":
            return self.answer(json.dumps({"assets": self.assets(["short.pack"])}))
        whole = random.Random(name).randbytes(sizes[name])
        start, status = 0, 200
        if self.headers["Range"] and self.headers["If-Range"] == '"1"':
            start, status = int(self.headers["Range"].removeprefix("bytes=").split("-")[0]), 206
        self.send_response(status)
        self.send_header("ETag", '"1"')
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        self.send_header("Content-Length", str(len(whole) - start))
        self.end_headers()
        end = min(len(whole), start + 2_000_000) if name == "cut.pack" else len(whole)
        self.close_connection = end < len(whole)
        # Before it is sent: once the client has it, everything here may be over.
        self.note(end - start)
        self.wfile.write(whole[start:end])

    def assets(self, rest):
        # The others come first: it is the app that has to turn them round.
        return [{"name": name, "essential": name in essential,
                 "size": sizes[name] + (1 if name == "short.pack" else 0)}
                for name in rest + essential]

    def answer(self, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


http.server.ThreadingHTTPServer.request_queue_size = 64
http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()
