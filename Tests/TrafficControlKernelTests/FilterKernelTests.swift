import KernelPlane
import LinkTesting
import LinkUnits
import Netlink
import SystemPackage
import Testing

@testable import TrafficControl

@Suite("Filters and the kernel", .requiresKernel(.clsact, .u32, .mirred, .ifb))
struct FilterKernelTests {
    private static let cookie = Array("linkcond".utf8)
    private static let ifb = Interface(index: 0x4c00_000a, name: "lcu5")

    private static let redirect = Filter(
        interface: KernelSession.loopback, parent: .clsactEgress, preference: 65_182,
        networkProtocol: .ipv4, verdict: .redirect(to: ifb, cookie: cookie))

    private static let discovery = [(UInt8(0x84), UInt8(0xfc)), (0x88, 0xfe)].map {
        Filter(
            interface: KernelSession.loopback, parent: .clsactIngress, preference: 65_281,
            networkProtocol: .ipv6, matches: [.ipv6NextHeader(58), .icmpv6Type($0.0, mask: $0.1)],
            verdict: .classify(QdiscHandle(rawValue: 1)))
    }

    private static func run(_ body: @Sendable (KernelSession) throws -> Void) async throws {
        try await KernelSession.run { bed in
            let failures = try bed.session.execute(
                [
                    Link.addIFB(name: ifb.name, index: ifb.index, group: 7181),
                    Link.disableAutoconfiguration(index: ifb.index),
                    Link.bringUp(index: ifb.index, alias: ""), Link.bringUp(index: 1, alias: ""),
                    Qdisc.clsact(on: KernelSession.loopback).add(), redirect.add(),
                ] + discovery.map { $0.add() })
            #expect(failures == [])
            try body(bed)
        }
    }

    @Test("Filters are told by hook, preference, protocol and kind")
    func dump() async throws {
        try await Self.run { bed in
            let egress = Set(try bed.filters(.clsactEgress))
            #expect(egress.map(\.preference) == [65_182])
            #expect(egress.map(\.ethertype) == [0x0800])
            #expect(egress.map(\.kind) == ["u32"])
            let ingress = Set(try bed.filters(.clsactIngress))
            #expect(ingress.map(\.preference) == [65_281])
            #expect(ingress.map(\.ethertype) == [0x86dd])
        }
    }

    @Test("Filters are taken away by preference and protocol, all of them, and no others")
    func delete() async throws {
        try await Self.run { bed in
            try bed.execute(
                Filter.delete(
                    interface: KernelSession.loopback, parent: .clsactIngress, preference: 65_281,
                    networkProtocol: .ipv6))
            #expect(try bed.filters(.clsactIngress).isEmpty)
            #expect(try !bed.filters(.clsactEgress).isEmpty)
            let error = #expect(throws: NetlinkError.self) {
                try bed.execute(
                    Filter.delete(
                        interface: KernelSession.loopback, parent: .clsactEgress,
                        preference: 65_182,
                        networkProtocol: .ipv6))
            }
            #expect(error != nil)
            #expect(try !bed.filters(.clsactEgress).isEmpty)
        }
    }

    @Test(
        "tc reads the filters we write", .enabled(if: hasPrograms("tc"), "tc is not installed"))
    func witness() async throws {
        try await Self.run { _ in
            let egress = try shell("tc filter show dev lo egress")
            for part in [
                "protocol ip pref 65182 u32", "match 00000000/00000000 at 0",
                "mirred (Egress Redirect to device lcu5) stolen",
                "cookie \(Self.cookie.map { String($0, radix: 16) }.joined())",
            ] {
                #expect(egress.contains(part), "\(part) in \(egress)")
            }
            let ingress = try shell("tc filter show dev lo ingress")
            for part in [
                "protocol ipv6 pref 65281 u32", "flowid :1 ", "match 00003a00/0000ff00 at 4",
                "match 84000000/fc000000 at 40", "match 88000000/fe000000 at 40",
            ] {
                #expect(ingress.contains(part), "\(part) in \(ingress)")
            }
        }
    }

    @Test("What a filter redirects goes through the other interface, and comes back")
    func redirection() async throws {
        try await Self.run { bed in
            let traffic = try LoopbackTraffic()
            traffic.send(count: 5)
            #expect(traffic.delays(within: .milliseconds(300)).count == 5)
            let links = try shell("cat /proc/net/dev")
            let line = try #require(links.split(separator: "\n").first { $0.contains("lcu5:") })
            #expect(line.split(separator: " ").dropFirst(2).first == "5", "\(line)")
        }
    }

    @Test("A filter sends chosen packets to a class", .requiresKernel(.prio))
    func classification() async throws {
        try await KernelSession.runWithTraffic { bed, traffic in
            let bands = KernelSession.qdisc(.priority(bands: 2))
            let second = KernelSession.qdisc(
                .other("pfifo"), handle: .init(major: 2), parent: KernelSession.handle.child(2))
            // UDP is protocol 17; everything that the socket sends matches.
            let filter = Filter(
                interface: KernelSession.loopback, parent: KernelSession.handle, preference: 1,
                networkProtocol: .ipv4, matches: [.ipv4Protocol(17), .ipv4FirstFragment],
                verdict: .classify(KernelSession.handle.child(2)))
            let other = Filter(
                interface: KernelSession.loopback, parent: KernelSession.handle, preference: 1,
                networkProtocol: .ipv4, matches: [.ipv4Protocol(6)],
                verdict: .classify(KernelSession.handle.child(1)))
            #expect(
                try bed.session.execute([bands.add(), second.add(), other.add()]) == [])
            traffic.send(count: 3)
            #expect(traffic.delays(within: .milliseconds(100)).count == 3)
            #expect(try bed.statistics(second.handle).packets == 0)
            try bed.execute(filter.add())
            traffic.send(count: 4)
            #expect(traffic.delays(within: .milliseconds(100)).count == 4)
            #expect(try bed.statistics(second.handle).packets == 4)
        }
    }

    // MARK: Programs

    /// A program at the loopback's egress hook for UDP to one of these ports.
    private static func program(
        _ ports: [ClosedRange<UInt32>], _ verdict: Filter.Verdict
    ) throws -> Filter {
        let rule = PacketRule([
            .field(PacketField(.byte, at: 9), in: [17...17]),
            .field(PacketField(.half, at: 22), in: ports),
        ])
        return Filter(
            interface: KernelSession.loopback, parent: .clsactEgress, preference: 65_182,
            networkProtocol: .ipv4,
            match: .program(try #require(PacketProgram(anyOf: [rule], in: .after(14)))),
            verdict: verdict)
    }

    @Test(
        "The kernel tells the program that it was given", .requiresKernel(.programs),
        .enabled(if: hasPrograms("tc"), "tc is not installed"))
    func programText() async throws {
        try await KernelSession.run { bed in
            let ranges: [ClosedRange<UInt32>] = (0..<500).map { (3 * $0)...(3 * $0 + 1) }
            let filter = try Self.program(ranges, .classify(QdiscHandle(rawValue: 1)))
            guard case .program(let program) = filter.match else { return }
            #expect(
                try bed.session.execute([
                    Qdisc.clsact(on: KernelSession.loopback).add(), filter.add(),
                ]) == [])
            #expect(Set(try bed.filters(.clsactEgress).map(\.kind)) == ["bpf"])
            let shown = try shell("tc filter show dev lo egress")
            #expect(shown.contains("bytecode '\(program.tcText)'"), "\(shown)")
            #expect(shown.contains("flowid :1"))
            // tc itself, told the same, makes the same.
            try shell("tc filter del dev lo egress; \(filter.tcAddText)")
            #expect(try shell("tc filter show dev lo egress") == shown)
        }
    }

    @Test(
        "Of the programs of a preference the kernel asks the last one first",
        .requiresKernel(.programs))
    func programOrder() async throws {
        let redirect = Filter.Verdict.redirect(to: Self.ifb, cookie: Self.cookie)
        let pass = Filter.Verdict.classify(QdiscHandle(rawValue: 1))
        for (first, second, redirected) in [(redirect, pass, 0), (pass, redirect, 5)] {
            try await KernelSession.run { bed in
                #expect(
                    try bed.session.execute([
                        Link.addIFB(name: Self.ifb.name, index: Self.ifb.index, group: 7181),
                        Link.disableAutoconfiguration(index: Self.ifb.index),
                        Link.bringUp(index: Self.ifb.index, alias: ""),
                        Link.bringUp(index: 1, alias: ""),
                        Qdisc.clsact(on: KernelSession.loopback).add(),
                        try Self.program([0...65_535], first).add(),
                        try Self.program([0...65_535], second).add(),
                    ]) == [])
                let traffic = try LoopbackTraffic()
                traffic.send(count: 5)
                #expect(traffic.delays(within: .milliseconds(300)).count == 5)
                let line = try shell("grep lcu5: /proc/net/dev")
                #expect(
                    line.split(separator: " ").dropFirst(2).first == "\(redirected)", "\(line)")
            }
        }
    }
}
