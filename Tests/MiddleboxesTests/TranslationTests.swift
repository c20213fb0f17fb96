import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("NAT in the middle", .tags(.unit)) struct TranslationTests {
    static let outside = IPAddress(ipv4: 0xc612_0005)
    static let place = MiddleboxPlace(inside: SamplePacket.app, outside: outside)

    /// What stands in the middle, with packets as plain bytes.
    struct Middle {
        var stage: MiddleboxStage
        var now = Duration.zero

        init(_ rules: AddressTranslation...) {
            stage = MiddleboxStage(Middlebox(nat: rules), at: TranslationTests.place)
        }

        /// The packet as it leaves; nil if it does not.
        mutating func pass(
            _ packet: [UInt8], _ direction: Direction = .up
        ) throws -> [UInt8]? {
            let verdict = stage.verdict(on: try packet.fields, direction, at: now)
            drop = nil
            switch verdict {
            case .passes, .answered: return packet
            case .dropped(let drop, _):
                self.drop = drop
                return nil
            case .changed(let change), .turnedBack(let change): return change.applied(to: packet)
            case .askedAgain(let bytes), .replaced(let bytes, _): return bytes
            }
        }

        var drop: MiddleboxDrop?

        /// The port outside of a datagram.
        mutating func send(_ port: UInt16, to target: Endpoint) throws -> UInt16? {
            let sent = try pass(SamplePacket.udp(from: .app(port), to: target))
            guard let sent else { return nil }
            #expect(SamplePacket.isSound(sent))
            let fields = try sent.fields
            #expect(fields.source.address == TranslationTests.outside && fields.target == target)
            return fields.source.port
        }

        /// The app's port that a datagram reaches.
        mutating func receive(_ port: UInt16, from source: Endpoint) throws -> UInt16? {
            let packet = SamplePacket.udp(from: source, to: Endpoint(outside, port: port))
            guard let received = try pass(packet, .down) else { return nil }
            #expect(SamplePacket.isSound(received))
            let fields = try received.fields
            #expect(fields.target.address == SamplePacket.app && fields.source == source)
            return fields.target.port
        }
    }

    @Test func `a reset in the place of a packet reaches the app's own address`() throws {
        var middle = Middle(AddressTranslation(kind: .symmetric))
        let request = try #require(
            try middle.pass(SamplePacket.tcp(from: .app(500), to: .server(80))))
        var rules = Middlebox(nat: [AddressTranslation(kind: .symmetric)])
        rules.firewall = Firewall(block: [TrafficKind(.tcp)], answer: .reset)
        middle.stage.change(to: rules, at: .zero)
        let packet = SamplePacket.tcp(
            from: .server(80), to: try request.fields.source, flags: TCPFlag.ack, [1])
        let fields = try packet.fields
        let verdict = middle.stage.verdict(on: fields, .down, at: .zero)
        #expect(verdict == .dropped(.blocked, .cut(.app(500), from: .server(80))))
        let reset = try #require(
            MiddleboxAnswer.cut(.app(500), from: .server(80)).bytes(to: packet, fields))
        #expect(try reset.fields.target == .app(500) && reset.fields.source == .server(80))
        #expect(SamplePacket.isSound(reset))
    }

    private static let other = Endpoint(SamplePacket.otherServer, port: 9)

    @Test(arguments: [
        (AddressTranslation.Kind.fullCone, true, [true, true, true]),
        (.restricted, true, [true, true, false]), (.portRestricted, true, [true, false, false]),
        (.symmetric, false, [true, false, false]),
    ])
    func `each kind maps and filters in its way`(
        kind: AddressTranslation.Kind, isOnePort: Bool, reaches: [Bool]
    ) throws {
        var middle = Middle(AddressTranslation(kind: kind))
        let port = try #require(try middle.send(4000, to: .server(7)))
        #expect(
            try [.server(7), .server(8), Self.other].map {
                try middle.receive(port, from: $0) == 4000
            } == reaches)
        #expect(try (middle.send(4000, to: .server(8)) == port) == isOnePort)
        #expect(try (middle.send(4000, to: Self.other) == port) == isOnePort)
        #expect(try middle.send(4001, to: .server(7)) != port)
        // Still the same.
        #expect(try middle.send(4000, to: .server(7)) == port)
        #expect(try middle.receive(port &+ 7, from: .server(7)) == nil && middle.drop == .unmapped)
    }

    @Test func `TCP, echoes and other protocols pass both ways`() throws {
        var middle = Middle(AddressTranslation(kind: .portRestricted))
        let segment = try #require(
            try middle.pass(SamplePacket.tcp(from: .app(500), to: .server(80), [1, 2, 3])))
        let sender = try segment.fields.source
        #expect(SamplePacket.isSound(segment) && sender.address == Self.outside)
        let answer = try #require(
            try middle.pass(SamplePacket.tcp(from: .server(80), to: sender, flags: 0x12), .down))
        #expect(try SamplePacket.isSound(answer) && answer.fields.target == .app(500))

        let echo = try #require(
            try middle.pass(
                SamplePacket.echo(from: SamplePacket.app, to: SamplePacket.server, identifier: 5)))
        let identifier = try echo.fields.source.port
        let reply = try #require(
            try middle.pass(
                SamplePacket.echo(
                    from: SamplePacket.server, to: Self.outside, identifier: identifier,
                    isReply: true), .down))
        #expect(try SamplePacket.isSound(echo) && reply.fields.target == .app(5))
        #expect(SamplePacket.isSound(reply) && identifier != 5)

        let tunnel = IPPacket.packet(
            47, from: SamplePacket.app, to: SamplePacket.server, payload: [1, 2, 3, 4])
        let tunnelled = try #require(try middle.pass(tunnel))
        #expect(try tunnelled.fields.source.address == Self.outside)
        #expect(Array(tunnelled[20...]) == [1, 2, 3, 4])
        // The app's own address means nothing outside.
        let direct = SamplePacket.udp(from: .server(7), to: .app(4000))
        #expect(try middle.pass(direct, .down) == nil)
    }

    @Test func `a checksum that is missing stays missing, and a wrong one wrong`() throws {
        for place in [26, 30] {
            var middle = Middle(AddressTranslation(kind: .fullCone))
            var packet = SamplePacket.udp(from: .app(4000), to: .server(7))
            if place == 26 { packet.set(0, at: 26) } else { packet[place] ^= 1 }
            let passed = try #require(try middle.pass(packet))
            #expect(!SamplePacket.isSound(passed))
            #expect((passed.number(at: 26) == 0) == (place == 26))
        }
    }

    @Test func `an unfinished checksum stays the sum of the pseudo-header`() throws {
        let target = Endpoint(SamplePacket.server, port: 7)
        var packet = SamplePacket.tcp(from: .app(4000), to: target, [1, 2, 3, 4])
        packet.set(Self.pseudoHeader(SamplePacket.app, target.address), at: 36)
        var bytes = packet.mutableSpan
        HeaderChange(source: Endpoint(Self.outside, port: 60_000)).apply(
            to: &bytes, at: 0, isUnfinished: true)
        #expect(packet.number(at: 36) == Self.pseudoHeader(Self.outside, target.address))
        #expect(packet.number(at: 20) == 60_000)
    }

    private static func pseudoHeader(_ source: IPAddress, _ target: IPAddress) -> UInt16 {
        var sum = PacketChecksum()
        sum.addPseudoHeader(from: source, to: target, transport: IPProtocol.tcp, length: 24)
        return ~sum.value
    }

    @Test(arguments: [1, 2])
    func `errors about packets of both sides are translated`(count: Int) throws {
        var middle = Middle(AddressTranslation(kind: .symmetric))
        if count == 2 {
            middle = Middle(
                AddressTranslation(kind: .symmetric), AddressTranslation(kind: .portRestricted))
        }
        let sent = try #require(
            try middle.pass(SamplePacket.udp(from: .app(4000), to: .server(7))))
        let router = SamplePacket.otherServer
        let error = IPPacket.error(
            type: 11, code: 0, quoting: sent, from: router, to: Self.outside)
        let received = try #require(try middle.pass(error, .down))
        let fields = try received.fields
        #expect(fields.source.address == router && fields.target.address == SamplePacket.app)
        #expect(fields.quoted?.source == .app(4000) && fields.quoted?.target == .server(7))
        #expect(SamplePacket.isSound(received))
        var quotedHeader = PacketChecksum()
        quotedHeader.add(received[28..<48])
        #expect(quotedHeader.value == 0)

        let port = try sent.fields.source
        let arrived = try #require(
            try middle.pass(SamplePacket.udp(from: .server(7), to: port), .down))
        let refusal = IPPacket.error(
            type: 3, code: 3, quoting: arrived, from: SamplePacket.app, to: SamplePacket.server)
        let left = try #require(try middle.pass(refusal))
        #expect(try left.fields.source.address == Self.outside)
        #expect(try left.fields.quoted?.target == port)
        #expect(SamplePacket.isSound(left))
        // Errors about what nobody sent do not pass.
        let stray = IPPacket.error(
            type: 3, code: 3,
            quoting: SamplePacket.udp(from: Endpoint(Self.outside, port: 9), to: .server(7)),
            from: router, to: Self.outside)
        #expect(try middle.pass(stray, .down) == nil && middle.drop == .unmapped)
    }

    @Test func `what the link says of its MTU is told to the network in its own words`() throws {
        var middle = Middle(AddressTranslation(kind: .symmetric))
        let port = try #require(try middle.send(4000, to: .server(7)))
        let error = IPPacket.error(
            type: 3, code: 4, parameter: 1400,
            quoting: SamplePacket.udp(from: .server(7), to: .app(4000)), from: SamplePacket.app,
            to: SamplePacket.server)
        let change = try #require(middle.stage.change(ofError: try error.fields, at: .zero))
        let left = try #require(change.applied(to: error))
        #expect(try left.fields.source.address == Self.outside)
        #expect(try left.fields.quoted?.target == Endpoint(Self.outside, port: port))
        #expect(SamplePacket.isSound(left))
    }

    @Test func `fragments follow the first one`() throws {
        var middle = Middle(AddressTranslation(kind: .portRestricted))
        let packet = SamplePacket.udp(
            from: .app(4000), to: .server(7), [UInt8](repeating: 3, count: 3000))
        let parts = IPPacket.fragments(of: packet, mtu: 1500, identification: 77)
        #expect(parts.count == 3)
        let sent = try parts.map { try #require(try middle.pass($0)) }
        #expect(
            try sent.map { try $0.fields.source.address }
                == Array(repeating: Self.outside, count: 3))
        for (part, sent) in zip(parts.dropFirst(), sent.dropFirst()) {
            #expect(Array(part[20...]) == Array(sent[20...]))
        }
        let lost = IPPacket.fragments(of: packet, mtu: 1500, identification: 78)[1]
        #expect(try middle.pass(lost) == nil)
    }

    @Test func `entries end by silence, TCP's soon after the connection`() throws {
        var middle = Middle(
            AddressTranslation(
                kind: .portRestricted, udpTimeout: .seconds(30), tcpTimeout: .seconds(300)))
        let port = try #require(try middle.send(4000, to: .server(7)))
        for (seconds, reaches) in [(29, true), (58, true), (89, false)] {
            middle.now = .seconds(seconds)
            #expect(try (middle.receive(port, from: .server(7)) != nil) == reaches)
        }
        let segment = { SamplePacket.tcp(from: .app(1), to: .server(80), flags: $0) }
        let answer = { (port, flags) in
            SamplePacket.tcp(
                from: .server(80), to: Endpoint(Self.outside, port: port), flags: flags)
        }
        let first = try #require(try middle.pass(segment(TCPFlag.syn))).fields.source.port
        middle.now += .seconds(200)
        #expect(try middle.pass(answer(first, TCPFlag.fin | TCPFlag.ack), .down) != nil)
        middle.now += .seconds(200)
        // One end is done, the other may take its time.
        #expect(try middle.pass(segment(TCPFlag.fin | TCPFlag.ack)) != nil)
        middle.now += .seconds(9)
        #expect(try middle.pass(answer(first, TCPFlag.ack), .down) != nil)
        middle.now += .seconds(11)
        #expect(try middle.pass(answer(first, TCPFlag.ack), .down) == nil)
        #expect(middle.stage.entryCounts == [0])
    }

    @Test func `rebinding gives new ports, and the old ones lead nowhere`() throws {
        var middle = Middle(AddressTranslation(kind: .fullCone, rebind: .seconds(5)))
        let first = try #require(try middle.send(4000, to: .server(7)))
        middle.now = .seconds(4)
        #expect(try middle.send(4000, to: .server(7)) == first)
        middle.now = .seconds(6)
        #expect(try middle.receive(first, from: .server(7)) == nil)
        let second = try #require(try middle.send(4000, to: .server(7)))
        #expect(second != first && middle.stage.rebindings == 1)
        // At the same times, however long nothing happens.
        middle.now = .seconds(24)
        let third = try #require(try middle.send(4000, to: .server(7)))
        middle.now = .milliseconds(25_100)
        let fourth = try #require(try middle.send(4000, to: .server(7)))
        #expect(Set([first, second, third, fourth]).count == 4 && middle.stage.rebindings == 3)
        let events = middle.stage.takeRebindings(at: .seconds(26))
        #expect(events.map(\.time) == [.seconds(5), .seconds(10), .seconds(25)])
        #expect(events.allSatisfy { $0.place == 0 && $0.entries == 1 })
        #expect(middle.stage.takeRebindings(at: .seconds(27)).isEmpty)
        // Nobody needs to send anything for the next one, which is known when the NAT has gone too.
        #expect(middle.stage.takeRebindings(at: .seconds(31)).map(\.time) == [.seconds(30)])
        middle.now = .seconds(32)
        _ = try middle.send(4000, to: .server(7))
        middle.stage.change(to: nil, at: .seconds(36))
        #expect(middle.stage.takeRebindings(at: .seconds(40)).map(\.time) == [.seconds(35)])
    }

    @Test func `rebindings that nobody asks for are kept up to a limit`() throws {
        var middle = Middle(AddressTranslation(kind: .fullCone, rebind: .seconds(1)))
        for second in 1...1100 {
            middle.now = .seconds(second)
            _ = try middle.send(4000, to: .server(7))
        }
        #expect(middle.stage.takeRebindings(at: middle.now).count == 1000)
        #expect(middle.stage.rebindings == 1099)
    }

    @Test func `two in a row are as strict as both`() throws {
        var middle = Middle(
            AddressTranslation(kind: .fullCone), AddressTranslation(kind: .symmetric))
        let first = try #require(try middle.send(4000, to: .server(7)))
        #expect(try middle.send(4000, to: .server(8)) != first)
        #expect(try middle.receive(first, from: .server(7)) == 4000)
        #expect(try middle.receive(first, from: .server(8)) == nil)
        #expect(middle.stage.entryCounts == [2, 2])
    }

    @Test func `an app reaches itself from outside only by a hairpin`() throws {
        for hasHairpin in [true, false] {
            var middle = Middle(AddressTranslation(kind: .fullCone, hairpin: hasHairpin))
            let port = try #require(try middle.send(4000, to: .server(7)))
            let packet = SamplePacket.udp(
                from: .app(5000), to: Endpoint(Self.outside, port: port))
            let verdict = middle.stage.verdict(on: try packet.fields, .up, at: .zero)
            guard hasHairpin else {
                #expect(verdict == .dropped(.unmapped, nil))
                continue
            }
            guard case .turnedBack(let change) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(change.target == .app(4000) && change.source?.address == Self.outside)
        }
    }

    @Test func `a full table keeps its 10,000 entries and takes no other`() throws {
        var middle = Middle(AddressTranslation(kind: .symmetric, udpTimeout: .seconds(30)))
        func target(_ index: Int) -> Endpoint {
            Endpoint(IPAddress(ipv4: 0x0800_0000 + UInt32(index)), port: 53)
        }
        var ports: [UInt16] = []
        for index in 0..<10_000 {
            ports.append(try #require(try middle.send(4000, to: target(index))))
        }
        #expect(Set(ports).count == 10_000 && middle.stage.entryCounts == [10_000])
        #expect(try middle.send(4000, to: target(10_000)) == nil && middle.drop == .tableFull)
        for index in [0, 5000, 9999] {
            #expect(try middle.receive(ports[index], from: target(index)) == 4000)
        }
        middle.now = .seconds(31)
        #expect(try middle.send(4000, to: target(10_000)) != nil)
        #expect(middle.stage.entryCounts == [1])
    }

    @Test func `what keeps its meaning stays when the rules change`() throws {
        var middle = Middle(AddressTranslation(kind: .portRestricted))
        let port = try #require(try middle.send(4000, to: .server(7)))
        #expect(try middle.receive(port, from: Self.other) == nil)
        middle.stage.change(to: Middlebox(nat: [AddressTranslation(kind: .fullCone)]), at: .zero)
        #expect(try middle.receive(port, from: Self.other) == 4000)
        middle.stage.change(to: nil, at: .zero)
        #expect(middle.stage.isIdle)
    }

    @Test func `IPv6 and groups pass unchanged`() throws {
        var middle = Middle(AddressTranslation(kind: .symmetric))
        let address = IPAddress(ipv6High: 0x2001_0db8 << 32, low: 1)
        let packet = SamplePacket.udp(
            from: Endpoint(address, port: 1), to: Endpoint(address, port: 2))
        #expect(try middle.pass(packet) == packet)
        let group = SamplePacket.udp(
            from: .app(5353), to: Endpoint(IPAddress(ipv4: 0xe000_00fb), port: 5353))
        #expect(try middle.pass(group) == group)
    }
}
