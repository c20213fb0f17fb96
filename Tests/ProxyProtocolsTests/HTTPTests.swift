import LinkTesting
import ProxyProtocols
import Testing

@Suite(.tags(.unit))
struct `An HTTP proxy` {
    private func readHead(_ text: String) -> HTTPHead? {
        guard case .head(let head, _) = HTTPHead.read(Array(text.utf8)) else { return nil }
        return head
    }

    private func request(_ text: String) throws -> HTTPProxyRequest {
        try HTTPProxyRequest(try #require(readHead(text)))
    }

    @Test func `finds the end of a head`() {
        let text = Array("GET / HTTP/1.1\r\nA: b\r\n\r\nrest".utf8)
        for count in 0..<text.count - 4 {
            #expect(HTTPHead.read(Array(text.prefix(count))) == .incomplete)
        }
        guard case .head(let head, let length) = HTTPHead.read(text) else {
            Issue.record("no head")
            return
        }
        #expect(length == text.count - 4)
        #expect(head.fields.first?.value == "b")
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nA : b\r\n\r\n", "GET \u{0} HTTP/1.1\r\n\r\n",
    ])
    func `refuses heads that could smuggle requests`(text: String) {
        #expect(HTTPHead.read(Array(text.utf8)) == .invalid)
    }

    @Test func `refuses a head without end`() {
        let long = Array("GET / HTTP/1.1\r\nA: ".utf8) + [UInt8](repeating: 0x61, count: 70_000)
        #expect(HTTPHead.read(long) == .invalid)
        #expect(HTTPHead.read(Array(long.prefix(HTTPHead.longest))) == .invalid)
        #expect(HTTPHead.read(Array(long.prefix(HTTPHead.longest - 1))) == .incomplete)
    }

    @Test func `keeps what tells where a message ends, whatever is said of its connection`() throws
    {
        let request = try request(
            "POST http://a/ HTTP/1.0\r\nConnection: content-length, x\r\nX: 1\r\n"
                + "Content-Length: 4\r\n\r\n")
        guard case .pass(let passed, let body) = request.kind else {
            Issue.record("no request to pass on")
            return
        }
        #expect(body == .length(4))
        #expect(passed.fields.contains { $0.name == "Content-Length" && $0.value == "4" })
        #expect(!passed.fields.contains { $0.name == "X" })
        // A server sends no chunks to who cannot read them.
        #expect(passed.line == "POST / HTTP/1.0")
    }

    @Test func `passes a request on without what is of its connection`() throws {
        let request = try request(
            """
            GET http://user:secret@db.example:8080?q=1#part HTTP/1.1\r
            Host: other.example\r
            Connection: keep-alive, X-Private\r
            Proxy-Connection: keep-alive\r
            Proxy-Authorization: Basic x\r
            X-Private: 1\r
            X-Public: 2\r
            \r\n
            """)
        #expect("\(request.target)" == "db.example:8080")
        #expect(request.keepsAlive)
        guard case .pass(let passed, let body) = request.kind else {
            Issue.record("no request to pass on")
            return
        }
        #expect(body.isComplete)
        #expect(
            String(decoding: passed.bytes, as: UTF8.self)
                == "GET /?q=1 HTTP/1.1\r\nHost: db.example:8080\r\nX-Public: 2\r\n"
                + "Via: 1.1 linkcond\r\nConnection: keep-alive\r\n\r\n")
    }

    @Test func `connects where it is asked to`() throws {
        let request = try request("CONNECT [fd00::1]:443 HTTP/1.1\r\n\r\n")
        #expect(request.kind == .connect)
        #expect("\(request.target)" == "[fd00::1]:443")
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\n\r\n", "CONNECT a HTTP/1.1\r\n\r\n",
        "GET http:/// HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/2\r\n\r\n", "nonsense\r\n\r\n",
        "CONNECT unix:/tmp/a HTTP/1.1\r\n\r\n", "GET http://a b/ HTTP/1.1\r\n\r\n",
        "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST http://a/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ])
    func `refuses what is no request for it`(text: String) throws {
        let head = try #require(readHead(text))
        let answer = #expect(throws: HTTPProxyAnswer.self) { try HTTPProxyRequest(head) }
        #expect(answer?.status == 400)
    }

    private func response(_ text: String, to method: String = "GET") -> HTTPResponse? {
        readHead(text).flatMap { HTTPResponse($0, to: method, clientKeepsAlive: true) }
    }

    @Test func `knows how long responses are`() {
        #expect(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")?.body == .length(5))
        #expect(response("HTTP/1.1 200 OK\r\n\r\n")?.body == .untilEnd)
        #expect(response("HTTP/1.1 200 OK\r\n\r\n")?.keepsAlive == false)
        #expect(
            response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", to: "HEAD")?.body
                == .length(0))
        #expect(
            response("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n")?.body == .length(0))
        #expect(response("HTTP/1.1 100 Continue\r\n\r\n")?.isInterim == true)
        #expect(
            response("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")?.body
                == .chunked(HTTPChunks()))
        #expect(response("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n")?.keepsAlive == false)
        #expect(response("nonsense\r\n\r\n") == nil)
    }

    @Test func `finds the end of chunks however they are cut`() {
        let chunks = Array("5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n".utf8)
        let next = Array("HTTP/1.1".utf8)
        for step in 1...chunks.count {
            var body = HTTPBody.chunked(HTTPChunks())
            var taken = 0
            let all = chunks + next
            while !body.isComplete, taken < all.count {
                let part = all[taken..<min(taken + step, all.count)]
                guard let count = body.take(part) else {
                    Issue.record("refused")
                    return
                }
                taken += count
            }
            #expect(taken == chunks.count)
        }
    }

    @Test(arguments: ["x\r\n", "\r\n", "fffffffffffffffff\r\n", ";\r\n", "-1\r\n"])
    func `refuses chunks that make no sense`(text: String) {
        var body = HTTPBody.chunked(HTTPChunks())
        #expect(body.take(Array(text.utf8)[...]) == nil)
    }

    @Test func `tells the cause of a failure`() {
        let text = String(decoding: HTTPProxyAnswer(502, "a:1: refused").bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(text.hasSuffix("\r\n\r\nlinkcond proxy: a:1: refused\n"))
        #expect(text.contains("Content-Length: 29\r\n"))
    }
}
