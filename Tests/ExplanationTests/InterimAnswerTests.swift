import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Explanation

@Suite("Requests with more than one answer, or with bytes after it", .tags(.unit))
struct InterimAnswerTests {
    private var run = CapturedRun(delay: .milliseconds(50))
    private var connection = ScriptedConnection(port: 4000)

    private static let interim = "HTTP/1.1 100 Continue\r\n\r\n"
    private static let created = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
    private static let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// What the server sends, packet by packet.
    private static let interimAnswers: [[String]] = {
        let (first, second) = (String(hints.prefix(40)), String(hints.dropFirst(40)))
        return [
            [hints, answer],
            [hints + answer],
            ["HTTP/1.1 102 Processing\r\n\r\n", hints, answer],
            [first, second, answer],
            [first, second + answer],
            ["HTTP/1.1 103", String(hints.dropFirst(12)) + "HTTP/", String(answer.dropFirst(5))],
        ]
    }()

    private mutating func send(
        _ direction: Direction, at time: Duration, _ text: String
    ) -> Duration {
        connection.send(direction, at: time, Array(text.utf8), in: &run)
    }

    /// Sends a body in segments, all at once.
    private mutating func upload(_ bytes: Int, at time: Duration) -> Duration {
        var now = time
        for start in stride(from: 0, to: bytes, by: 1000) {
            now = connection.send(
                .up, at: time, [UInt8](repeating: 120, count: min(1000, bytes - start)), in: &run)
        }
        return now
    }

    private static func head(_ bytes: Int) -> String {
        "PUT /x HTTP/1.1\r\nHost: a\r\ncontent-length: \(bytes)\r\nExpect: 100-continue\r\n\r\n"
    }

    @Test mutating func `an upload that waits for 100 Continue is one request`() throws {
        let opened = connection.open(at: .zero, in: &run)
        let asked = send(.up, at: opened, Self.head(5000))
        let told = send(.down, at: asked, Self.interim)
        // The app takes a moment to begin with the body.
        let sent = upload(5000, at: told + .milliseconds(3))
        let end = send(.down, at: sent + .milliseconds(20), Self.created)
        let found = try run.explanation(run: .zero..<end)
        #expect(found.connections.map(\.requests) == [1])
        let request = try #require(found.requests.first)
        #expect(found.requests.count == 1)
        #expect(request.title == "PUT /x 201")
        #expect(request.requestBytes == Self.head(5000).utf8.count + 5000)
        #expect(request.responseBytes == (Self.interim + Self.created).utf8.count)
        // Two round trips and both pauses; it has its first byte when the final answer comes.
        let length = try #require(request.end) - request.start
        #expect(Duration.milliseconds(223)...Duration.milliseconds(224) ~= length)
        #expect(request.firstByte == request.end)
        let shares = Explanation.shares(request.waits)
        #expect(shares.values.reduce(.zero, +) == length, "\(shares)")
        #expect(shares[.propagation] == .milliseconds(200))
        #expect(shares[.app] ?? .zero >= .milliseconds(3))
        #expect(found.shares.values.reduce(.zero, +) == found.duration)
    }

    @Test mutating func `a client that still waits for the final answer waits for the server`()
        throws
    {
        let opened = connection.open(at: .zero, in: &run)
        let asked = send(.up, at: opened, Self.head(5000))
        let told = send(.down, at: asked, Self.interim)
        let sent = upload(5000, at: told)
        let found = try run.explanation(run: .zero..<sent + .seconds(3))
        #expect(found.requests.count == 1)
        #expect(found.requests.first?.firstByte == nil)
        #expect(found.shares[.server] ?? .zero >= .seconds(3))
    }

    @Test(arguments: interimAnswers)
    mutating func `interim answers belong to the request of the final one`(
        parts: [String]
    ) throws {
        var now = connection.open(at: .zero, in: &run)
        now = send(.up, at: now, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        for part in parts { now = send(.down, at: now + .milliseconds(200), part) }
        let end = connection.request("/2", at: now, bytes: 10, in: &run)
        let found = try run.explanation(run: .zero..<end)
        #expect(found.requests.map(\.title) == ["GET /1 200", "GET /2 200"])
        let first = try #require(found.requests.first)
        #expect(first.responseBytes == parts.joined().utf8.count)
        #expect(first.end ?? .zero >= first.start + .milliseconds(100 + 200 * parts.count))
        // The final answer begins with the last packet, or with the one before.
        let begin = try #require(first.firstByte)
        let isSplit = parts.last?.hasPrefix("HTTP") == false && parts.count == 3
        #expect(isSplit ? begin < (first.end ?? .zero) : begin == first.end)
    }

    @Test mutating func `a request that is answered before it is whole is one`() throws {
        let opened = connection.open(at: .zero, in: &run)
        let asked = send(.up, at: opened, Self.head(30_000))
        _ = upload(10_000, at: opened)
        let told = send(.down, at: asked, Self.created)
        let sent = upload(20_000, at: told)
        let end = connection.request("/2", at: sent, bytes: 10, in: &run)
        let found = try run.explanation(run: .zero..<end)
        #expect(found.requests.map(\.title) == ["PUT /x 201", "GET /2 200"])
        #expect(found.requests.first?.requestBytes == Self.head(30_000).utf8.count + 30_000)
    }

    @Test mutating func `a request that was given up before its body leaves the next one alone`()
        throws
    {
        let opened = connection.open(at: .zero, in: &run)
        let asked = send(.up, at: opened, Self.head(30_000))
        let told = send(.down, at: asked, "HTTP/1.1 417 Expectation Failed\r\n\r\n")
        let end = connection.request("/2", at: told, bytes: 10, in: &run)
        let found = try run.explanation(run: .zero..<end)
        #expect(found.requests.map(\.title) == ["PUT /x 417", "GET /2 200"])
    }

    @Test mutating func `answers without a body end their requests`() throws {
        var now = connection.open(at: .zero, in: &run)
        for (method, status) in [("HEAD", "200 OK"), ("GET", "304 Not Modified"), ("PUT", "204 N")]
        {
            now = send(.up, at: now, "\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
            now = send(.down, at: now, "HTTP/1.1 \(status)\r\nContent-Length: 1000\r\n\r\n")
        }
        let found = try run.explanation(run: .zero..<now)
        #expect(found.requests.map(\.title) == ["HEAD / 200", "GET / 304", "PUT / 204"])
    }
}
