import LinkTesting
import Matrix
import Testing

@Suite("Matrix: requests", .requiresNamespaces, .tags(.anyKernel))
struct MatrixRequestTests {
    @Test func `curl's requests are counted, however long their answers are`() async throws {
        try await MatrixRun.with { run in
            // Three on one connection, which an HTTP/1.1 server keeps open; then a fourth.
            try run.directory.write(
                """
                profiles: [WiFi]
                baseline: false
                uplink: none
                expect: { WiFi: { requests: at most 3 } }
                servers:
                  - exec python3 -u server.py
                server-ready: 8000
                command: |
                  one=http://server.linkcond:8000/
                  curl --fail --silent --show-error $one $one $one -o a -o b -o c && curl -sf $one -o d
                """, to: "linkcond.yaml")
            try run.directory.write(
                """
                from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

                class Handler(BaseHTTPRequestHandler):
                    protocol_version = "HTTP/1.1"

                    def do_GET(self):
                        self.send_response(200)
                        self.send_header("Content-Length", "300000")
                        self.end_headers()
                        self.wfile.write(bytes(300000))

                    def log_message(self, *arguments):
                        pass

                ThreadingHTTPServer(("", 8000), Handler).serve_forever()
                """, to: "server.py")
            let result = try await run.script("exec $LINKCOND matrix --report report")
            #expect(result.exitCode == 1, "\(result)")
            let cell = try #require(try run.report().cells.first)
            #expect(cell.statistics?.requests == 4, "\(cell)")
            #expect(cell.problem == "4 requests; expected requests: at most 3")
        }
    }
}
