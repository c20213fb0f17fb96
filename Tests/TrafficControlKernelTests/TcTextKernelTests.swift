import KernelPlane
import LinkTesting
import LinkUnits
import Netlink
import Testing

@testable import TrafficControl

/// The printed commands are run by `/bin/sh` in one namespace and the messages sent in another;
/// then tc has to see the same in both.
@Suite(
    "Commands for tc and messages to the kernel",
    .enabled("tc is not installed") { hasPrograms("tc", "ip") })
struct TcTextKernelTests {
    private static let ifb = Interface(index: 0x4c00_000a, name: "lcu5")
    /// Without an address of its own the ifb says nothing that a counter would show. Two commands,
    /// since one would switch it on first.
    private static let prepare = """
        ip link set lo up
        ip link add lcu5 index \(ifb.index) type ifb
        ip link set lcu5 addrgenmode none
        ip link set lcu5 up
        """

    private struct Step {
        var text: String
        var message: NetlinkMessage
    }

    /// Does the same with texts and with messages, and compares what `show` prints.
    private static func check(_ steps: [Step], show: String) async throws {
        let byText = try await withNewNamespace {
            try shell("set -e\n\(prepare)\n" + (steps.map(\.text) + [show]).joined(separator: "\n"))
        }
        let messages = steps.map(\.message)
        let byMessage = try await withNewNamespace {
            try shell(prepare)
            #expect(try NetlinkSession().execute(messages) == [])
            return try shell(show)
        }
        #expect(byText == byMessage)
        #expect(byText.count > 100)
    }

    /// Tries qdiscs one after the other as the root of the ifb.
    private static func check(_ kinds: Qdisc.Kind...) async throws {
        let qdiscs = kinds.map {
            Qdisc(interface: ifb, handle: .init(major: 0x1c0d), parent: .root, kind: $0)
        }
        let show = "tc -j -d qdisc show dev lcu5"
        let byText = try await withNewNamespace {
            let script = qdiscs.map {
                [$0.tcAddText, show, $0.tcDeleteText].joined(separator: "\n")
            }
            return try shell("set -e\n\(prepare)\n" + script.joined(separator: "\n"))
        }
        let byMessage = try await withNewNamespace {
            try shell(prepare)
            let session = try NetlinkSession()
            return try qdiscs.map { qdisc in
                try session.execute(qdisc.add(), attempt: qdisc.tcAddText)
                defer { _ = try? session.execute([qdisc.delete()]) }
                return try shell(show)
            }
        }
        let texts = byText.split(separator: "\n").map { String($0) + "\n" }
        #expect(texts.count == kinds.count)
        for (text, message) in zip(texts, byMessage) { #expect(text == message) }
    }

    @Test("netem", .requiresKernel(.netem))
    func netem() async throws {
        try await Self.check(
            .netem(Netem()),
            .netem(Netem(delay: .milliseconds(32), limit: 100)),
            .netem(
                Netem(
                    delay: .microseconds(41_500), jitter: .milliseconds(3), distribution: .normal)),
            // tc refuses more than 274.8 s, which 32 bits of ticks hold; the messages do not.
            .netem(Netem(delay: .seconds(274), jitter: .seconds(2))),
            .netem(Netem(loss: .random(Ratio(knownPartsPerBillion: 1_300_000)))),
            .netem(Netem(loss: .gilbert(p: .percent(1), r: .percent(25)))),
            .netem(Netem(duplicate: .percent(1), corrupt: .percent(2))),
            .netem(Netem(delay: .milliseconds(1), reorder: .percent(10), gap: 5)),
            .netem(Netem(rate: .bitsPerSecond(1_638_400), packetOverhead: -14)),
            .netem(Netem(rate: .kilobitsPerSecond(780))),
            .netem(Netem(rate: Netem.orderKeepingRate)))
    }

    @Test("Token bucket", .requiresKernel(.tbf))
    func tokenBucket() async throws {
        let limit = ByteCount(bytes: 100_000_000)
        try await Self.check(
            .tokenBucket(
                TokenBucket(
                    rate: Netem.orderKeepingRate, burst: ByteCount(bytes: 1600), limit: limit)),
            .tokenBucket(
                TokenBucket(
                    rate: .megabitsPerSecond(10), burst: ByteCount(bytes: 3000), limit: limit)))
    }

    @Test("prio", .requiresKernel(.prio))
    func priority() async throws {
        try await Self.check(.priority(bands: 2))
    }

    @Test("codel", .requiresKernel(.codel))
    func codel() async throws {
        try await Self.check(.activeQueue(ActiveQueue(algorithm: .codel, limit: 84, marks: true)))
    }

    @Test("fq_codel", .requiresKernel(.fqCodel))
    func fqCodel() async throws {
        try await Self.check(.activeQueue(ActiveQueue(algorithm: .fqCodel, limit: 84, marks: true)))
    }

    @Test("pie", .requiresKernel(.pie))
    func pie() async throws {
        try await Self.check(.activeQueue(ActiveQueue(algorithm: .pie, limit: 84, marks: true)))
    }

    @Test("htb and its class", .requiresKernel(.htb))
    func htb() async throws {
        let qdisc = Qdisc(
            interface: Self.ifb, handle: .init(major: 0x1c0d), parent: .root,
            kind: .hierarchicalTokenBucket(defaultClass: 1))
        for bits in [780_000, 10_093_333, 50_000_000_000] as [UInt64] {
            let trafficClass = TrafficClass(
                interface: Self.ifb, handle: .init(major: 0x1c0d, minor: 1),
                rate: .bitsPerSecond(bits), burst: ByteCount(bytes: max(3200, bits / 4000)))
            try await Self.check(
                [
                    Step(text: qdisc.tcAddText, message: qdisc.add()),
                    Step(text: trafficClass.tcText, message: trafficClass.replace()),
                ], show: "tc -j -d qdisc show dev lcu5; tc -d class show dev lcu5")
        }
    }

    @Test("clsact, redirection and letting pass", .requiresKernel(.clsact, .u32, .mirred, .ifb))
    func hooks() async throws {
        let loopback = KernelSession.loopback
        let clsact = Qdisc.clsact(on: loopback)
        let redirect = Filter(
            interface: loopback, parent: .clsactEgress, preference: 65_182, networkProtocol: .ipv4,
            verdict: .redirect(to: Self.ifb, cookie: Array("linkcond".utf8)))
        let discovery = Filter(
            interface: loopback, parent: .clsactIngress, preference: 65_281, networkProtocol: .ipv6,
            matches: [.ipv6NextHeader(58), .icmpv6Type(0x84, mask: 0xfc)],
            verdict: .classify(QdiscHandle(rawValue: 1)))
        let gone = Filter(
            interface: loopback, parent: .clsactIngress, preference: 65_283, networkProtocol: .ipv6,
            verdict: .classify(QdiscHandle(rawValue: 1)))
        let steps =
            [
                Step(text: clsact.tcAddText, message: clsact.add()),
                Step(text: clsact.tcDeleteText, message: clsact.delete()),
                Step(text: clsact.tcAddText, message: clsact.add()),
            ]
            + [redirect, discovery, gone].map { Step(text: $0.tcAddText, message: $0.add()) } + [
                Step(
                    text: Filter.tcDeleteText(
                        interface: loopback, parent: .clsactIngress, preference: 65_283,
                        networkProtocol: .ipv6),
                    message: Filter.delete(
                        interface: loopback, parent: .clsactIngress, preference: 65_283,
                        networkProtocol: .ipv6))
            ]
        try await Self.check(
            steps,
            show: "tc -d qdisc show dev lo; tc -d filter show dev lo ingress; "
                + "tc -d filter show dev lo egress")
    }

    @Test("Filters on ports", .requiresKernel(.prio, .u32))
    func ports() async throws {
        let bands = Qdisc(
            interface: Self.ifb, handle: .init(major: 0x1c10), parent: .root,
            kind: .priority(bands: 2))
        let filters = [
            Filter(
                interface: Self.ifb, parent: bands.handle, preference: 1, networkProtocol: .ipv4,
                matches: [.ipv4Protocol(17), .ipv4FirstFragment, .ipv4DestinationPort(53)],
                verdict: .classify(bands.handle.child(2))),
            Filter(
                interface: Self.ifb, parent: bands.handle, preference: 2, networkProtocol: .ipv6,
                matches: [.ipv6NextHeader(6), .ipv6DestinationPort(53)],
                verdict: .classify(bands.handle.child(2))),
        ]
        try await Self.check(
            [Step(text: bands.tcAddText, message: bands.add())]
                + filters.map { Step(text: $0.tcAddText, message: $0.add()) },
            show: "tc -d qdisc show dev lcu5; tc -d filter show dev lcu5 parent 1c10:")
    }
}
