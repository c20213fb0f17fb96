import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Verification

/// What the machine does wrong is told from what the link does wrong.
@Suite("Judgement on a busy machine", .tags(.unit))
struct BusyMachineTests {
    private static let way = DirectionConditions(
        bandwidth: .megabitsPerSecond(2), delay: .milliseconds(30))

    /// The verdicts on the way up, by quantity, after `disturb` has changed what was seen.
    private static func verdicts(
        promised: DirectionConditions = way, actual: DirectionConditions, effort: Effort = .quick,
        disturb: (inout ProbeReport, ProbePlan) -> Void = { _, _ in }
    ) -> [Check.Quantity: Check.Verdict] {
        let conditions = LinkConditions(down: promised, up: promised)
        let plan = ProbePlan(conditions, effort: effort)
        var link = SimulatedLink(LinkConditions(down: promised, up: actual))
        var report = link.report(plan)
        disturb(&report, plan)
        let checks = LinkJudge(conditions, plan: plan, report: report, effort: effort).checks
        return Dictionary(
            checks.filter { $0.direction == .up }.map { ($0.quantity, $0.verdict) }
        ) { first, _ in first }
    }

    private static func link(_ change: (inout DirectionConditions) -> Void) -> DirectionConditions {
        var changed = way
        change(&changed)
        return changed
    }

    @Test(arguments: [
        (1.97, 0.0, .failed as Check.Verdict?), (1.97, 0.03, .passed), (1.8, 0.03, .failed),
        (1.7, 0.2, .notJudged), (2.6, 0.2, .failed),
    ])
    func `a sender that was held up explains as much less bandwidth, and never more`(
        megabits: Double, heldUp: Double, verdict: Check.Verdict?
    ) {
        // Two hundredths are the instrument's own.
        let slower = Self.link { $0.bandwidth = .kilobitsPerSecond(UInt64(megabits * 1000) - 20) }
        let faster = Self.link { $0.bandwidth = .kilobitsPerSecond(UInt64(megabits * 1000)) }
        let verdicts = Self.verdicts(actual: megabits < 2 ? slower : faster) { report, plan in
            for index in plan.flows.indices { report.heldUp[index] = heldUp }
        }
        #expect(verdicts[.bandwidth] == verdict)
    }

    @Test(arguments: [
        (33, 0.0, .failed as Check.Verdict?), (33, 2.5, .passed), (38, 2.5, .failed),
        (38, 4.0, .notJudged), (24, 4.0, .failed),
    ])
    func `a machine that wakes late explains as much more delay, and never less`(
        milliseconds: Int, lateness: Double, verdict: Check.Verdict?
    ) {
        let link = Self.link { $0.delay = .milliseconds(milliseconds) }
        let verdicts = Self.verdicts(actual: link) { report, plan in
            for index in plan.flows.indices { report.lateness[index] = lateness }
        }
        #expect(verdicts[.delay] == verdict)
    }

    @Test(arguments: [
        (2000 as UInt64, .passed as Check.Verdict?), (1900, .failed), (2100, .failed),
    ])
    func `bandwidth shows under a jitter that moves all arrivals`(
        kilobits: UInt64, verdict: Check.Verdict?
    ) {
        let jitter = Jitter(amount: .milliseconds(42))
        let promised = Self.link { way in
            way.delay = .milliseconds(80)
            way.jitter = jitter
        }
        var actual = promised
        actual.bandwidth = .kilobitsPerSecond(kilobits)
        #expect(Self.verdicts(promised: promised, actual: actual)[.bandwidth] == verdict)
    }

    // MARK: What the emulation says of itself

    private static func emulation(
        lateness: Double = 0.1, unwantedDrops: UInt64 = 0
    ) -> [Direction: ProbeReport.Emulation] {
        let emulation = ProbeReport.Emulation(lateness: lateness, unwantedDrops: unwantedDrops)
        return [.up: emulation, .down: emulation]
    }

    @Test(arguments: [
        (33, 0.9, .failed as Check.Verdict?), (33, 1.1, .notJudged), (27, 9.0, .failed),
        (30, 9.0, .passed),
    ])
    func `delay is not judged by an emulation that was late itself`(
        milliseconds: Int, lateness: Double, verdict: Check.Verdict?
    ) {
        let link = Self.link { $0.delay = .milliseconds(milliseconds) }
        let verdicts = Self.verdicts(actual: link) { report, _ in
            report.emulation = Self.emulation(lateness: lateness)
        }
        #expect(verdicts[.delay] == verdict)
    }

    @Test(arguments: [(0 as UInt64, .failed as Check.Verdict?), (3, .notJudged)])
    func `nor loss by one that lost packets itself`(drops: UInt64, verdict: Check.Verdict?) {
        let link = Self.link { $0.loss = .random(.percent(2)) }
        let verdicts = Self.verdicts(actual: link) { report, _ in
            report.emulation = Self.emulation(unwantedDrops: drops)
        }
        #expect(verdicts[.loss] == verdict)
    }

    @Test(arguments: [(0.1, .failed as Check.Verdict?), (9.0, .notJudged)])
    func `nor a transfer that did not begin by one that was late`(
        lateness: Double, verdict: Check.Verdict?
    ) {
        let verdicts = Self.verdicts(actual: Self.way, effort: .normal) { report, plan in
            report.emulation = Self.emulation(lateness: lateness)
            for index in plan.transfers.indices { report.transfers[index] = .init() }
        }
        #expect(verdicts[.goodput] == verdict)
    }

    /// The check of TCP to port 53, after `change` has changed how long handshakes took.
    private static func handshakes(
        extra: Duration = .milliseconds(200), change: (inout [Int: [Duration]]) -> Void
    ) throws -> Check {
        var promised = LinkConditions(down: way, up: way)
        promised.dnsDelay = .milliseconds(200)
        let plan = ProbePlan(promised, effort: .quick)
        var actual = promised
        actual.dnsDelay = extra
        var link = SimulatedLink(actual)
        var report = link.report(plan)
        change(&report.connects)
        let checks = LinkJudge(promised, plan: plan, report: report, effort: .quick).checks
        return try #require(checks.first { $0.quantity == .dns && $0.detail == "TCP" })
    }

    @Test(arguments: [0, 1])
    func `one late handshake, or two, tell nothing of the delay of DNS`(index: Int) throws {
        let check = try Self.handshakes { connects in
            for place in (connects[index] ?? []).indices.dropFirst() {
                connects[index]?[place] += .milliseconds(40)
            }
        }
        #expect(check.verdict == .passed)
        #expect(check.measured == 200)
        let wrong = try Self.handshakes(extra: .milliseconds(210)) { _ in }
        #expect(wrong.verdict == .failed)
    }

    @Test(arguments: [(1, .passed as Check.Verdict?), (4, .failed)])
    func `one packet in a hundred that is much too late tells nothing of jitter`(
        count: Int, verdict: Check.Verdict?
    ) {
        let jittery = Self.link { way in
            way.bandwidth = nil
            way.delay = .milliseconds(60)
            way.jitter = Jitter(amount: .milliseconds(5))
        }
        let verdicts = Self.verdicts(promised: jittery, actual: jittery) { report, plan in
            guard
                let index = plan.flows.firstIndex(where: {
                    $0.purpose == .delay && $0.direction == .up
                })
            else { return }
            for place in 0..<count { report.arrivals[index]?.received[place * 7] += 150_000_000 }
        }
        #expect(verdicts[.jitter] == verdict)
    }
}
