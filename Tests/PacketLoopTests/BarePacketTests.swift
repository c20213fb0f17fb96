import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import PacketLoop

/// IP packets without an Ethernet header.
@Suite("Bare packets", .tags(.unit))
struct BarePacketTests {
    private static let frames = [
        SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 2, [])),
        SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 53, [1]), options: [1, 1, 1, 0]),
        SampleFrame.ipv6(next: 17, SampleFrame.udp(target: 9, [1, 2, 3])),
        SampleFrame.ipv6(next: 58, [135, 0, 0, 0, 0, 0, 0, 0]),
    ]

    @Test(arguments: frames)
    func `headers are found where they are, and say the same`(frame: SampleFrame) {
        var expected = frame.headers
        expected.network -= 14
        expected.transport = expected.transport.map { $0 - 14 }
        #expect(FrameHeaders(packet: frame.bytes.span.extracting(droppingFirst: 14)) == expected)
    }

    @Test(arguments: [[], [0x45], [0x10, 1, 2], [UInt8](repeating: 0x60, count: 39)])
    func `what is no packet is described without harm`(bytes: [UInt8]) {
        let headers = FrameHeaders(packet: bytes.span)
        #expect(headers.network == 0 && headers.length == bytes.count && headers.transport == nil)
    }

    @Test(arguments: frames)
    func `an Ethernet header is put in front, and offsets move with it`(frame: SampleFrame) throws {
        var store = try FrameStore(limit: ByteCount(bytes: 200_000))
        var virtual = VirtualHeader()
        (virtual.isChecksumPartial, virtual.checksumStart, virtual.headerLength) = (true, 20, 40)
        let id = try store.put(SampleFrame(bytes: Array(frame.bytes[14...])), virtual)
        store.insertEthernetHeader(to: RedirectLoop.standInAddress, into: id)
        store.withFrame(id) { found, bytes in
            #expect(found.checksumStart == 34 && found.headerLength == 54)
            let address = RedirectLoop.standInAddress
            let expected = address + address + frame.bytes[12...]
            #expect((0..<bytes.count).map { bytes[$0] } == expected)
        }
    }
}
