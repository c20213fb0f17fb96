import Conditioner
import LinkModel
import LinkUnits
import Testing

@testable import Verification

/// What the machine does wrong is told from what the link does wrong.
@Suite("Judgement on a busy machine")
struct BusyMachineTests {
    private static let way = DirectionConditions(
        bandwidth: .megabitsPerSecond(2), delay: .milliseconds(30))

    /// The verdicts on the way up, by quantity, after `disturb` has changed what was seen.
    private static func verdicts(
        promised: DirectionConditions = way, actual: DirectionConditions,
        disturb: (inout ProbeReport, ProbePlan) -> Void = { _, _ in }
    ) -> [Check.Quantity: Check.Verdict] {
        let conditions = LinkConditions(down: promised, up: promised)
        let plan = ProbePlan(conditions, effort: .quick)
        var link = SimulatedLink(LinkConditions(down: promised, up: actual))
        var report = link.report(plan)
        disturb(&report, plan)
        let checks = LinkJudge(conditions, plan: plan, report: report, effort: .quick).checks
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
}
