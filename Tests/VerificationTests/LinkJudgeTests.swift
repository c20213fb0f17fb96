import Catalog
import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Verification

@Suite("Judgement of a link", .tags(.unit))
struct LinkJudgeTests {
    private static func both(_ way: DirectionConditions) -> LinkConditions {
        LinkConditions(down: way, up: way)
    }

    private static func checks(
        promised: LinkConditions, actual: LinkConditions, effort: Effort = .normal,
        seed: UInt64 = 1
    ) -> [Check] {
        let plan = ProbePlan(promised, effort: effort)
        var link = SimulatedLink(actual, seed: seed)
        return LinkJudge(
            promised, plan: plan, report: link.report(plan), effort: effort
        ).checks
    }

    private static let entries = ProfileCatalog(directories: []).all().entries
        .map(\.profile).filter { profile in
            // Some seconds of the fastest are a million packets, which add nothing here.
            [profile.conditions.up, profile.conditions.down].allSatisfy {
                $0.bandwidth.map { $0 < .megabitsPerSecond(60) } ?? true
            }
        }

    @Test("A link that does what it promises passes", arguments: entries)
    func faithful(profile: Profile) {
        let checks = Self.checks(
            promised: profile.conditions, actual: profile.conditions, effort: .quick)
        let failures = checks.filter { $0.verdict == .failed }
        #expect(failures.isEmpty, "\(failures)")
        #expect(checks.contains { $0.verdict == .passed })
    }

    @Test("Chance fails none of 100 links that do what they promise", arguments: 1...100)
    func chance(seed: UInt64) {
        let way = DirectionConditions(
            delay: .milliseconds(40), jitter: Jitter(amount: .milliseconds(8)),
            loss: .bursts(mean: .percent(3), burst: 4), duplicate: .percent(1))
        let checks = Self.checks(
            promised: Self.both(way), actual: Self.both(way), effort: .quick, seed: seed)
        #expect(checks.filter { $0.verdict == .failed }.isEmpty)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let quantity: Check.Quantity
        var promised = DirectionConditions(
            bandwidth: .megabitsPerSecond(2), delay: .milliseconds(30))
        var dns: Duration?
        let change: @Sendable (inout LinkConditions) -> Void
        var testDescription: String { "\(quantity)" }
    }

    private static let lossy = DirectionConditions(
        delay: .milliseconds(30), loss: .bursts(mean: .percent(5), burst: 6))

    private static let faults: [Fault] = [
        Fault(quantity: .delay) { $0.up.delay = .milliseconds(32) },
        Fault(quantity: .delay) { $0.up.delay = .milliseconds(28) },
        Fault(quantity: .jitter) { $0.up.jitter = Jitter(amount: .milliseconds(3)) },
        Fault(
            quantity: .jitter,
            promised: DirectionConditions(
                delay: .milliseconds(60), jitter: Jitter(amount: .milliseconds(10)))
        ) { $0.up.jitter = nil },
        Fault(
            quantity: .jitter,
            promised: DirectionConditions(
                delay: .milliseconds(60), jitter: Jitter(amount: .milliseconds(10)))
        ) { $0.up.jitter?.amount = .milliseconds(16) },
        // One in a thousand, where none may be.
        Fault(quantity: .loss) { $0.up.loss = .random(Ratio(knownPartsPerBillion: 5_000_000)) },
        Fault(quantity: .loss, promised: lossy) {
            $0.up.loss = .bursts(mean: .percent(15), burst: 6)
        },
        Fault(quantity: .loss, promised: lossy) { $0.up.loss = .none },
        Fault(quantity: .burst, promised: lossy) { $0.up.loss = .random(.percent(5)) },
        Fault(quantity: .burst, promised: lossy) {
            $0.up.loss = .bursts(mean: .percent(5), burst: 18)
        },
        Fault(quantity: .reorder) { $0.up.reorder = Reordering(mean: .percent(1)) },
        Fault(
            quantity: .reorder,
            promised: DirectionConditions(
                delay: .milliseconds(30), reorder: Reordering(mean: .percent(5)))
        ) { $0.up.reorder = nil },
        Fault(quantity: .duplicate) { $0.up.duplicate = .percent(1) },
        Fault(
            quantity: .duplicate,
            promised: DirectionConditions(delay: .milliseconds(30), duplicate: .percent(5))
        ) { $0.up.duplicate = .percent(1) },
        Fault(quantity: .corrupt) { $0.up.corrupt = .percent(2) },
        Fault(
            quantity: .corrupt,
            promised: DirectionConditions(delay: .milliseconds(30), corrupt: .percent(10))
        ) { $0.up.corrupt = .percent(2) },
        Fault(quantity: .bandwidth) { $0.up.bandwidth = .kilobitsPerSecond(2030) },
        Fault(quantity: .bandwidth) { $0.up.bandwidth = .kilobitsPerSecond(1970) },
        Fault(quantity: .bandwidth) { $0.up.bandwidth = nil },
        Fault(quantity: .queue) { $0.up.queue = .packets(60) },
        Fault(quantity: .queue) { $0.up.queue = .packets(40) },
        Fault(quantity: .goodput) { $0.up.bandwidth = .kilobitsPerSecond(1800) },
        Fault(quantity: .dns, dns: .milliseconds(300)) { $0.dnsDelay = nil },
        Fault(quantity: .dns, dns: .milliseconds(300)) { $0.dnsDelay = .milliseconds(310) },
    ]

    @Test("Every kind of fault is found, on its way alone", arguments: faults)
    func fault(_ fault: Fault) {
        var promised = Self.both(fault.promised)
        promised.dnsDelay = fault.dns
        var actual = promised
        fault.change(&actual)
        let failures = Self.checks(promised: promised, actual: actual)
            .filter { $0.verdict == .failed }
        #expect(failures.contains { $0.quantity == fault.quantity }, "\(failures)")
        #expect(failures.allSatisfy { $0.direction == .up }, "\(failures)")
    }

    @Test("A black hole that leaks is found")
    func leak() {
        let promised = LinkConditions(isBlackhole: true)
        var actual = promised.withExplicitLoss
        #expect(
            Self.checks(promised: promised, actual: actual).map(\.verdict) == [.passed, .passed])
        actual.up.loss = .random(.percent(99))
        #expect(
            Self.checks(promised: promised, actual: actual).map(\.verdict) == [.failed, .passed])
    }

    @Test("A link that lets nothing through fails all that was to arrive")
    func dead() {
        let promised = Self.both(
            DirectionConditions(bandwidth: .megabitsPerSecond(1), delay: .milliseconds(10)))
        let plan = ProbePlan(promised, effort: .quick)
        var report = ProbeReport()
        for (index, flow) in plan.flows.enumerated() {
            report.sent[index] = flow.count
            report.offered[index] = 1e6
        }
        let checks = LinkJudge(promised, plan: plan, report: report, effort: .quick).checks
        for quantity in [Check.Quantity.delay, .jitter, .loss, .bandwidth, .queue] {
            #expect(
                checks.filter { $0.quantity == quantity }.allSatisfy { $0.verdict == .failed },
                "\(quantity)")
        }
    }

    @Test("A sender that cannot keep the link busy is not the link's fault")
    func slowSender() throws {
        let promised = Self.both(DirectionConditions(bandwidth: .megabitsPerSecond(20)))
        let plan = ProbePlan(promised, effort: .quick)
        var link = SimulatedLink(Self.both(DirectionConditions(bandwidth: .megabitsPerSecond(15))))
        var report = link.report(plan)
        for (index, flow) in plan.flows.enumerated() where flow.purpose == .saturation {
            report.offered[index] = 15e6 / Double(flow.packetBytes * 8)
        }
        let checks = LinkJudge(promised, plan: plan, report: report, effort: .quick).checks
            .filter { $0.quantity == .bandwidth }
        #expect(checks.count == 2 && checks.allSatisfy { $0.verdict == .notJudged }, "\(checks)")
    }

    @Test("What the receiver's own buffer dropped is not lost on the link")
    func overflow() throws {
        let promised = Self.both(DirectionConditions(delay: .milliseconds(5)))
        let plan = ProbePlan(promised, effort: .quick)
        var link = SimulatedLink(promised)
        var report = link.report(plan)
        let index = try #require(plan.flows.firstIndex { $0.purpose == .loss })
        for _ in 0..<7 {
            report.arrivals[index]?.numbers.removeLast()
            report.arrivals[index]?.sent.removeLast()
            report.arrivals[index]?.received.removeLast()
        }
        let verdicts = { (report: ProbeReport) in
            LinkJudge(promised, plan: plan, report: report, effort: .quick).checks
                .filter { $0.quantity == .loss && $0.direction == plan.flows[index].direction }
                .map(\.verdict)
        }
        #expect(verdicts(report) == [.failed])
        report.arrivals[index]?.overflows = 7
        #expect(verdicts(report) == [.passed])
    }

    @Test("An MTU below the probes over IPv6 is no fault of the link")
    func tinyMTU() {
        let way = DirectionConditions(delay: .milliseconds(5), mtu: LinkMTU(bytes: 71))
        var promised = Self.both(way)
        promised.dnsDelay = .milliseconds(100)
        let checks = Self.checks(promised: promised, actual: promised, effort: .quick)
        let because = "the mtu is too small for IPv6 probes of 72 bytes"
        #expect(
            checks.filter { $0.detail == because }.map { "\($0.direction) \($0.quantity)" }
                == ["up delay", "up dns", "down delay"])
        #expect(!checks.contains { $0.verdict == .failed }, "\(checks)")
    }

    @Test("A trace is measured and not judged by numbers that it does not have")
    func trace() {
        let promised = Self.both(DirectionConditions(trace: "verizon.trace"))
        let checks = Self.checks(promised: promised, actual: promised)
        #expect(!checks.contains { $0.verdict == .failed })
        #expect(checks.filter { $0.quantity == .delay }.allSatisfy { $0.verdict == .notJudged })
        #expect(!checks.contains { $0.quantity == .bandwidth })
    }
}
