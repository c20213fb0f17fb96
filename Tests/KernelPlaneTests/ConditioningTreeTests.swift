import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Conditioning trees", .tags(.unit))
struct ConditioningTreeTests {
    private static let ifb = Interface(index: 0x4c00_000a, name: "lcu5")
    private static let ethernet = ConditionedLink(mtu: 1500, headerLength: 14)

    private static func tree(
        _ conditions: DirectionConditions, dnsDelay: Duration? = nil,
        target: ConditionedLink = ethernet
    ) throws(UnsupportedConditions) -> ConditioningTree {
        try ConditioningTree(conditions, dnsDelay: dnsDelay, on: ifb, target: target)
    }

    private static func netems(_ tree: ConditioningTree) -> [Netem] {
        tree.qdiscs.compactMap { if case .netem(let netem) = $0.kind { netem } else { nil } }
    }

    private static func request(_ conditions: LinkConditions) -> ApplyRequest {
        ApplyRequest(conditions: conditions, profile: "a profile", now: 1_700_000_000)
    }

    @Test(
        "The commands for each kind of conditions are those of its golden file",
        arguments: SampleConditions.all.map(\.name))
    func goldens(name: String) throws {
        let plan = try Self.request(SampleConditions[name]).examplePlan(interface: "eth0")
        let text = plan.allOperations.map { $0.commandText + "\n" }.joined()
        try Golden("plan-\(name).txt").expect(text)
    }

    // MARK: Limits

    @Test("The queue of LTE is 100 ms of its rate: 417 packets down, 84 up")
    func lteQueue() throws {
        for (direction, packets) in [
            (SampleConditions.lte.down, 417), (SampleConditions.lte.up, 84),
        ] {
            #expect(direction.queuePackets == packets)
            #expect(Self.netems(try Self.tree(direction))[1].limit == UInt32(packets))
        }
    }

    @Test("The delay line holds all that can be under way, and never drops")
    func delayLine() throws {
        for (delay, jitter, expected) in [
            (Duration.zero, Duration.zero, UInt32(1000)),
            (.milliseconds(50), .zero, 51_000), (.milliseconds(50), .milliseconds(10), 91_000),
            (.seconds(600), .zero, 1_000_000),
        ] {
            let conditions = DirectionConditions(
                delay: delay, jitter: jitter > .zero ? Jitter(amount: jitter) : nil)
            let line = Self.netems(try Self.tree(conditions))[0]
            #expect(line.limit == expected)
        }
        // What waits for the bottleneck below is counted too.
        let limited = DirectionConditions(
            bandwidth: .megabitsPerSecond(50), delay: .milliseconds(50))
        #expect(Self.netems(try Self.tree(limited))[0].limit == 51_000 + 417)
    }

    @Test("The bottleneck counts IP packets: the Ethernet header is taken off")
    func overhead() throws {
        let conditions = DirectionConditions(bandwidth: .megabitsPerSecond(1))
        #expect(Self.netems(try Self.tree(conditions))[1].packetOverhead == -14)
        let tunnel = ConditionedLink(mtu: 1400, headerLength: 0)
        #expect(Self.netems(try Self.tree(conditions, target: tunnel))[1].packetOverhead == 0)
    }

    @Test(
        "The segmenter lets every packet of the interface pass whole",
        arguments: [(UInt32(1500), UInt64(1600)), (576, 1600), (9000, 9032), (65_536, 65_568)])
    func segmenter(mtu: UInt32, burst: UInt64) throws {
        let target = ConditionedLink(mtu: mtu, headerLength: 14)
        let tree = try Self.tree(DirectionConditions(), target: target)
        guard case .tokenBucket(let bucket) = tree.qdiscs[0].kind else {
            Issue.record("the root is no token bucket")
            return
        }
        #expect(bucket.burst == ByteCount(bytes: burst))
        #expect(bucket.rate == Netem.orderKeepingRate)
    }

    @Test("DNS that waits out its delay takes no room of others in the bottleneck")
    func dnsAllowance() throws {
        let conditions = DirectionConditions(bandwidth: .megabitsPerSecond(10))
        let plain = Self.netems(try Self.tree(conditions))[1].limit
        let delayed = Self.netems(try Self.tree(conditions, dnsDelay: .seconds(3)))[1].limit
        #expect(delayed == plain + 60)
    }

    @Test("A queue of one packet and one of ten million are taken as they are")
    func extremeQueues() throws {
        for packets in [1, DirectionConditions.longestQueue] {
            let conditions = DirectionConditions(
                bandwidth: .megabitsPerSecond(1), queue: .packets(packets))
            #expect(Self.netems(try Self.tree(conditions))[1].limit == UInt32(packets))
        }
    }

    // MARK: Shapes

    @Test("Packets keep their order whatever the jitter, unless asked not to")
    func order() throws {
        for (_, conditions) in SampleConditions.all {
            for direction in [conditions.up, conditions.down] {
                #expect(Self.netems(try Self.tree(direction))[0].rate != nil)
            }
        }
    }

    @Test("Where packets are duplicated there is no other netem in the tree")
    func duplication() throws {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<300 {
            let direction = SampleConditions.random(&random).down
            guard direction.duplicate > .zero else { continue }
            #expect(Self.netems(try Self.tree(direction)).count == 1)
        }
    }

    @Test("Each qdisc has a handle of its own and a parent before it")
    func structure() throws {
        var random = SeededGenerator(seed: 22)
        for _ in 0..<300 {
            let conditions = SampleConditions.random(&random)
            let tree = try Self.tree(conditions.up, dnsDelay: conditions.dnsDelay)
            #expect(Set(tree.qdiscs.map(\.handle)).count == tree.qdiscs.count)
            #expect(tree.qdiscs[0].parent == .root)
            for (index, qdisc) in tree.qdiscs.enumerated().dropFirst() {
                let before = tree.qdiscs[..<index].map(\.handle.major)
                #expect(before.contains(qdisc.parent.major))
            }
        }
    }

    @Test("A bandwidth in front of an AQM counts full packets without their link-layer header")
    func shaper() throws {
        let conditions = DirectionConditions(bandwidth: .megabitsPerSecond(15), aqm: .codel)
        let tree = try Self.tree(conditions)
        #expect(tree.classes.map(\.rate) == [.bitsPerSecond(15_140_000)])
        // A burst of less than two packets would stall, of less than two timer ticks idle.
        #expect(tree.classes.map(\.burst) == [ByteCount(bytes: 3785)])
        let fast = DirectionConditions(bandwidth: .megabitsPerSecond(1000), aqm: .codel)
        #expect(try Self.tree(fast).classes.map(\.burst) == [ByteCount(bytes: 252_334)])
    }

    @Test("A shaper's rate is told as the bandwidth that was asked for")
    func shaperRates() {
        var random = SeededGenerator(seed: 23)
        for _ in 0..<5000 {
            let digits = UInt64.random(in: 10...9999, using: &random)
            let scale = [1000, 10_000, 100_000, 1_000_000].randomElement(using: &random) ?? 1000
            let bandwidth = Bandwidth.bitsPerSecond(digits * UInt64(scale))
            for header in [0, 14] {
                let shaped = TreeParts.shaperRate(bandwidth, headerLength: header)
                let kept = Bandwidth.bitsPerSecond((shaped.bitsPerSecond + 4) / 8 * 8)
                #expect(TreeParts.bandwidth(ofShaper: kept, headerLength: header) == bandwidth)
            }
        }
    }

    // MARK: What the kernel cannot do

    @Test(
        "What no qdisc can do is refused with the reason",
        arguments: [
            (
                DirectionConditions(trace: "a.trace"), Duration?.none,
                "delivery traces: not on the kernel data plane, because no qdisc plays a trace"
            ),
            (
                DirectionConditions(bandwidth: .megabitsPerSecond(1), aqm: .codel),
                .milliseconds(1),
                "an AQM together with a DNS delay: not on the kernel data plane, because no qdisc "
                    + "can stand behind one that manages its queue"
            ),
            (
                DirectionConditions(duplicate: .percent(1)), .milliseconds(1),
                "duplication together with a DNS delay: not on the kernel data plane, because the "
                    + "kernel refuses a second netem beside one that duplicates"
            ),
            (
                DirectionConditions(
                    delay: .seconds(3), jitter: Jitter(amount: .nanoseconds(2_147_483_648))), nil,
                "a jitter of 2.147483648 s: not on the kernel data plane, because netem's ends at "
                    + "2.147483647 s"
            ),
        ])
    func unsupported(conditions: DirectionConditions, dnsDelay: Duration?, text: String) {
        let error = #expect(throws: UnsupportedConditions.self) {
            try Self.tree(conditions, dnsDelay: dnsDelay)
        }
        #expect(error?.description == text)
    }

    @Test("The longest jitter of netem is taken")
    func longestJitter() throws {
        let conditions = DirectionConditions(jitter: Jitter(amount: .nanoseconds(2_147_483_647)))
        #expect(Self.netems(try Self.tree(conditions)).last?.jitter == .nanoseconds(2_147_483_647))
    }
}
