import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("Hostile packets that get another family", .tags(.unit)) struct HostileFamilyTests {
    private static let six = Endpoint(FamilyTests.app, port: 4000)
    private static let translated = Endpoint(FamilyTests.server, port: 443)

    private static var samples: [[UInt8]] {
        get throws {
            let payload = [UInt8](repeating: 3, count: 100)
            let datagrams = [
                SamplePacket.udp(from: six, to: translated, payload),
                SamplePacket.udp(from: .app(7), to: .server(9), payload),
            ]
            let errors = [
                IPPacket.error(
                    type: 2, code: 0, parameter: 1300, quoting: datagrams[0],
                    from: translated.address, to: six.address),
                IPPacket.error(
                    type: 3, code: 4, parameter: 1300, quoting: datagrams[1],
                    from: SamplePacket.server, to: SamplePacket.app),
            ]
            return datagrams + errors + [
                SamplePacket.tcp(from: six, to: translated, options: [2, 4, 5, 0xa0], payload),
                SamplePacket.echo(
                    from: SamplePacket.app, to: SamplePacket.server, identifier: 5),
            ]
                + IPPacket.fragments(of: datagrams[0], mtu: 100, identification: 7)
                + IPPacket.fragments(of: datagrams[1], mtu: 100, identification: 7)
        }
    }

    @Test func `whatever is broken, the result is a packet of the other family, or nothing`() throws
    {
        var generator = SeededGenerator(seed: 64)
        func pick(below limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }
        for sample in try Self.samples {
            for _ in 0..<1000 {
                var packet = sample
                for _ in 0..<pick(below: 5) {
                    packet[pick(below: min(60, packet.count))] = UInt8(pick(below: 256))
                }
                packet = Array(packet.prefix(pick(below: packet.count + 1)))
                let isIPv6 = (packet.first ?? 0) >> 4 == 6
                let ends: (Endpoint, Endpoint) =
                    isIPv6 ? (.app(7), .server(9)) : (Self.six, Self.translated)
                let change = HeaderChange(
                    source: ends.0, target: ends.1, quotedSource: ends.1, quotedTarget: ends.0,
                    changesFamily: true)
                if let changed = change.applied(to: packet) {
                    #expect(
                        changed[0] >> 4 == (isIPv6 ? 4 : 6) && changed.count <= packet.count + 48)
                }
                var bytes = packet.mutableSpan
                _ = change.newHeader(in: &bytes, at: 0, isUnfinished: true, isSuper: true)
                guard let fields = PacketFields(packet.span) else { continue }
                var stage = MiddleboxStage(
                    Middlebox(family: .nat64), at: TranslationTests.place)
                _ = stage.verdict(on: fields, isIPv6 ? .up : .down, at: .zero)
            }
        }
    }
}
