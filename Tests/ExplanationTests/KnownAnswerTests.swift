import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Explanation

@Suite("Runs whose answer is known by construction", .tags(.unit))
struct KnownAnswerTests {
    private static let rate = Bandwidth.megabitsPerSecond(10)

    private static func expectSum(_ run: Explanation) {
        #expect(run.shares.values.reduce(.zero, +) == run.duration)
        #expect(run.path.first?.start == .zero)
        #expect(run.path.last?.end == run.duration)
        for (earlier, later) in zip(run.path, run.path.dropFirst()) {
            #expect(earlier.end == later.start)
        }
    }

    private static func expect(
        _ run: Explanation, _ cause: Cause, _ time: Duration, within: Double = 0.005
    ) {
        let found = run.shares[cause] ?? .zero
        let difference = found > time ? found - time : time - found
        #expect(
            difference <= time * within + .microseconds(20), "\(cause): \(found), not \(time)")
    }

    @Test(arguments: [1, 5, 20])
    func `requests one after the other are round trips and bandwidth`(count: Int) throws {
        var run = CapturedRun(bandwidth: Self.rate, delay: .milliseconds(50))
        var connection = ScriptedConnection(port: 4000)
        var now = connection.open(at: .milliseconds(10), in: &run)
        let opened = now
        for index in 0..<count {
            now = connection.request("/\(index)", at: now, bytes: 10_000, in: &run)
        }
        let found = try run.explanation(run: .zero..<now)
        Self.expectSum(found)
        #expect(found.duration == now)
        Self.expect(found, .app, .milliseconds(10))
        Self.expect(found, .tcpHandshake, opened - .milliseconds(10))
        Self.expect(found, .propagation, .milliseconds(100) * count)
        let rest = now - opened - .milliseconds(100) * count
        Self.expect(found, .serialization, rest)
        #expect(found.requests.count == count)
        #expect(found.requests.last?.target == "/\(count - 1)")
        #expect(found.requests.allSatisfy { $0.status == 200 && $0.responseBytes > 10_000 })
        let prediction = found.prediction(without: .bandwidth)
        #expect(prediction < .milliseconds(10 + 100 + 100 * count + 1))
    }

    @Test func `a lost first packet is a second of its connection's handshake`() throws {
        var run = CapturedRun(bandwidth: nil, delay: .milliseconds(50))
        var connection = ScriptedConnection(port: 4000)
        var now = connection.open(at: .zero, isLost: true, in: &run)
        now = connection.request("/", at: now, bytes: 10, in: &run)
        let found = try run.explanation(run: .zero..<now)
        Self.expectSum(found)
        #expect(found.connections.count == 1)
        Self.expect(found, .timeoutRecovery, .seconds(1))
        Self.expect(found, .tcpHandshake, .milliseconds(100))
        Self.expect(found, .propagation, .milliseconds(100))
    }

    @Test func `the goodbye of a connection that the app has closed is not waited for`() throws {
        var run = CapturedRun(bandwidth: nil, delay: .milliseconds(50))
        var first = ScriptedConnection(port: 4000)
        var now = first.open(at: .zero, in: &run)
        now = first.request("/", at: now, bytes: 10, in: &run)
        let closed = first.send(.up, at: now, flags: 0x11, in: &run)
        var second = ScriptedConnection(port: 4001)
        let opened = second.open(at: now, in: &run)
        // It arrives after the handshake of the next connection, and before the slow app goes on.
        first.send(.down, at: closed + .milliseconds(1), flags: 0x11, in: &run)
        now = second.request("/", at: opened + .milliseconds(60), bytes: 10, in: &run)
        let found = try run.explanation(run: .zero..<now)
        Self.expectSum(found)
        Self.expect(found, .tcpHandshake, .milliseconds(200))
        Self.expect(found, .propagation, .milliseconds(200))
        Self.expect(found, .app, .milliseconds(60))
    }

    @Test func `a server that sleeps is what was waited for`() throws {
        var run = CapturedRun(bandwidth: Self.rate, delay: .milliseconds(20))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        let end = connection.request(
            "/", at: opened, bytes: 100, thinking: .milliseconds(700), in: &run)
        let found = try run.explanation(run: .zero..<end + .milliseconds(5))
        Self.expectSum(found)
        Self.expect(found, .server, .milliseconds(700))
        Self.expect(found, .app, .milliseconds(5))
    }

    @Test func `a lost packet costs the time until it is sent again`() throws {
        var run = CapturedRun(bandwidth: nil, delay: .milliseconds(20))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        let asked = connection.send(.up, at: opened, Array("ask".utf8), in: &run)
        let answer = [UInt8](repeating: 1, count: 500)
        connection.send(.down, at: asked, answer, drop: true, in: &run)
        let late = asked + .milliseconds(300)
        let end = connection.send(.down, at: late, answer, again: 500, in: &run)
        let found = try run.explanation(run: .zero..<end)
        Self.expectSum(found)
        Self.expect(found, .timeoutRecovery, .milliseconds(300))
        Self.expect(found, .propagation, .milliseconds(40))
        #expect(found.prediction(without: .loss) == end - .milliseconds(300))
        #expect(found.sentence.contains("recovery from 1 lost packet (300 ms of it timeouts)"))
        #expect(found.connections[0].timeoutRetransmissions.count == 1)
    }

    @Test func `acknowledgements of later packets make a retransmission fast`() throws {
        var run = CapturedRun(bandwidth: nil, delay: .milliseconds(20))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        let asked = connection.send(.up, at: opened, Array("ask".utf8), in: &run)
        let answer = [UInt8](repeating: 1, count: 1000)
        connection.send(.down, at: asked, answer, drop: true, in: &run)
        connection.down -= 1000
        let hole = connection
        connection.down += 1000
        for _ in 0..<3 { connection.send(.down, at: asked, answer, in: &run) }
        var receiver = hole
        var told = Duration.zero
        for _ in 0..<3 {
            told = receiver.send(.up, at: asked + .milliseconds(20), in: &run)
        }
        let end = connection.send(.down, at: told, answer, again: 4000, in: &run)
        let found = try run.explanation(run: .zero..<end)
        Self.expectSum(found)
        Self.expect(found, .fastRecovery, .milliseconds(40))
        #expect(found.shares[.timeoutRecovery] == nil)
    }

    @Test func `packets of others in the queue are queueing`() throws {
        var run = CapturedRun(bandwidth: Self.rate, delay: .milliseconds(10))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        let start = opened + .milliseconds(100)
        // 125,000 bytes with their headers: 100 ms at 10 Mbit/s.
        for _ in 0..<100 {
            run.udp(.up, at: start, port: 5000, [UInt8](repeating: 0, count: 1222))
        }
        let end = connection.request("/", at: start, bytes: 100, in: &run)
        let found = try run.explanation(run: .zero..<end)
        Self.expectSum(found)
        Self.expect(found, .queueing, .milliseconds(100))
        Self.expect(found, .app, .milliseconds(100))
    }

    @Test func `a full receive window is told from a full congestion window`() throws {
        for (window, cause) in [(2000, Cause.receiveWindow), (60_000, .congestionWindow)] {
            var run = CapturedRun(bandwidth: nil, delay: .milliseconds(25))
            var connection = ScriptedConnection(port: 4000)
            let first = connection.send(.up, at: .zero, flags: 0x02, window: window, in: &run)
            let second = connection.send(.down, at: first, flags: 0x12, in: &run)
            connection.send(.up, at: second, window: window, in: &run)
            var now = connection.send(
                .up, at: second, Array("ask".utf8), window: window, in: &run)
            for _ in 0..<4 {
                let got = connection.send(
                    .down, at: now, [UInt8](repeating: 1, count: 1448), in: &run)
                now = connection.send(.up, at: got, window: window, in: &run)
            }
            let end = now - .milliseconds(25)
            let found = try run.explanation(run: .zero..<end)
            Self.expectSum(found)
            Self.expect(found, cause, .milliseconds(150))
        }
    }

    @Test func `names are resolved, and lost questions repeated`() throws {
        var run = CapturedRun(bandwidth: nil, delay: .milliseconds(30))
        let asked = run.udp(.up, at: .zero, port: 5000, to: 53, Self.question(isResponse: false))
        let answered = run.udp(
            .down, at: asked + .milliseconds(40), port: 5000, to: 53,
            Self.question(isResponse: true))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: answered, in: &run)
        let found = try run.explanation(run: .zero..<opened)
        Self.expectSum(found)
        Self.expect(found, .nameResolution, .milliseconds(100))
        Self.expect(found, .tcpHandshake, .milliseconds(60))
        #expect(found.names.map(\.name) == ["example.org"])
    }

    /// As the C library asks, which gets the answers in any order.
    @Test(arguments: [(20, 50), (50, 20)])
    func `two questions that one socket asks at once have a time each`(
        ipv4: Int64, ipv6: Int64
    ) throws {
        var run = CapturedRun(bandwidth: nil, delay: .milliseconds(30))
        var asked = Duration.zero
        for type in [1, 28] as [UInt8] {
            asked = run.udp(
                .up, at: .zero, port: 5000, to: 53, Self.question(isResponse: false, type: type))
        }
        var end = Duration.zero
        for (thinking, type) in [(ipv4, UInt8(1)), (ipv6, 28)].sorted(by: { $0.0 < $1.0 }) {
            end = run.udp(
                .down, at: asked + .milliseconds(thinking), port: 5000, to: 53,
                Self.question(isResponse: true, type: type))
        }
        let found = try run.explanation(run: .zero..<end)
        Self.expectSum(found)
        Self.expect(found, .nameResolution, .milliseconds(110))
        #expect(found.requests.map(\.index) == [0, 1])
        for (request, thinking) in zip(found.requests, [ipv4, ipv6]) {
            let length = try #require(request.end) - request.start
            let expected = Duration.milliseconds(60 + thinking)
            #expect(expected...expected + .milliseconds(1) ~= length, "\(request)")
            #expect(request.responseBytes == 29)
            // The later answer is what the app waited for.
            #expect((request.critical > .zero) == (thinking == 50))
        }
    }

    static func question(isResponse: Bool, type: UInt8 = 1) -> [UInt8] {
        [0, 6 + type, isResponse ? 0x81 : 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
            + [7] + Array("example".utf8) + [3] + Array("org".utf8) + [0, 0, type, 0, 1]
    }
}
