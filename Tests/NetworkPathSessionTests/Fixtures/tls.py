"""A server of HTTPS for tests that wants to know who its clients are: tls.py PORT READY

The files ca.pem, server.pem and server.key are in the current directory.
"""
import http.server, ssl, sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        subject = dict(pair for pairs in self.connection.getpeercert()["subject"] for pair in pairs)
        text = subject["commonName"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile="ca.pem")
context.verify_mode = ssl.CERT_REQUIRED
context.load_cert_chain("server.pem", "server.key")
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
open(sys.argv[2], "w").close()
server.serve_forever()
