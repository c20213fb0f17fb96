import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("Firewall in the middle", .tags(.unit)) struct FirewallTests {
    private static func stage(_ firewall: Firewall) -> MiddleboxStage {
        MiddleboxStage(Middlebox(firewall: firewall))
    }

    private static let up: [(name: String, bytes: [UInt8])] = [
        ("dns", SamplePacket.udp(from: .app(4000), to: .server(53))),
        ("udp/4433", SamplePacket.udp(from: .app(4000), to: .server(4433))),
        ("udp/443", SamplePacket.udp(from: .app(4000), to: .server(443))),
        (
            "quic",
            SamplePacket.udp(
                from: .app(4000), to: .server(4433),
                [0xc3, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 1195))
        ),
        ("tcp/22", SamplePacket.tcp(from: .app(4000), to: .server(22))),
        ("tcp/443", SamplePacket.tcp(from: .app(4000), to: .server(443))),
        ("echo", SamplePacket.echo(from: SamplePacket.app, to: SamplePacket.server, identifier: 5)),
    ]

    @Test(arguments: [
        (["udp"], ["udp/4433", "udp/443", "quic"]), (["udp/53"], ["dns"]),
        (["quic"], ["udp/443", "quic"]), (["tcp/20-22"], ["tcp/22"]),
        (["tcp", "icmp"], ["tcp/22", "tcp/443", "echo"]),
    ])
    func `what is blocked, and no more, both ways`(block: [String], stopped: [String]) throws {
        let rules = Firewall(block: block.compactMap(TrafficKind.init(parsing:)))
        #expect(rules.block.count == block.count)
        var stage = Self.stage(rules)
        for (name, bytes) in Self.up {
            let packet = try bytes.fields
            let isStopped = stopped.contains(name)
            let verdict = isStopped ? MiddleboxVerdict.dropped(.blocked, nil) : .passes
            #expect(stage.verdict(on: packet, .up, at: .zero) == verdict, "\(name)")
            var answer = packet
            (answer.source, answer.target) = (packet.target, packet.source)
            answer.opensQUIC = false
            guard name != "quic" else { continue }
            #expect(stage.verdict(on: answer, .down, at: .zero) == verdict, "\(name)")
        }
    }

    @Test func `only what is allowed passes, and DNS`() throws {
        var stage = Self.stage(
            Firewall(allow: [TrafficKind(.tcp, firstPort: 443), TrafficKind(.tcp, firstPort: 80)]))
        for (name, bytes) in Self.up {
            let passes = stage.verdict(on: try bytes.fields, .up, at: .zero) == .passes
            #expect(passes == ["dns", "tcp/443"].contains(name), "\(name)")
        }
    }

    @Test func `answers end the attempt`() throws {
        let (request, datagram) = (Self.up[5].bytes, Self.up[1].bytes)
        #expect(try Self.answer(.reset, request)?[13 + 20] == TCPFlag.rst | TCPFlag.ack)
        for (answer, packet, code) in [
            (Firewall.Answer.reset, datagram, UInt8(3)), (.icmp, datagram, 13),
            (.icmp, request, 13),
        ] {
            let bytes = try #require(try Self.answer(answer, packet))
            #expect(bytes[9] == IPProtocol.icmp && bytes[20] == 3 && bytes[21] == code)
            #expect(Array(bytes[12..<16]) == SamplePacket.server.bytes)
            #expect(SamplePacket.isSound(bytes))
        }
        #expect(try Self.answer(.drop, request) == nil)
        // Nobody answers a reset, nor an error.
        let reset = SamplePacket.tcp(from: .app(1), to: .server(2), flags: TCPFlag.rst)
        #expect(try Self.answer(.reset, reset) == nil)
        let error = IPPacket.error(
            type: 3, code: 3, quoting: datagram, from: SamplePacket.app, to: SamplePacket.server)
        #expect(try Self.answer(.icmp, error) == nil)
    }

    @Test func `a reset is one that the sender accepts`() throws {
        let segment = SamplePacket.tcp(
            from: .app(1), to: .server(2), flags: TCPFlag.ack, sequence: 500, acknowledged: 900,
            [1, 2])
        let answer = try #require(try Self.answer(.reset, segment))
        #expect(answer[33] == TCPFlag.rst && answer.number(at: 26) == 900)
        let request = SamplePacket.tcp(from: .app(1), to: .server(2), sequence: 500)
        let refusal = try #require(try Self.answer(.reset, request))
        #expect(refusal.number(at: 30) == 501)
        for bytes in [answer, refusal] {
            #expect(try bytes.fields.source == .server(2) && bytes.fields.target == .app(1))
            #expect(SamplePacket.isSound(bytes))
        }
    }

    @Test func `a reset reaches the app that waits for the packet`() throws {
        let packet = SamplePacket.tcp(
            from: .server(2), to: .app(1), flags: TCPFlag.ack, sequence: 500, acknowledged: 900,
            [1, 2])
        let cut = try #require(try Self.answer(.reset, packet, .down))
        #expect(try cut.fields.source == .server(2) && cut.fields.target == .app(1))
        #expect(cut[33] == TCPFlag.rst | TCPFlag.ack && SamplePacket.isSound(cut))
        #expect(cut.count == 40 && cut.number(at: 26) == 500 && cut.number(at: 30) == 900)
        // None tells of a request that the app does not know of, nor of the end itself.
        for flags in [TCPFlag.syn, TCPFlag.rst, TCPFlag.rst | TCPFlag.ack] {
            let packet = SamplePacket.tcp(from: .server(2), to: .app(1), flags: flags)
            #expect(try Self.answer(.reset, packet, .down) == nil)
        }
        for answer in [Firewall.Answer.drop, .icmp] {
            #expect(try Self.answer(answer, packet, .down) == nil)
        }
    }

    private static func answer(
        _ answer: Firewall.Answer, _ packet: [UInt8], _ direction: Direction = .up
    ) throws -> [UInt8]? {
        var stage = stage(
            Firewall(block: TrafficKind.Transport.allCases.map { TrafficKind($0) }, answer: answer))
        let fields = try packet.fields
        guard case .dropped(.blocked, let answer) = stage.verdict(on: fields, direction, at: .zero)
        else {
            throw Unexpected()
        }
        return answer?.bytes(to: packet, fields)
    }

    private struct Unexpected: Error {}

    @Test func `a silent connection is forgotten until it begins anew`() throws {
        var stage = Self.stage(Firewall(tcpTimeout: .seconds(10)))
        let request = try SamplePacket.tcp(from: .app(1), to: .server(2)).fields
        let data = try SamplePacket.tcp(from: .app(1), to: .server(2), flags: TCPFlag.ack).fields
        let answer = try SamplePacket.tcp(from: .server(2), to: .app(1), flags: TCPFlag.ack).fields
        let other = try SamplePacket.tcp(from: .app(3), to: .server(2), flags: TCPFlag.ack).fields
        let fates = [
            (request, Direction.up, 0), (data, .up, 9), (answer, .down, 18), (data, .up, 29),
            (answer, .down, 30), (data, .up, 31), (other, .up, 31), (request, .up, 32),
            (data, .up, 33),
        ].map { packet, direction, seconds in
            stage.verdict(on: packet, direction, at: .seconds(seconds)) == .passes
        }
        // The other one was there before the firewall.
        #expect(fates == [true, true, true, false, false, false, true, true, true])
    }

    @Test func `the table stays within its limit`() throws {
        var stage = FirewallStage(Firewall(tcpTimeout: .seconds(10)), capacity: 100)
        for port in UInt16(1)...1000 {
            let packet = try SamplePacket.tcp(from: .app(port), to: .server(2)).fields
            #expect(stage.obstacle(to: packet, .up, at: .seconds(1)) == nil)
        }
        #expect(stage.connectionCount == 100)
        // The oldest were given up, so nobody remembers that they were silent.
        let late = try [UInt16(901), 900].map {
            try SamplePacket.tcp(from: .app($0), to: .server(2), flags: TCPFlag.ack).fields
        }
        #expect(late.map { stage.obstacle(to: $0, .up, at: .seconds(60)) } == [.forgotten, nil])
    }

    @Test func `hostile packets are read as far as they go`() {
        for packet in Self.up.map(\.bytes) {
            for count in 0...packet.count {
                _ = PacketFields(Array(packet[..<count]).span)
            }
        }
        let extensions =
            [0x60, 0, 0, 0, 0, 200, 0, 64] + [UInt8](repeating: 1, count: 32)
            + [UInt8](repeating: 0, count: 64)
        for count in 40...extensions.count { _ = PacketFields(Array(extensions[..<count]).span) }
    }
}
