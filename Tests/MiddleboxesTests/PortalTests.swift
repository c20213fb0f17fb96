import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("Captive portal in the middle", .tags(.unit)) struct PortalTests {
    private static let portal = IPAddress(ipv4: 0xc612_0009)
    private static let portal6 = IPAddress(ipv6High: 0xfd00 << 48, low: 9)
    private static let outside = IPAddress(ipv4: 0xc612_0005)

    private static func stage(
        until: Duration? = nil, nat: [AddressTranslation] = [], hasNameServer: Bool = true
    ) -> MiddleboxStage {
        MiddleboxStage(
            Middlebox(nat: nat, captivePortal: CaptivePortal(until: until)),
            at: MiddleboxPlace(
                inside: SamplePacket.app, outside: outside, portal: [portal, portal6],
                hasNameServer: hasNameServer))
    }

    private static func isCaptive(_ stage: MiddleboxStage, at now: Duration) -> Bool {
        var stage = stage
        return stage.isCaptive(at: now)
    }

    /// The packet as it goes on; nil if it does not.
    private static func pass(
        _ packet: [UInt8], _ stage: inout MiddleboxStage, _ direction: Direction = .up,
        at now: Duration = .zero
    ) throws -> [UInt8]? {
        switch stage.verdict(on: try packet.fields, direction, at: now) {
        case .passes: return packet
        case .changed(let change):
            var packet = packet
            var bytes = packet.mutableSpan
            change.apply(to: &bytes, at: 0)
            #expect(SamplePacket.isSound(packet))
            return packet
        default: return nil
        }
    }

    @Test(arguments: [[], [AddressTranslation(kind: .symmetric)]])
    func `a request to any host meets the portal, and its answer comes from that host`(
        nat: [AddressTranslation]
    ) throws {
        var stage = Self.stage(nat: nat)
        for server in [SamplePacket.server, SamplePacket.otherServer] {
            let request = SamplePacket.tcp(from: .app(4000), to: Endpoint(server, port: 80))
            let sent = try #require(try Self.pass(request, &stage)).fields
            #expect(sent.target == Endpoint(Self.portal, port: MiddleboxPlace.portalPort))
            #expect(sent.source.address == (nat.isEmpty ? SamplePacket.app : Self.outside))
            let answer = SamplePacket.tcp(
                from: sent.target, to: sent.source, flags: TCPFlag.opening)
            let received = try #require(try Self.pass(answer, &stage, .down)).fields
            #expect(received.source == Endpoint(server, port: 80))
            #expect(received.target == .app(4000))
        }
    }

    @Test func `a request by IPv6 does too`() throws {
        var stage = Self.stage()
        let app = Endpoint(IPAddress(ipv6High: 0xfd00 << 48, low: 2), port: 4000)
        let server = Endpoint(IPAddress(ipv6High: 0x2001_0db8 << 32, low: 7), port: 80)
        let request = SamplePacket.tcp(from: app, to: server, [1, 2, 3])
        let sent = try #require(try Self.pass(request, &stage)).fields
        #expect(sent.target == Endpoint(Self.portal6, port: MiddleboxPlace.portalPort))
        #expect(sent.source == app)
        let answer = SamplePacket.tcp(from: sent.target, to: app, flags: TCPFlag.ack)
        let received = try #require(try Self.pass(answer, &stage, .down)).fields
        #expect(received.source == server && received.target == app)
    }

    @Test func `nothing else passes until a click`() throws {
        var stage = Self.stage()
        let secure = SamplePacket.tcp(from: .app(4000), to: .server(443))
        #expect(
            stage.verdict(on: try secure.fields, .up, at: .zero) == .dropped(.captive, .reset))
        let quic = SamplePacket.udp(from: .app(4000), to: .server(443))
        #expect(
            stage.verdict(on: try quic.fields, .up, at: .zero) == .dropped(.captive, .prohibited))
        let late = SamplePacket.tcp(from: .server(443), to: .app(4001), flags: TCPFlag.ack)
        #expect(
            stage.verdict(on: try late.fields, .down, at: .zero)
                == .dropped(.captive, .cut(.app(4001), from: .server(443))))
        let dhcp = SamplePacket.udp(from: .app(68), to: .server(67))
        #expect(try Self.pass(dhcp, &stage) == dhcp)
        #expect(Self.isCaptive(stage, at: .seconds(1)))
        stage.clickPortal(at: .seconds(2))
        stage.clickPortal(at: .seconds(3))
        for packet in [secure, quic] { #expect(try Self.pass(packet, &stage) == packet) }
        #expect(!Self.isCaptive(stage, at: .seconds(3)))
        let events = stage.takePortalEvents(at: .seconds(4))
        #expect(
            events.map(\.kind) == [.met, .clicked] && events.map(\.time) == [.zero, .seconds(2)])
    }

    @Test func `a connection to the portal goes on when it has opened, a new one passes`() throws {
        var stage = Self.stage()
        let request = SamplePacket.tcp(from: .app(4000), to: .server(80))
        let redirected = try Self.pass(request, &stage)
        stage.clickPortal(at: .seconds(1))
        let data = SamplePacket.tcp(from: .app(4000), to: .server(80), flags: TCPFlag.ack, [1])
        #expect(try Self.pass(data, &stage)?.fields.target.address == Self.portal)
        stage.change(to: nil, at: .seconds(2))
        #expect(try Self.pass(data, &stage)?.fields.target.address == Self.portal)
        #expect(try Self.pass(request, &stage) == request && redirected != request)
        #expect(try Self.pass(data, &stage) == data)
        // Again in its place, it is closed.
        stage.change(to: Middlebox(captivePortal: CaptivePortal()), at: .seconds(3))
        #expect(Self.isCaptive(stage, at: .seconds(3)))
    }

    @Test func `its time begins when the app meets it`() throws {
        var stage = Self.stage(until: .seconds(20))
        #expect(Self.isCaptive(stage, at: .seconds(100)))
        let packet = SamplePacket.udp(from: .app(4000), to: .server(443))
        #expect(try Self.pass(packet, &stage, at: .seconds(101)) == nil)
        #expect(Self.isCaptive(stage, at: .seconds(120)))
        #expect(try Self.pass(packet, &stage, at: .seconds(121)) == packet)
        let events = stage.takePortalEvents(at: .seconds(122))
        #expect(events.map(\.kind) == [.met, .timedOut])
    }

    @Test func `it answers for names only where nobody else does`() throws {
        let question = try #require(
            DNSMessage.question(identifier: 7, name: "a.example", .aaaa))
        let packet = SamplePacket.udp(from: .app(4000), to: .server(53), question)
        var stage = Self.stage()
        #expect(try Self.pass(packet, &stage) == packet)
        stage = Self.stage(hasNameServer: false)
        guard
            case .answered(let answer) = stage.verdict(on: try packet.fields, .up, at: .zero),
            let bytes = answer.bytes(to: packet, try packet.fields)
        else {
            Issue.record("not answered")
            return
        }
        #expect(DNSMessage(Array(bytes[28...]))?.addresses == [Self.portal6])
    }
}
