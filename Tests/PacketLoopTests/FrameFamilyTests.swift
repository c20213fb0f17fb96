import LinkTesting
import LinkUnits
import LinuxKernel
import Middleboxes
import Testing

@testable import PacketLoop

@Suite("Frames that get another family", .tags(.unit)) struct FrameFamilyTests {
    private static let content = (0..<3333).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private static let tags: [UInt8] = [0x81, 0, 0, 5]

    /// A TCP super-packet as the kernel makes it: the checksum is that of the pseudo-header.
    private static func bytes(isIPv6: Bool) -> [UInt8] {
        let addresses =
            isIPv6
            ? SampleFrame.sourceV6 + SampleFrame.targetV6
            : SampleFrame.sourceV4 + SampleFrame.targetV4
        let sum = pseudoHeaderSum(
            addresses: addresses, protocol: 6, length: 32 + content.count)
        let segment = SampleFrame.tcp(flags: 0x18, checksum: sum, content)
        let frame =
            isIPv6
            ? SampleFrame.ipv6(next: 6, segment, tags: tags)
            : SampleFrame.ipv4(protocol: 6, segment, tags: tags)
        var virtual = VirtualHeader()
        virtual.isChecksumPartial = true
        virtual.segmentation = isIPv6 ? .tcpIPv6 : .tcpIPv4
        virtual.segmentSize = 1000
        virtual.checksumStart = UInt16(18 + (isIPv6 ? 40 : 20))
        virtual.checksumOffset = 16
        virtual.headerLength = virtual.checksumStart + 32
        var bytes = [UInt8](repeating: 0, count: VirtualHeader.count)
        var span = bytes.mutableSpan
        virtual.write(to: &span)
        return bytes + frame.bytes
    }

    @Test(arguments: [true, false])
    func `a super-packet stays one, and its packets are right`(isIPv6: Bool) throws {
        let bytes = Self.bytes(isIPv6: isIPv6)
        var store = try FrameStore(limit: ByteCount(bytes: 1 << 20))
        let id = try store.mustTake(.fitting(bytes.count))
        store.setCount(bytes.count, of: id)
        store.memory.copy(bytes.span, to: store[id].range.lowerBound)
        let former = FrameHeaders(bytes.span.extracting(droppingFirst: VirtualHeader.count))
        (store[id].network, store[id].length) = (former.network, former.length)
        func end(_ bytes: [UInt8], _ port: UInt16) throws -> Endpoint {
            Endpoint(try #require(IPAddress(bytes: bytes)), port: port)
        }
        let change = HeaderChange(
            source: try end(isIPv6 ? SampleFrame.sourceV4 : SampleFrame.sourceV6, 6000),
            target: try end(isIPv6 ? SampleFrame.targetV4 : SampleFrame.targetV6, 80),
            changesFamily: true)
        let isChanged = store.write(change, to: id, network: store[id].network)
        #expect(isChanged)
        let (headers, found, virtual) = store.withFrame(id) { virtual, frame in
            let headers = FrameHeaders(frame)
            return (headers, SuperFrame(virtual, headers, frame), virtual)
        }
        let superFrame = try #require(found)
        #expect(headers.version == (isIPv6 ? 4 : 6) && headers.network == 18)
        #expect(superFrame.count == 4 && superFrame.payload.count == Self.content.count)
        #expect(Int(virtual.headerLength) == superFrame.headerLength)
        let length = store[id].length
        #expect(headers.length == length)
        store[id].superFrame = superFrame
        var content: [UInt8] = []
        for segment in 0..<4 {
            let extracted = store.bytes(of: Ticket(frame: id, segment: segment))
            let packet = try #require(extracted).packet
            let parsed = PacketFields(packet.span)
            let fields = try #require(parsed)
            let start = try #require(fields.transportOffset)
            let sum = PacketChecksum.ofTransport(
                packet[start...], 6, from: fields.source.address, to: fields.target.address)
            #expect(sum == 0 && fields.source.port == 6000)
            content += packet.dropFirst(start + 32)
        }
        #expect(content == Self.content)
        store.release(id)
        let used = store.used
        #expect(used == 0)
    }
}
