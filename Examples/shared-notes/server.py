"""The server of shared-notes: server.py PORT

GET /ACCOUNT           the names of the account's notes, as JSON
GET /ACCOUNT/NAME      a note
PUT /ACCOUNT/NAME      keeps a note, in memory; one that is cut off is not kept
"""
import http.server, json, sys

notes = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_PUT(self):
        _, account, name = self.path.split("/")
        length = int(self.headers["Content-Length"])
        text = self.rfile.read(length)
        if len(text) == length:
            notes.setdefault(account, {})[name] = text
            self.answer(201, b"")

    def do_GET(self):
        _, account, *names = self.path.split("/")
        own = notes.get(account, {})
        if not names:
            self.answer(200, json.dumps(sorted(own)).encode())
        elif names[0] in own:
            self.answer(200, own[names[0]])
        else:
            self.answer(404, b"")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()
