import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import Explanation

@Suite("Predictions without a component", .tags(.unit))
struct PredictionTests {
    private static func expect(
        _ prediction: Duration, _ expected: Duration, within share: Double = 0.05
    ) {
        let error = abs(prediction / expected - 1)
        #expect(error <= share, "\(prediction), not \(expected)")
    }

    @Test func `without the bandwidth limit, slow start remains`() throws {
        var run = CapturedRun(bandwidth: .megabitsPerSecond(1), delay: .milliseconds(50))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        // 70 segments: rounds of 10, 20 and 40.
        let end = connection.request("/", at: opened, bytes: 70 * 1448 - 100, in: &run)
        let found = try run.explanation(run: .zero..<end)
        Self.expect(found.prediction(without: .bandwidth), .milliseconds(100 + 100 + 2 * 100))
        Self.expect(found.prediction(without: .delay), end - .milliseconds(200))
    }

    @Test func `without delay, the bandwidth remains`() throws {
        var run = CapturedRun(bandwidth: .megabitsPerSecond(10), delay: .milliseconds(50))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        var now = connection.send(.up, at: opened, Array("ask".utf8), in: &run)
        let segments = 40
        for _ in 0..<segments / 10 {
            var acknowledged = now
            for _ in 0..<10 {
                let got = connection.send(
                    .down, at: now, [UInt8](repeating: 1, count: 1448), in: &run)
                acknowledged = connection.send(.up, at: got, in: &run)
            }
            now = acknowledged
        }
        let found = try run.explanation(run: .zero..<now - .milliseconds(50))
        let packet = ByteCount(bytes: 1488)
        let transmission = Bandwidth.megabitsPerSecond(10).serializationDelay(of: packet)
        Self.expect(found.prediction(without: .delay), transmission * segments, within: 0.1)
        // Nothing is gained where nothing was waited for.
        #expect(found.prediction(without: .loss) == found.duration)
        #expect(found.prediction(without: .nameResolution) == found.duration)
        #expect(!found.removals.contains(.loss))
    }

    @Test func `slow start takes rounds that double`() {
        func time(_ bytes: Int, _ transmission: Duration, window: Int) -> Duration {
            TransferModel.time(
                bytes: bytes, transmission: transmission, trip: .milliseconds(100), window: window)
        }
        #expect(time(0, .zero, window: 10) == .zero)
        #expect(time(10, .seconds(1), window: 10) == .seconds(1))
        #expect(time(70, .zero, window: 10) == .milliseconds(200))
        // From where the window holds more than a round trip, the bandwidth is what counts.
        #expect(time(70, .milliseconds(700), window: 10) == .milliseconds(100 + 200 + 400))
    }

    @Test func `a question for a name gives its addresses`() throws {
        var run = CapturedRun(bandwidth: nil, delay: .milliseconds(30))
        let asked = run.udp(
            .up, at: .zero, port: 5000, to: 53, KnownAnswerTests.question(isResponse: false))
        var answer = KnownAnswerTests.question(isResponse: true)
        answer[7] = 2
        // An alias, and the address of where it leads; both names are compressed.
        answer += [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 4, 1, 97, 0xc0, 12]
        answer += [0xc0, 41, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]
        let answered = run.udp(.down, at: asked, port: 5000, to: 53, answer)
        let found = try run.explanation(run: .zero..<answered)
        #expect(found.addresses.map(\.name) == ["example.org"])
        #expect(found.addresses.first?.addresses.map(\.description) == ["192.0.2.7"])
        #expect(found.removals == [.delay, .nameResolution])
    }
}
