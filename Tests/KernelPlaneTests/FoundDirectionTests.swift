import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Conditions read from qdiscs", .tags(.unit))
struct FoundDirectionTests {
    private static let ethernet = ConditionedLink(mtu: 1500, headerLength: 14)

    /// What `status` would say if a kernel kept everything as it was sent.
    private static func reported(_ conditions: LinkConditions) throws -> LinkConditions {
        var kernel = ModelKernel()
        let request = ApplyRequest(conditions: conditions, profile: "p", now: 1)
        let planned = try request.planned(target: 5, link: ethernet, madeClsact: true)
        let plan = InterfacePlan.create(
            Interface(index: 5, name: "eth0"), planned, hasClsact: false)
        #expect(kernel.execute(plan.allOperations).isEmpty)
        var reported = LinkConditions()
        for found in kernel.found(ethernet) {
            let conditions = found.conditions(headerLength: ethernet.headerLength)
            if found.mark.direction == .up {
                reported.up = conditions
                reported.dnsDelay = found.dnsDelay
            } else {
                reported.down = conditions
            }
        }
        return reported
    }

    @Test(
        "What was asked for is told again, for each kind of conditions",
        arguments: SampleConditions.all.map(\.name))
    func samples(name: String) throws {
        let conditions = SampleConditions[name]
        #expect(try Self.reported(conditions) == conditions.asReported)
    }

    @Test("What was asked for is told again, for random conditions")
    func randomConditions() throws {
        var random = SeededGenerator(seed: 31)
        for _ in 0..<300 {
            let conditions = SampleConditions.random(&random)
            let reported = try Self.reported(conditions)
            #expect(reported.up == conditions.asReported.up)
            #expect(reported.down == conditions.asReported.down)
            #expect(reported.dnsDelay == conditions.dnsDelay)
        }
    }

    @Test("Random conditions are sound")
    func soundness() {
        var random = SeededGenerator(seed: 31)
        for _ in 0..<300 { #expect(SampleConditions.random(&random).problem == nil) }
    }

    @Test("A tree that somebody else damaged is told as that of a perfect link")
    func damage() {
        let found = FoundDirection(
            mark: OwnershipMark(
                direction: .up, target: 5, since: 0, madeClsact: false, distribution: nil,
                profile: ""),
            ifb: Interface(index: 9, name: "lcu5"), states: [], classes: [], target: Self.ethernet)
        #expect(found.conditions(headerLength: 14) == DirectionConditions())
        #expect(
            found.counters(headerLength: 14) == DirectionCounters())
    }

    @Test("Counters are those of IP packets, losses apart from drops of the queue")
    func counters() throws {
        var found = FoundDirection(
            mark: OwnershipMark(
                direction: .up, target: 5, since: 0, madeClsact: false, distribution: nil,
                profile: ""),
            ifb: Interface(index: 9, name: "lcu5"), states: [], classes: [], target: Self.ethernet)
        var root = TrafficStatistics()
        root.packets = 100
        root.bytes = 151_400
        root.drops = 30
        root.queuedPackets = 7
        root.bytesPerSecond = 151_400
        root.packetsPerSecond = 100
        var loss = TrafficStatistics()
        loss.drops = 10
        var dns = TrafficStatistics()
        dns.drops = 2
        found.statistics = [
            Ownership.Handle.segmenter: root, Ownership.Handle.tail: loss,
            Ownership.Handle.dnsTail: dns,
        ]
        #expect(
            found.counters(headerLength: 14)
                == DirectionCounters(
                    packets: 100, bytes: ByteCount(bytes: 150_000), dropped: 18, lost: 12,
                    queuedPackets: 7,
                    bitsPerSecond: 1_200_000))
        // Counters are read one after the other and need not fit together.
        root.bytes = 5
        root.drops = 1
        found.statistics[Ownership.Handle.segmenter] = root
        let odd = found.counters(headerLength: 14)
        #expect(odd.bytes == ByteCount(bytes: 0))
        #expect(odd.dropped == 0)
    }

    @Test("Losses before a bottleneck are told from its drops, unless one qdisc does both")
    func lossesBefore() throws {
        for (name, lost) in [("codel", 10), ("duplicate", 30), ("duplicate-with-bandwidth", 0)] {
            let kernel = try InterfacePlanTests.conditioned(name, [.up])
            var found = try #require(kernel.found(Self.ethernet).first)
            var line = TrafficStatistics()
            line.drops = 30
            var shaper = TrafficStatistics()
            shaper.drops = 20
            found.statistics[Ownership.Handle.segmenter] = line
            found.statistics[Ownership.Handle.delayLine] = line
            if found.tree.has(Ownership.Handle.shaper) {
                found.statistics[Ownership.Handle.shaper] = shaper
            }
            let counters = found.counters(headerLength: 14)
            #expect(counters.lost == UInt64(lost), "\(name)")
            #expect(counters.dropped == UInt64(30 - lost), "\(name)")
        }
    }
}
