# server.py REQUESTS PORT: a web server that appends each request to the file REQUESTS, on one line.
import http.server
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        headers = "; ".join(f"{name}: {value}" for name, value in sorted(self.headers.items()))
        with open(sys.argv[1], "a") as file:
            file.write(f"{self.command} {self.path} {headers}\n")
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("", int(sys.argv[2])), Handler).serve_forever()
