import KernelPlane
import LinkTesting
import LinkUnits
import Netlink
import SystemPackage
import Testing

@testable import TrafficControl

@Suite("Qdiscs, classes and the kernel")
struct QdiscKernelTests {
    private static func check(_ kind: Qdisc.Kind) async throws {
        try await KernelSession.run { bed in
            try bed.execute(KernelSession.qdisc(kind).add())
            let state = try #require(try bed.state())
            #expect(state.kind == kind)
            #expect(state.parent == .root)
            #expect(state.statistics.packets == 0)
            try bed.execute(KernelSession.qdisc(kind).delete())
            #expect(try bed.state() == nil)
        }
    }

    @Test("The priority qdisc is told as it was written", .requiresKernel(.prio))
    func priority() async throws {
        try await Self.check(.priority(bands: 2))
        try await Self.check(.priority(bands: 16))
    }

    @Test("The hierarchical token bucket is told as it was written", .requiresKernel(.htb))
    func hierarchicalTokenBucket() async throws {
        try await Self.check(.hierarchicalTokenBucket(defaultClass: 1))
        try await Self.check(.hierarchicalTokenBucket(defaultClass: 0xffff))
    }

    @Test("The AQM codel is told as it was written", .requiresKernel(.codel))
    func codel() async throws {
        try await Self.check(.activeQueue(ActiveQueue(algorithm: .codel, limit: 417, marks: true)))
    }

    @Test("The AQM fq_codel is told as it was written", .requiresKernel(.fqCodel))
    func fqCodel() async throws {
        try await Self.check(
            .activeQueue(ActiveQueue(algorithm: .fqCodel, limit: 417, marks: true)))
    }

    @Test("The AQM pie is told as it was written", .requiresKernel(.pie))
    func pie() async throws {
        try await Self.check(.activeQueue(ActiveQueue(algorithm: .pie, limit: 417, marks: true)))
    }

    @Test("A kind without options of ours is told by its name", .requiresNamespaces)
    func other() async throws {
        try await Self.check(.other("pfifo"))
    }

    /// The kernel keeps a burst as a time, which is zero for a rate that never limits.
    @Test("A token bucket is told as it was written, its burst by a time", .requiresKernel(.tbf))
    func tokenBucket() async throws {
        for bits in [8, 1_000_000, 34_359_738_352, 34_359_738_360, 8_000_000_000_000] as [UInt64] {
            try await KernelSession.run { bed in
                let bucket = TokenBucket(
                    rate: .bitsPerSecond(bits), burst: ByteCount(bytes: 3200),
                    limit: ByteCount(bytes: 100_000_000))
                try bed.execute(KernelSession.qdisc(.tokenBucket(bucket)).add())
                guard case .tokenBucket(let found)? = try bed.state()?.kind else {
                    Issue.record("no token bucket was found")
                    return
                }
                #expect(found.rate == bucket.rate)
                #expect(found.limit == bucket.limit)
                if bits == 1_000_000 { #expect(found.burst == bucket.burst) }
                try bed.execute(KernelSession.qdisc(.tokenBucket(bucket)).replace())
            }
        }
    }

    @Test("A class is told as it was written and changes in place", .requiresKernel(.htb))
    func classes() async throws {
        try await KernelSession.run { bed in
            try bed.execute(KernelSession.qdisc(.hierarchicalTokenBucket(defaultClass: 1)).add())
            for bits in [8_000, 10_000_000, 34_359_738_368, 800_000_000_000] as [UInt64] {
                let rate = Bandwidth.bitsPerSecond(bits)
                let expected = TrafficClass(
                    interface: KernelSession.loopback, handle: KernelSession.handle.child(1),
                    rate: rate,
                    burst: max(ByteCount(bytes: 3200), rate.byteCount(in: .milliseconds(2))))
                try bed.execute(expected.replace())
                let found = try bed.session.dump(
                    TrafficClass.list(interface: 1), attempt: "list the classes"
                ).compactMap(TrafficClass.init)
                #expect(found.map(\.handle) == [expected.handle])
                #expect(found.map(\.rate) == [rate])
                let burst = try #require(found.first).burst
                let tick = rate.byteCount(in: .nanoseconds(64)).bytes
                #expect(burst <= expected.burst)
                #expect(burst.bytes + tick >= expected.burst.bytes)
            }
        }
    }

    @Test("The hook for filters is told as clsact or as ingress", .requiresKernel(.clsact))
    func hooks() async throws {
        try await KernelSession.run { bed in
            func hook() throws -> Qdisc.Kind? {
                try bed.session.get([Qdisc.get(at: .clsact, on: 1)])[0].flatMap(QdiscState.init)?
                    .kind
            }
            #expect(try hook() == nil)
            try bed.execute(Qdisc.clsact(on: KernelSession.loopback).add())
            #expect(try hook() == .classifierActions)
            try bed.execute(Qdisc.clsact(on: KernelSession.loopback).delete())
            #expect(try hook() == nil)
            try bed.execute(
                KernelSession.qdisc(.ingress, handle: .init(major: 0xffff), parent: .clsact).add())
            #expect(try hook() == .ingress)
        }
    }

    @Test("What goes through is counted, and a running rate is kept", .requiresKernel(.tbf))
    func statistics() async throws {
        try await KernelSession.runWithTraffic { bed, traffic in
            let bucket = TokenBucket(
                rate: .megabitsPerSecond(100), burst: ByteCount(bytes: 100_000),
                limit: ByteCount(bytes: 100_000))
            try bed.execute(KernelSession.qdisc(.tokenBucket(bucket)).add())
            traffic.send(count: 30, length: 1000)
            #expect(traffic.delays(within: .milliseconds(1200)).count == 30)
            let statistics = try bed.statistics()
            #expect(statistics.packets == 30)
            // Ethernet, IP and UDP headers.
            #expect(statistics.bytes == 30 * (14 + 20 + 8 + 1000))
            #expect(statistics.drops == 0)
            #expect(statistics.bytesPerSecond > 0)
            #expect(statistics.packetsPerSecond > 0)
        }
    }

    // MARK: The kernel's own words

    @Test("The kernel's explanation of a refusal is passed on", .requiresNamespaces)
    func explanations() async throws {
        try await KernelSession.run { bed in
            let unknown = #expect(throws: NetlinkError.self) {
                try bed.execute(KernelSession.qdisc(.other("linkcond")).add())
            }
            #expect(unknown?.errno == .noSuchFileOrDirectory)
            #expect(unknown?.kernelText == "Specified qdisc kind is unknown")
            let orphan = KernelSession.qdisc(
                .other("pfifo"), handle: .init(major: 2), parent: .init(major: 7, minor: 1))
            let parentless = #expect(throws: NetlinkError.self) { try bed.execute(orphan.add()) }
            #expect(parentless?.kernelText == "Failed to find specified qdisc")
            try bed.execute(KernelSession.qdisc(.other("pfifo")).add())
            let exists = #expect(throws: NetlinkError.self) {
                try bed.execute(KernelSession.qdisc(.other("pfifo")).add())
            }
            #expect(exists?.errno == .fileExists)
            #expect(exists?.kernelText == "Exclusivity flag on, cannot modify")
        }
    }
}
