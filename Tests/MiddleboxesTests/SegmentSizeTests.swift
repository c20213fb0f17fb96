import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("MSS clamping in the middle", .tags(.unit)) struct SegmentSizeTests {
    private static let option: [UInt8] = [1, 2, 4, 5, 180, 0, 0, 0]

    @Test(arguments: [
        (TCPFlag.syn, Direction.up, UInt16(1000)), (0x12, .down, 1000), (TCPFlag.ack, .up, 1460),
    ])
    func `only what opens a connection is changed, both ways`(
        flags: UInt8, direction: Direction, size: UInt16
    ) throws {
        var stage = MiddleboxStage(Middlebox(mss: 1000))
        var packet = SamplePacket.tcp(
            from: .app(1), to: .server(2), flags: flags, options: Self.option)
        if case .changed(let change) = stage.verdict(on: try packet.fields, direction, at: .zero) {
            var bytes = packet.mutableSpan
            change.apply(to: &bytes, at: 0)
        }
        #expect(packet.number(at: 43) == size && SamplePacket.isSound(packet))
    }

    @Test func `it goes together with a NAT, and never raises the size`() throws {
        for (limit, size) in [(1000, UInt16(1000)), (9000, 1460)] {
            var stage = MiddleboxStage(
                Middlebox(nat: [AddressTranslation(kind: .symmetric)], mss: limit),
                at: TranslationTests.place)
            var packet = SamplePacket.tcp(from: .app(1), to: .server(2), options: Self.option)
            guard case .changed(let change) = stage.verdict(on: try packet.fields, .up, at: .zero)
            else {
                Issue.record("not translated")
                return
            }
            var bytes = packet.mutableSpan
            change.apply(to: &bytes, at: 0)
            #expect(packet.number(at: 43) == size && SamplePacket.isSound(packet))
            #expect(try packet.fields.source.address == TranslationTests.outside)
        }
    }
}
