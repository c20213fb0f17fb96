import LinkModel
import LinkTesting
import LinkUnits
import PacketLoop
import Testing

@testable import Explanation
@testable import Recording

@Suite("Runs for which the machine was too busy", .tags(.unit))
struct DisturbedRunTests {
    /// Ten requests with round trips of 100 ms.
    private static func run(
        lateness: Duration = .zero, thinking: Duration = .zero, flaw: String? = nil
    ) throws -> Explanation {
        var run = CapturedRun(delay: .milliseconds(50))
        run.lateness = lateness
        var connection = ScriptedConnection(port: 4000)
        var now = connection.open(at: .zero, in: &run)
        for _ in 0..<10 {
            now = connection.request("/", at: now, bytes: 100, thinking: thinking, in: &run)
        }
        return try run.explanation(run: .zero..<now, flaw: flaw)
    }

    private static func isNear(_ time: Duration?, _ expected: Duration) -> Bool {
        abs((time ?? .zero) / expected - 1) < 0.001
    }

    @Test func `packets that were late are neither the network nor the server`() throws {
        let found = try Self.run(lateness: .milliseconds(5))
        #expect(Self.isNear(found.shares[.propagation], .seconds(1)), "\(found.shares)")
        #expect(Self.isNear(found.shares[.tcpHandshake], .milliseconds(100)), "\(found.shares)")
        #expect(Self.isNear(found.shares[.lateness], .milliseconds(22 * 5)), "\(found.shares)")
        #expect(found.shares.values.reduce(.zero, +) == found.duration)
        #expect(found.isFaithful == false)
        #expect(found.sentence.contains("on a machine that was too busy to be exact: ~"))
        #expect(found.sentence.contains("~10% an emulation that was late"))
        #expect(found.notes.first?.contains("packets that were late") == true)
    }

    @Test func `what the recorder knows is in the capture`() throws {
        let exact = try Self.run()
        #expect(exact.isFaithful == true)
        #expect(exact.sentence.hasPrefix("Of 1.1 s: 91% round trips"), "\(exact.sentence)")
        var processor = ProcessorUse()
        (processor.usedSeconds, processor.lackedSeconds) = (0.2, 0.9)
        let flaw = CaptureFlaw.comment([], processor, duration: .seconds(1))
        let found = try Self.run(flaw: flaw)
        #expect(found.isFaithful == false)
        #expect(found.notes.first?.hasPrefix("this machine was too busy for the command") == true)
        #expect(found.sentence.contains("~90% round trips"), "\(found.sentence)")
        #expect(CaptureFlaw.comment([], nil, duration: .seconds(1)) == nil)
        // A capture without an end does not tell.
        var cut = CapturedRun(delay: .milliseconds(50))
        cut.udp(.up, at: .zero, port: 4000, [1, 2, 3])
        cut.udp(.down, at: .seconds(1), port: 4000, [1, 2, 3])
        #expect(try cut.explanation().isFaithful == nil)
    }

    @Test func `predictions are from the run that was disturbed less`() throws {
        let (quiet, busy) = (try Self.run(), try Self.run(thinking: .milliseconds(200)))
        #expect(Explanation.lessDisturbed(busy, quiet).duration == quiet.duration)
        #expect(Explanation.lessDisturbed(quiet, busy).duration == quiet.duration)
        let flawed = try Self.run(flaw: "this machine was too busy")
        #expect(Explanation.lessDisturbed(flawed, busy).duration == busy.duration)
    }

    @Test func `a disturbed attempt is repeated, but not for ever`() {
        var attempts = RunAttempts()
        for _ in 0..<RunAttempts.most {
            #expect(attempts.wantsMore)
            attempts.add(.disturbed(.seconds(2)))
        }
        #expect(!attempts.wantsMore)
        let result = attempts.result(without: .delay, predicted: .seconds(1))
        #expect(result.measured == nil)
        #expect(
            result.problem
                == "the machine was too busy for each of 4 runs: the fastest took 2 s")
        attempts = RunAttempts()
        attempts.add(.disturbed(.seconds(2)))
        attempts.add(.measured(.seconds(1)))
        #expect(!attempts.wantsMore)
        #expect(attempts.result(without: nil, predicted: .seconds(1)).measured == .seconds(1))
        attempts = RunAttempts()
        attempts.add(.useless("ended with 1 instead of 0"))
        #expect(!attempts.wantsMore)
        let useless = attempts.result(without: nil, predicted: .seconds(1))
        #expect(useless.measured == nil && useless.problem == "ended with 1 instead of 0")
    }

    @Test func `runs without a change tell how much is noise`() throws {
        var found = try Self.run()
        #expect(found.noise == nil)
        found.counterfactuals = [
            Counterfactual(
                removal: nil, predicted: found.duration,
                measured: found.duration - .milliseconds(300))
        ]
        #expect(found.noise == .milliseconds(300))
        #expect(found.notes.contains { $0.contains("differ by 300 ms") }, "\(found.notes)")
    }
}
