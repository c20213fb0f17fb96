import KernelPlane
import LinkTesting
import LinkUnits
import Netlink
import SystemPackage
import Testing

@testable import TrafficControl

/// What linkcond takes for granted of the kernel. A kernel on which one of these fails needs
/// another design, not another test.
@Suite("Beliefs about the kernel")
struct BeliefKernelTests {
    private static let childHandle = QdiscHandle(major: 0x1c0e)

    private static func child(_ netem: Netem) -> Qdisc {
        KernelSession.qdisc(
            .netem(netem), handle: childHandle, parent: KernelSession.handle.child(1))
    }

    @Test("netem counts the packets of its child into its limit", .requiresKernel(.netem))
    func sharedLimit() async throws {
        try await KernelSession.runWithTraffic { bed, traffic in
            let failures = try bed.session.execute([
                KernelSession.qdisc(.netem(Netem(limit: 5))).add(),
                Self.child(Netem(delay: .seconds(60), limit: 1000)).add(),
            ])
            #expect(failures == [])
            traffic.send(count: 20)
            #expect(try bed.statistics(Self.childHandle).queuedPackets == 5)
            #expect(try bed.statistics().queuedPackets == 5)
            #expect(try bed.statistics().drops == 15)
            #expect(try bed.statistics(Self.childHandle).drops == 0)
        }
    }

    @Test("netem keeps the values of attributes that are left out", .requiresKernel(.netem))
    func absentAttributes() async throws {
        try await KernelSession.run { bed in
            let netem = Netem(
                delay: .milliseconds(50), loss: .gilbert(p: .percent(1), r: .percent(10)),
                duplicate: .percent(5), corrupt: .percent(2), reorder: .percent(3), gap: 4,
                rate: .megabitsPerSecond(10), packetOverhead: -14, limit: 200)
            try bed.execute(KernelSession.qdisc(.netem(netem)).add())
            // struct tcmsg and struct tc_netem_qopt alone.
            let builder = MessageBuilder(type: 36, flags: 0x100)
            builder.append(UInt64(1) << 32)
            builder.append(UInt64(0xffff_ffff) << 32 | UInt64(KernelSession.handle.rawValue))
            builder.append(UInt32(0))
            builder.put(1, "netem")
            builder.put(
                2, bytes: [0, 7, 0, 0, 0, 0].flatMap { FakeTransport.withBytes(of: UInt32($0)) })
            try bed.execute(builder.finish())
            guard case .netem(let found)? = try bed.state()?.kind else { return }
            #expect(found.limit == 7)
            #expect(found.delay == .zero)
            #expect(found.duplicate == .zero)
            #expect(found.loss == .random(.zero))
            #expect(found.gap == 0)
            #expect(found.rate == .megabitsPerSecond(10))
            #expect(found.packetOverhead == -14)
            #expect(found.corrupt == .percent(2))
            #expect(found.reorder == .percent(3))
        }
    }

    @Test(
        "netem keeps the table of an earlier distribution, so that a uniform one is sent too",
        .requiresKernel(.netem))
    func distributionStays() async throws {
        try await KernelSession.runWithTraffic { bed, traffic in
            // Timers may be late but never early.
            func early() -> Int {
                traffic.send(count: 300)
                let delays = traffic.delays(within: .milliseconds(250))
                #expect(delays.count == 300)
                return delays.count { $0 < .microseconds(39_900) }
            }
            let jittery = Netem(delay: .milliseconds(50), jitter: .milliseconds(10))
            var normal = jittery
            normal.distribution = .normal
            try bed.execute(KernelSession.qdisc(.netem(jittery)).add())
            #expect(early() == 0)
            // On a busy machine all may be late once.
            let isNormal = { (0..<5).contains { _ in early() > 10 } }
            try bed.execute(KernelSession.qdisc(.netem(normal)).replace())
            #expect(isNormal())
            // Without a table, as an earlier version sent it.
            let message = KernelSession.qdisc(.netem(jittery)).replace()
            try bed.execute(message.withoutTable)
            #expect(isNormal())
            try bed.execute(message)
            #expect(early() == 0)
        }
    }

    @Test(
        "Replacing a qdisc by one of the same handle keeps the packets in it",
        .requiresKernel(.netem))
    func replacementKeepsPackets() async throws {
        try await KernelSession.runWithTraffic { bed, traffic in
            try bed.execute(KernelSession.qdisc(.netem(Netem(delay: .seconds(60)))).add())
            traffic.send(count: 10)
            #expect(try bed.statistics().queuedPackets == 10)
            try bed.execute(KernelSession.qdisc(.netem(Netem(delay: .seconds(50)))).replace())
            #expect(try bed.statistics().queuedPackets == 10)
            try bed.execute(
                KernelSession.qdisc(.netem(Netem(delay: .seconds(50), limit: 3))).replace())
            #expect(try bed.statistics().queuedPackets == 10)
            try bed.execute(
                KernelSession.qdisc(.netem(Netem(delay: .seconds(50))), handle: Self.childHandle)
                    .replace())
            #expect(try bed.statistics(Self.childHandle).queuedPackets == 0)
        }
    }

    @Test("Changing a segmenter keeps what stands below it", .requiresKernel(.netem, .tbf))
    func segmenterKeepsChild() async throws {
        try await KernelSession.runWithTraffic { bed, traffic in
            let segmenter = KernelSession.qdisc(
                .tokenBucket(
                    TokenBucket(
                        rate: Netem.orderKeepingRate, burst: ByteCount(bytes: 1600),
                        limit: ByteCount(bytes: 100_000_000))))
            let failures = try bed.session.execute([
                segmenter.add(), Self.child(Netem(delay: .seconds(60))).add(),
            ])
            #expect(failures == [])
            traffic.send(count: 10)
            try bed.execute(segmenter.replace())
            #expect(try bed.statistics(Self.childHandle).queuedPackets == 10)
        }
    }

    @Test("The kernel goes on behind an error in a batch", .requiresNamespaces)
    func batches() async throws {
        try await KernelSession.run { bed in
            let failures = try bed.session.execute([
                KernelSession.qdisc(.other("pfifo")).add(),
                KernelSession.qdisc(.other("linkcond")).add(),
                Link.addVeth(name: "a", peer: "b"),
            ])
            #expect(failures.map(\.index) == [1])
            #expect(try bed.state() != nil)
            #expect(try bed.session.link(named: "b") != nil)
        }
    }

    @Test("A qdisc does not change its kind in place", .requiresKernel(.tbf))
    func kinds() async throws {
        try await KernelSession.run { bed in
            try bed.execute(KernelSession.qdisc(.other("pfifo")).add())
            let error = #expect(throws: NetlinkError.self) {
                try bed.execute(KernelSession.qdisc(.other("bfifo")).replace())
            }
            #expect(error?.errno == .invalidArgument)
        }
    }

    @Test(
        "The hierarchical token bucket cannot be changed, only its classes", .requiresKernel(.htb))
    func htb() async throws {
        try await KernelSession.run { bed in
            let htb = KernelSession.qdisc(.hierarchicalTokenBucket(defaultClass: 1))
            try bed.execute(htb.add())
            let error = #expect(throws: NetlinkError.self) { try bed.execute(htb.replace()) }
            #expect(error?.errno == .invalidArgument)
        }
    }

    @Test("What hangs below a qdisc goes with it", .requiresKernel(.netem))
    func subtrees() async throws {
        try await KernelSession.run { bed in
            let grandchild = KernelSession.qdisc(
                .netem(Netem()), handle: .init(major: 0x1c0f), parent: Self.childHandle.child(1))
            let failures = try bed.session.execute([
                KernelSession.qdisc(.netem(Netem())).add(), Self.child(Netem()).add(),
                grandchild.add(),
                Self.child(Netem()).delete(),
            ])
            #expect(failures == [])
            #expect(try bed.state() != nil)
            #expect(try bed.state(Self.childHandle) == nil)
            #expect(try bed.state(grandchild.handle) == nil)
        }
    }

    @Test("The alias in the message that makes a link is ignored", .requiresKernel(.ifb))
    func aliasOnCreation() async throws {
        try await KernelSession.run { bed in
            let builder = MessageBuilder(type: 16, flags: 0x600)
            builder.append((UInt64(0), UInt64(0)))
            builder.put(3, "lcu5")
            builder.put(20, "linkcond")
            builder.nest(18) { $0.put(1, "ifb") }
            try bed.execute(builder.finish())
            #expect(try bed.session.link(named: "lcu5")?.alias == "")
        }
    }

    @Test(
        "A redirection to an interface that is gone loses everything",
        .requiresKernel(.clsact, .u32, .mirred, .ifb))
    func goneTarget() async throws {
        try await KernelSession.runWithTraffic { bed, traffic in
            let ifb = Interface(index: 100, name: "lcu5")
            let failures = try bed.session.execute([
                Link.addIFB(name: ifb.name, index: ifb.index, group: 1),
                Link.bringUp(index: ifb.index, alias: ""),
                Qdisc.clsact(on: KernelSession.loopback).add(),
                Filter(
                    interface: KernelSession.loopback, parent: .clsactEgress, preference: 1,
                    networkProtocol: .ipv4, verdict: .redirect(to: ifb, cookie: [1])
                ).add(),
            ])
            #expect(failures == [])
            traffic.send(count: 3)
            #expect(traffic.delays(within: .milliseconds(100)).count == 3)
            try bed.execute(Link.delete(index: ifb.index))
            traffic.send(count: 3)
            #expect(traffic.delays(within: .milliseconds(100)).isEmpty)
            #expect(try !bed.filters(.clsactEgress).isEmpty)
        }
    }
}

extension NetlinkMessage {
    /// A message about a netem without the table of delays.
    fileprivate var withoutTable: NetlinkMessage {
        let attributes = FakeTransport.attributes(of: Array(bytes.dropFirst(16 + 20)))
        let builder = MessageBuilder(type: Int(type), flags: Int32(flags))
        builder.append(bytes.read(at: 16, as: UInt64.self))
        builder.append(bytes.read(at: 24, as: UInt64.self))
        builder.append(bytes.read(at: 32, as: UInt32.self))
        for (type, value) in attributes {
            guard type & 0x3fff == 2 else {
                builder.put(type, bytes: value)
                continue
            }
            let kept = FakeTransport.attributes(of: Array(value.dropFirst(24))).filter { $0.0 != 2 }
            builder.put(
                type,
                bytes: value.prefix(24)
                    + kept.flatMap { FakeTransport.attribute($0.0, $0.1) })
        }
        return builder.finish()
    }
}
