import LinkTesting
import LinkUnits
import Netlink
import SystemPackage
import Testing

@testable import TrafficControl

@Suite("Messages about qdiscs, classes and filters", .tags(.unit))
struct TrafficMessageTests {
    private static let ifb = Interface(index: 0x4c00_000a, name: "lcu5")
    private static let eth0 = Interface(index: 5, name: "eth0")

    private static func qdisc(
        _ handle: UInt16, _ parent: QdiscHandle, _ kind: Qdisc.Kind
    ) -> Qdisc {
        Qdisc(interface: ifb, handle: QdiscHandle(major: handle), parent: parent, kind: kind)
    }

    private static let segmenter = qdisc(
        0x1c0d, .root,
        .tokenBucket(
            TokenBucket(
                rate: Netem.orderKeepingRate, burst: ByteCount(bytes: 1600),
                limit: ByteCount(bytes: 100_000_000))))

    private static let slowBucket = qdisc(
        0x1c0d, .root,
        .tokenBucket(
            TokenBucket(
                rate: .megabitsPerSecond(10), burst: ByteCount(bytes: 3000),
                limit: ByteCount(bytes: 64_000))))

    private static let below = QdiscHandle(major: 0x1c0d, minor: 1)

    private static let everyNetemField = Netem(
        delay: .milliseconds(32), jitter: .milliseconds(3), distribution: .normal,
        loss: .gilbert(p: Ratio(knownPartsPerBillion: 1_012_146), r: .percent(10)),
        duplicate: .percent(1), corrupt: Ratio(knownPartsPerBillion: 1), reorder: .percent(2),
        gap: 5, rate: .megabitsPerSecond(10), packetOverhead: -14, limit: 177, seed: 42)

    private static let longestNetem = Netem(
        delay: .seconds(600), loss: .random(.one), rate: Netem.orderKeepingRate, limit: .max)

    private static let trafficClass = TrafficClass(
        interface: ifb, handle: QdiscHandle(major: 0x1c13, minor: 1),
        rate: .megabitsPerSecond(10), burst: ByteCount(bytes: 3200))

    private static let fastClass = TrafficClass(
        interface: ifb, handle: QdiscHandle(major: 0x1c13, minor: 1),
        rate: .bitsPerSecond(40_000_000_000), burst: ByteCount(bytes: 10_000_000))

    private static let dns = Filter(
        interface: ifb, parent: QdiscHandle(major: 0x1c10), preference: 1, networkProtocol: .ipv4,
        matches: [.ipv4Protocol(17), .ipv4FirstFragment, .ipv4DestinationPort(53)],
        verdict: .classify(QdiscHandle(major: 0x1c10, minor: 2)))

    private static let discovery = Filter(
        interface: eth0, parent: .clsactIngress, preference: 65_281, networkProtocol: .ipv6,
        matches: [.ipv6NextHeader(58), .icmpv6Type(0x88, mask: 0xfe)],
        verdict: .classify(QdiscHandle(rawValue: 1)))

    private static let redirect = Filter(
        interface: eth0, parent: .clsactEgress, preference: 65_182, networkProtocol: .ipv4,
        verdict: .redirect(to: ifb, cookie: Array("linkcond".utf8)))

    private static let added: [Qdisc] = [
        segmenter, slowBucket,
        qdisc(0x1c0e, below, .netem(everyNetemField)),
        qdisc(0x1c0e, below, .netem(longestNetem)),
        qdisc(0x1c10, below, .priority(bands: 2)),
        qdisc(0x1c13, below, .hierarchicalTokenBucket(defaultClass: 1)),
        qdisc(0x1c14, below, .activeQueue(ActiveQueue(algorithm: .codel, limit: 100, marks: true))),
        qdisc(
            0x1c14, below, .activeQueue(ActiveQueue(algorithm: .fqCodel, limit: 100, marks: true))),
        qdisc(0x1c14, below, .activeQueue(ActiveQueue(algorithm: .pie, limit: 100, marks: true))),
        qdisc(1, .root, .other("pfifo_fast")),
        .clsact(on: eth0),
        Qdisc(
            interface: eth0, handle: QdiscHandle(major: 0xffff), parent: .clsact, kind: .ingress),
    ]

    private static func text(_ entries: [(String, NetlinkMessage)]) -> String {
        entries.map { "# \($0.0)\n\(AnnotatedMessage($0.1.bytes))" }.joined(separator: "\n")
    }

    @Test("Each qdisc's message has the bytes that the golden file explains")
    func qdiscs() throws {
        let entries =
            Self.added.map { ($0.tcAddText, $0.add()) } + [
                (Self.segmenter.tcReplaceText, Self.segmenter.replace()),
                (Self.segmenter.tcDeleteText, Self.segmenter.delete()),
                ("tc qdisc show dev lcu5 ingress", Qdisc.get(at: .clsact, on: Self.ifb.index)),
                ("tc -s qdisc show", Qdisc.list()),
            ]
        try Golden("qdisc-messages.txt").expect(Self.text(entries))
    }

    @Test("The messages of classes and filters have the bytes that the golden file explains")
    func classesAndFilters() throws {
        let classes = [Self.trafficClass, Self.fastClass].map { ($0.tcText, $0.replace()) }
        let filters = [Self.dns, Self.discovery, Self.redirect].map { ($0.tcAddText, $0.add()) }
        let rest = [
            ("tc class show dev lcu5", TrafficClass.list(interface: Self.ifb.index)),
            (
                Filter.tcDeleteText(
                    interface: Self.eth0, parent: .clsactEgress, preference: 65_182,
                    networkProtocol: .ipv4),
                Filter.delete(
                    interface: Self.eth0, parent: .clsactEgress, preference: 65_182,
                    networkProtocol: .ipv4)
            ),
            (
                "tc filter show dev eth0 ingress",
                Filter.list(interface: Self.eth0.index, parent: .clsactIngress)
            ),
        ]
        try Golden("class-and-filter-messages.txt").expect(Self.text(classes + filters + rest))
    }

    @Test("Adding refuses what stands there, replacing does not")
    func flags() {
        #expect(Self.segmenter.add().flags == 0x601)
        #expect(Self.segmenter.replace().flags == 0x501)
        #expect(Self.segmenter.delete().flags == 1)
        #expect(Self.dns.add().flags == 0x601)
        #expect(Self.trafficClass.replace().flags == 0x501)
    }

    @Test("Every kind of qdisc is read as what was written")
    func roundTrip() throws {
        for qdisc in Self.added {
            let state = try #require(QdiscState(qdisc.add()))
            #expect(state.handle == qdisc.handle)
            #expect(state.parent == qdisc.parent)
            switch qdisc.kind {
            case .netem(var netem):
                netem.distribution = nil
                #expect(state.kind == .netem(netem))
            case .tokenBucket(let bucket):
                // The request says the burst in bytes, the kernel's answer as a time.
                let zero = ByteCount(bytes: 0)
                #expect(
                    state.kind
                        == .tokenBucket(
                            TokenBucket(rate: bucket.rate, burst: zero, limit: bucket.limit)))
            default:
                #expect(state.kind == qdisc.kind)
            }
        }
    }

    @Test("A class is read as what was written, its burst to within a tick")
    func classRoundTrip() throws {
        for expected in [Self.trafficClass, Self.fastClass] {
            let found = try #require(TrafficClass(expected.replace()))
            #expect(found.interface.index == expected.interface.index)
            #expect(found.handle == expected.handle)
            #expect(found.rate == expected.rate)
            let tick = expected.rate.byteCount(in: .nanoseconds(64)).bytes
            #expect(found.burst <= expected.burst)
            #expect(expected.burst.bytes - found.burst.bytes <= tick)
        }
    }

    @Test("A filter is recognised by hook, preference, protocol and kind")
    func filterState() throws {
        let state = try #require(FilterState(Self.redirect.add()))
        #expect(state.parent == .clsactEgress)
        #expect(state.preference == 65_182)
        #expect(state.ethertype == 0x0800)
        #expect(state.kind == "u32")
        #expect(try #require(FilterState(Self.discovery.add())).ethertype == 0x86dd)
    }

    @Test func `a filter that is a program tells its name`() throws {
        let filter = ProgramFilter(
            interface: Interface(index: 5, name: "eth0"), parent: .clsactEgress,
            preference: 61_181, program: .standardInput, name: "a gate")
        let state = try #require(FilterState(filter.add()))
        #expect(state.kind == "bpf" && state.programName == "a gate")
        #expect(state.preference == 61_181 && state.ethertype == 3)
        #expect(try #require(FilterState(Self.redirect.add())).programName == nil)
    }

    @Test("A message is read only by the type that it is about")
    func types() {
        let messages = [
            Self.segmenter.add(), Self.trafficClass.replace(), Self.dns.add(), Link.list(),
        ]
        #expect(messages.map { QdiscState($0) != nil } == [true, false, false, false])
        #expect(messages.map { TrafficClass($0) != nil } == [false, true, false, false])
        #expect(messages.map { FilterState($0) != nil } == [false, false, true, false])
    }

    // MARK: tc

    @Test("The texts for tc are those of the golden file")
    func texts() throws {
        var slow = Self.everyNetemField
        slow.loss = .random(Ratio(knownPartsPerBillion: 1_300_000))
        slow.rate = .bitsPerSecond(1_638_400)
        slow.seed = nil
        slow.distribution = nil
        let qdiscs = Self.added + [Self.qdisc(0x1c0e, Self.below, .netem(slow))]
        let lines =
            qdiscs.flatMap { [$0.tcAddText, $0.tcReplaceText, $0.tcDeleteText] }
            + [Self.trafficClass, Self.fastClass].map(\.tcText)
            + [Self.dns, Self.discovery, Self.redirect].map(\.tcAddText)
            + [
                Filter.tcDeleteText(
                    interface: Self.eth0, parent: .clsactIngress, preference: 65_281,
                    networkProtocol: .ipv6)
            ]
        try Golden("tc-commands.txt").expect(lines.joined(separator: "\n") + "\n")
    }

    @Test(
        "Handles are written as tc writes them",
        arguments: [
            (QdiscHandle.root, "root", "root"), (.clsact, "clsact", "clsact"),
            (.clsactIngress, "ingress", "ingress"), (.clsactEgress, "egress", "egress"),
            (QdiscHandle(major: 0x1c0d), "1c0d:", "parent 1c0d:"),
            (QdiscHandle(major: 0x1c0d, minor: 0x1f), "1c0d:1f", "parent 1c0d:1f"),
            (QdiscHandle(rawValue: 1), "0:1", "parent 0:1"),
        ])
    func handles(handle: QdiscHandle, text: String, place: String) {
        #expect(handle.description == text)
        #expect(handle.tcParent == place)
    }
}
