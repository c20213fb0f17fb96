"""A file server for sync-when-free: files.py PORT LOG

PUT /NAME keeps nothing. LOG gets a line of JSON for each request, with the bytes of its body.
"""
import http.server, json, sys, threading

lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_PUT(self):
        received, left = 0, int(self.headers["Content-Length"])
        while left and (part := self.rfile.read(min(left, 65536))):
            received, left = received + len(part), left - len(part)
        entry = {"method": self.command, "path": self.path, "bytes": received}
        with lock, open(sys.argv[2], "a") as log:
            log.write(json.dumps(entry) + "\n")
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()


http.server.ThreadingHTTPServer.request_queue_size = 64
http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()
