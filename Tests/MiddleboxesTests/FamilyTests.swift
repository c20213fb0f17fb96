import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("A network of one family", .tags(.unit)) struct FamilyTests {
    static let app = IPAddress(ipv6High: 0xfd6c_696e_6b63_0000, low: 2)
    static let nativeServer = IPAddress(ipv6High: 0x2001_0db8_0000_0000, low: 7)
    static let server = NAT64.address(for: SamplePacket.server)
    static let outside = TranslationTests.outside

    private static func middle(_ family: NetworkFamily) -> TranslationTests.Middle {
        var middle = TranslationTests.Middle()
        middle.stage = MiddleboxStage(Middlebox(family: family), at: TranslationTests.place)
        return middle
    }

    private static func app(_ port: UInt16) -> Endpoint { Endpoint(app, port: port) }
    private static func server(_ port: UInt16) -> Endpoint { Endpoint(server, port: port) }

    @Test func `the other family does not pass, and the app learns it`() throws {
        let four = SamplePacket.tcp(from: .app(4000), to: .server(443))
        let six = SamplePacket.tcp(
            from: Self.app(4000), to: Endpoint(Self.nativeServer, port: 443))
        for (family, other, own) in [
            (NetworkFamily.ipv4, six, four), (.ipv6, four, six), (.nat64, four, six),
        ] {
            var middle = Self.middle(family)
            let fields = try other.fields
            let verdict = middle.stage.verdict(on: fields, .up, at: .zero)
            #expect(verdict == .dropped(.unrouted, .noRoute))
            let answer = try #require(MiddleboxAnswer.noRoute.bytes(to: other, fields))
            #expect(
                SamplePacket.isSound(answer) && answer[fields.source.address.isIPv6 ? 41 : 21] == 0)
            #expect(try middle.pass(other, .down) == nil && middle.drop == .unrouted)
            #expect(try middle.pass(own) == own)
        }
        // There is no translator.
        var middle = Self.middle(.ipv6)
        let packet = SamplePacket.tcp(from: Self.app(4000), to: Self.server(443))
        #expect(try middle.pass(packet) == packet && middle.stage.standIn == nil)
    }

    @Test(arguments: [[UInt8](), [1], [1, 2, 3, 4, 5]])
    func `TCP and UDP cross in both directions`(payload: [UInt8]) throws {
        var middle = Self.middle(.nat64)
        for make in [
            { SamplePacket.udp(from: $0, to: $1, payload) },
            {
                SamplePacket.tcp(
                    from: $0, to: $1, flags: TCPFlag.syn, options: [2, 4, 5, 0xa0], payload)
            },
        ] as [(Endpoint, Endpoint) -> [UInt8]] {
            var packet = make(Self.app(4000), Self.server(443))
            // A traffic class, and a hop limit.
            (packet[0], packet[1], packet[7]) = (0x6a, 0xb0, 33)
            let sent = try #require(try middle.pass(packet))
            let port = try sent.fields.source
            #expect(port.address == Self.outside && sent.count == packet.count - 20)
            #expect(try sent.fields.target == .server(443) && SamplePacket.isSound(sent))
            #expect(sent[1] == 0xab && sent[8] == 32 && sent.number(at: 2) == sent.count)
            let back = make(.server(443), port)
            let received = try #require(try middle.pass(back, .down))
            #expect(try received.fields.target == Self.app(4000))
            #expect(try received.fields.source == Self.server(443))
            #expect(SamplePacket.isSound(received) && received[7] == 63)
            #expect(Int(received.number(at: 4)) == received.count - 40)
            // Nobody else reaches the app.
            let stray = make(Endpoint(SamplePacket.otherServer, port: 443), port)
            #expect(try middle.pass(stray, .down) == nil && middle.drop == .unmapped)
        }
        #expect(middle.stage.entryCounts == [2])
    }

    @Test func `echoes cross with an identifier of their own`() throws {
        var middle = Self.middle(.nat64)
        var message: [UInt8] = [128, 0, 0, 0, 0x0f, 0xa0, 0, 1, 42]
        let request = IPPacket.icmp(message, from: Self.app, to: Self.server)
        let sent = try #require(try middle.pass(request))
        #expect(sent[9] == 1 && sent[20] == 8 && SamplePacket.isSound(sent))
        let identifier = try sent.fields.source.port
        let reply = SamplePacket.echo(
            from: SamplePacket.server, to: Self.outside, identifier: identifier, isReply: true)
        let received = try #require(try middle.pass(reply, .down))
        message[0] = 129
        #expect(Array(received[40...].dropFirst(4)) == Array(message.dropFirst(4)))
        #expect(received[6] == 58 && received[40] == 129 && SamplePacket.isSound(received))
    }

    @Test func `a checksum that covers the pseudo-header only still does`() throws {
        for (isUDP, field) in [(true, 6), (false, 16)] {
            let make =
                isUDP
                ? { SamplePacket.udp(from: $0, to: $1, [7, 8, 9]) }
                : { SamplePacket.tcp(from: $0, to: $1, [7, 8, 9]) }
            func unfinished(_ packet: [UInt8]) throws -> [UInt8] {
                var (bytes, fields) = (packet, try packet.fields)
                let start = try #require(fields.transportOffset)
                var sum = PacketChecksum()
                sum.addPseudoHeader(
                    from: fields.source.address, to: fields.target.address,
                    transport: fields.transport, length: packet.count - start)
                bytes.set(~sum.value, at: start + field)
                return bytes
            }
            for (former, new) in [
                (make(Self.app(4000), Self.server(80)), make(.app(7), .server(80))),
                (make(.server(80), .app(7)), make(Self.server(80), Self.app(4000))),
            ] {
                let change = HeaderChange(
                    source: try new.fields.source, target: try new.fields.target,
                    changesFamily: true)
                var bytes = try unfinished(former)
                var span = bytes.mutableSpan
                let header = try #require(change.newHeader(in: &span, at: 0, isUnfinished: true))
                let changed = header.bytes + bytes.dropFirst(header.formerLength)
                let wanted = try unfinished(new)
                #expect(
                    Array(changed.suffix(from: header.bytes.count))
                        == Array(wanted.suffix(from: header.bytes.count)))
            }
        }
    }

    @Test func `a datagram without a checksum gets one, unless it is a part`() throws {
        var middle = Self.middle(.nat64)
        let sent = try #require(
            try middle.pass(SamplePacket.udp(from: Self.app(4000), to: Self.server(53))))
        var bare = SamplePacket.udp(
            from: .server(53), to: try sent.fields.source, [UInt8](repeating: 5, count: 2001))
        bare.set(0, at: 26)
        #expect(SamplePacket.isSound(try #require(try middle.pass(bare, .down))))
        let parts = IPPacket.fragments(of: bare, mtu: 1400, identification: 5)
        #expect(try middle.pass(parts[0], .down) == nil)
    }

    @Test func `fragments cross, and their sum is the whole`() throws {
        var middle = Self.middle(.nat64)
        let payload = (0..<3001).map { UInt8(truncatingIfNeeded: $0) }
        let packet = SamplePacket.udp(from: Self.app(4000), to: Self.server(7), payload)
        let parts = IPPacket.fragments(of: packet, mtu: 1500, identification: 0x1234_5678)
        let sent = try parts.map { try #require(try middle.pass($0)) }
        #expect(sent.map { $0.number(at: 4) } == [0x5678, 0x5678, 0x5678])
        #expect(sent.map { $0.number(at: 6) & 0xe000 } == [0x2000, 0x2000, 0])
        let port = try sent[0].fields.source
        let whole = IPPacket.packet(
            17, from: Self.outside, to: SamplePacket.server,
            payload: sent.flatMap { $0.dropFirst(20) })
        #expect(SamplePacket.isSound(whole) && whole.count == packet.count - 20)
        let back = SamplePacket.udp(from: .server(7), to: port, payload)
        let returned = try IPPacket.fragments(of: back, mtu: 1400, identification: 9).map {
            try #require(try middle.pass($0, .down))
        }
        #expect(returned.allSatisfy { $0[6] == 44 && $0.span.long(at: 44) == 9 })
        let rejoined = IPPacket.packet(
            17, from: Self.server, to: Self.app, payload: returned.flatMap { $0.dropFirst(48) })
        #expect(SamplePacket.isSound(rejoined) && rejoined.count == back.count + 20)
        // A part of something unknown.
        let lost = IPPacket.fragments(of: packet, mtu: 1500, identification: 8)[1]
        #expect(try middle.pass(lost) == nil && middle.drop == .unmapped)
    }

    @Test func `only what fills a link of IPv6 must not be cut`() throws {
        var middle = Self.middle(.nat64)
        for (size, isWhole) in [(1232, false), (1233, true)] {
            let packet = SamplePacket.udp(
                from: Self.app(4000), to: Self.server(7), [UInt8](repeating: 1, count: size))
            let sent = try #require(try middle.pass(packet))
            #expect(sent.number(at: 6) == (isWhole ? 0x4000 : 0))
            #expect((sent.number(at: 4) == 0) == isWhole)
        }
    }

    @Test func `an error about a packet of the app says the same in IPv6`() throws {
        var middle = Self.middle(.nat64)
        let packet = SamplePacket.udp(
            from: Self.app(4000), to: Self.server(7), [UInt8](repeating: 1, count: 1400))
        let sent = try #require(try middle.pass(packet))
        let router = IPAddress(ipv4: 0xc000_0201)
        for (type, code, parameter, meaning) in [
            (3, 4, 1400, (2, 0, 1420)), (3, 4, 1000, (2, 0, 1280)), (3, 4, 0, (2, 0, 1280)),
            (3, 4, 9000, (2, 0, 1500)), (3, 3, 0, (1, 4, 0)), (3, 1, 0, (1, 0, 0)),
            (3, 13, 0, (1, 1, 0)), (3, 2, 0, (4, 1, 6)), (11, 0, 0, (3, 0, 0)),
            (12, 0, 0x0900_0000, (4, 0, 6)),
        ] as [(UInt8, UInt8, UInt32, (UInt8, UInt8, UInt32))] {
            let error = IPPacket.error(
                type: type, code: code, parameter: parameter, quoting: sent, from: router,
                to: Self.outside)
            let received = try #require(try middle.pass(error, .down), "\(type) \(code)")
            #expect(SamplePacket.isSound(received))
            let fields = try received.fields
            #expect(fields.source.address == NAT64.address(for: router))
            #expect(fields.target.address == Self.app)
            #expect((received[40], received[41]) == (meaning.0, meaning.1))
            #expect(received.span.long(at: 44) == meaning.2)
            #expect(fields.quoted?.source == Self.app(4000))
            #expect(fields.quoted?.target == Self.server(7))
            // As far as it goes, it quotes what the app has sent.
            #expect(
                Array(received[(40 + 8 + 8)...].prefix(100).dropFirst(32).dropFirst(8))
                    == Array(packet[8...].prefix(100).dropFirst(32).dropFirst(8)))
        }
        // A source quench, and an error about what nobody sent.
        let quench = IPPacket.error(
            type: 4, code: 0, quoting: sent, from: router, to: Self.outside)
        #expect(try middle.pass(quench, .down) == nil)
        let stray = IPPacket.error(
            type: 3, code: 3,
            quoting: SamplePacket.udp(from: Endpoint(Self.outside, port: 9), to: .server(7)),
            from: router, to: Self.outside)
        #expect(try middle.pass(stray, .down) == nil && middle.drop == .unmapped)
    }

    @Test func `an error of the app says the same in IPv4`() throws {
        var middle = Self.middle(.nat64)
        let sent = try #require(
            try middle.pass(SamplePacket.udp(from: Self.app(4000), to: Self.server(7))))
        let port = try sent.fields.source
        let received = try #require(
            try middle.pass(SamplePacket.udp(from: .server(7), to: port), .down))
        for (type, code, parameter, meaning) in [
            (2, 0, 1400, (3, 4, 1380)), (2, 0, 9000, (3, 4, 1480)), (1, 4, 0, (3, 3, 0)),
            (1, 1, 0, (3, 10, 0)), (1, 3, 0, (3, 1, 0)), (3, 1, 0, (11, 1, 0)),
            (4, 1, 0, (3, 2, 0)),
        ] as [(UInt8, UInt8, UInt32, (UInt8, UInt8, UInt32))] {
            let error = IPPacket.error(
                type: type, code: code, parameter: parameter, quoting: received, from: Self.app,
                to: Self.server)
            let left = try #require(try middle.pass(error), "\(type) \(code)")
            #expect(SamplePacket.isSound(left))
            let fields = try left.fields
            #expect(fields.source.address == Self.outside)
            #expect(fields.target.address == SamplePacket.server)
            #expect((left[20], left[21], left.span.long(at: 24)) == meaning)
            #expect(fields.quoted?.source == .server(7) && fields.quoted?.target == port)
        }
        // The link's own error takes the same way, whatever the firewall says.
        let rules = Middlebox(firewall: Firewall(block: [TrafficKind(.icmp)]), family: .nat64)
        middle.stage.change(to: rules, at: .zero)
        let own = IPPacket.error(
            type: 2, code: 0, parameter: 1400, quoting: received, from: Self.app, to: Self.server)
        #expect(try middle.pass(own) == nil && middle.drop == .blocked)
        let change = try #require(middle.stage.change(ofError: try own.fields, at: .zero))
        #expect(try #require(change.applied(to: own)).number(at: 26) == 1380)
    }

    @Test func `what has no translation gets nowhere`() throws {
        var middle = Self.middle(.nat64)
        var last = SamplePacket.udp(from: Self.app(4000), to: Self.server(7))
        last[7] = 1
        #expect(
            middle.stage.verdict(on: try last.fields, .up, at: .zero)
                == .dropped(.unrouted, .expired))
        for target in [0x7f00_0001, 0xe000_0001, 0] as [UInt32] {
            let packet = SamplePacket.udp(
                from: Self.app(4000),
                to: Endpoint(NAT64.address(for: IPAddress(ipv4: target)), port: 7))
            #expect(
                middle.stage.verdict(on: try packet.fields, .up, at: .zero)
                    == .dropped(.unrouted, .noRoute))
        }
        let other = IPPacket.packet(
            132, from: Self.app, to: Self.server, payload: [UInt8](repeating: 0, count: 32))
        #expect(try middle.pass(other) == nil && middle.drop == .unmapped)
        // Longer than a packet of IPv4 can be, as it says itself.
        var long = SamplePacket.udp(from: Self.app(4000), to: Self.server(7))
        long.set(0xffff, at: 4)
        #expect(try middle.pass(long) == nil)
        // A header of IPv6 that leads elsewhere first.
        var routed = SamplePacket.udp(from: Self.app(4000), to: Self.server(7))
        routed.insert(contentsOf: [17, 0, 0, 1, 0, 0, 0, 0], at: 40)
        routed[6] = 43
        routed.set(routed.number(at: 4) + 8, at: 4)
        #expect(try middle.pass(routed) == nil)
        routed[43] = 0
        #expect(SamplePacket.isSound(try #require(try middle.pass(routed))))
    }

    @Test func `the app reaches its own ports through the NAT64`() throws {
        var middle = Self.middle(.nat64)
        let outside = NAT64.address(for: Self.outside)
        func turn(_ packet: [UInt8]) throws -> [UInt8]? {
            let fields = try packet.fields
            guard
                case .turnedBack(let change) = middle.stage.verdict(on: fields, .up, at: .zero)
            else { return nil }
            let turned = try #require(change.applied(to: packet))
            #expect(SamplePacket.isSound(turned) || fields.fragment != nil)
            return turned
        }
        // Both ports open their way to that address, which is how hosts behind it find each other.
        let first = try #require(
            try middle.pass(SamplePacket.udp(from: Self.app(4000), to: Self.server(7))))
        let port = try first.fields.source.port
        let toFirst = Endpoint(outside, port: port)
        // Nobody has asked there yet.
        #expect(try turn(SamplePacket.udp(from: Self.app(4001), to: toFirst, [1])) == nil)
        _ = try turn(SamplePacket.udp(from: Self.app(4000), to: Endpoint(outside, port: 9)))
        let there = try #require(
            try turn(SamplePacket.udp(from: Self.app(4001), to: toFirst, [1, 2, 3])))
        #expect(try there.fields.target == Self.app(4000))
        let alias = try there.fields.source
        #expect(alias.address == outside && alias.port != 4000)
        let back = try #require(try turn(SamplePacket.udp(from: Self.app(4000), to: alias)))
        #expect(try back.fields.target == Self.app(4001) && back.fields.source == toFirst)
        let long = SamplePacket.udp(
            from: Self.app(4001), to: toFirst, [UInt8](repeating: 3, count: 3000))
        for part in IPPacket.fragments(of: long, mtu: 1280, identification: 7) {
            #expect(try turn(part)?.fields.target.address == Self.app)
        }
        // An echo finds its sender.
        let echo = IPPacket.icmp([128, 0, 0, 0, 0, 5, 0, 1, 42], from: Self.app, to: outside)
        let asked = try #require(try turn(echo))
        #expect(try asked.fields.target == Self.app(5) && asked.fields.source.address == outside)
    }

    @Test func `a damaged packet stays damaged`() throws {
        var middle = Self.middle(.nat64)
        var packet = SamplePacket.tcp(from: Self.app(4000), to: Self.server(443), [1, 2, 3])
        packet[62] ^= 4
        #expect(!SamplePacket.isSound(try #require(try middle.pass(packet))))
    }

    @Test func `the table is full some time, and entries end by silence`() throws {
        var middle = Self.middle(.nat64)
        var reached = 0
        for flow in 0..<10_100 {
            let source = Endpoint(Self.app, port: UInt16(1024 + flow % 60_000))
            let packet = SamplePacket.udp(from: source, to: Self.server(UInt16(7 + flow / 60_000)))
            if try middle.pass(packet) != nil { reached += 1 }
        }
        #expect(reached == 10_000 && middle.drop == .tableFull)
        middle.now = .seconds(301)
        #expect(try middle.pass(SamplePacket.udp(from: Self.app(9), to: Self.server(7))) != nil)
        #expect(middle.stage.entryCounts == [1])
        // Another family ends them, firewalls and the like do not.
        middle.stage.change(to: Middlebox(mss: 1300, family: .nat64), at: middle.now)
        #expect(middle.stage.entryCounts == [1])
        middle.stage.change(to: Middlebox(family: .ipv6), at: middle.now)
        middle.stage.change(to: Middlebox(family: .nat64), at: middle.now)
        #expect(middle.stage.entryCounts == [0])
    }

    @Test func `the segment size is lowered on the way`() throws {
        var middle = Self.middle(.nat64)
        middle.stage.change(to: Middlebox(mss: 1200, family: .nat64), at: .zero)
        let opening = SamplePacket.tcp(
            from: Self.app(4000), to: Self.server(443), options: [2, 4, 5, 0xa0])
        let sent = try #require(try middle.pass(opening))
        #expect(sent.number(at: 42) == 1200 && SamplePacket.isSound(sent))
    }

    @Test func `a firewall cuts a connection in the app's words`() throws {
        var middle = Self.middle(.nat64)
        let sent = try #require(
            try middle.pass(SamplePacket.tcp(from: Self.app(4000), to: Self.server(443))))
        middle.stage.change(
            to: Middlebox(
                firewall: Firewall(block: [TrafficKind(.tcp)], answer: .reset), family: .nat64),
            at: .zero)
        let packet = SamplePacket.tcp(
            from: .server(443), to: try sent.fields.source, flags: TCPFlag.ack)
        let fields = try packet.fields
        guard
            case .dropped(.blocked, let answer?) = middle.stage.verdict(
                on: fields, .down, at: .zero)
        else {
            Issue.record("it passes")
            return
        }
        let reset = try #require(answer.bytes(to: packet, fields))
        #expect(try reset.fields.source == Self.server(443))
        #expect(try reset.fields.target == Self.app(4000) && SamplePacket.isSound(reset))
    }
}
