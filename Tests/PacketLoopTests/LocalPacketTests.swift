import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import PacketLoop

/// Packets that are made ready for a raw socket.
@Suite("Local packets", .tags(.unit))
struct LocalPacketTests {
    private static let limit = ByteCount(bytes: 200_000)
    private static let content = (0..<101).map { UInt8($0) }

    /// The sum over the pseudo-header and all that is behind the IP header, which a finished
    /// checksum makes 0xffff.
    private static func sum(_ frame: [UInt8], protocol number: UInt8) -> UInt16 {
        let isIPv6 = frame[14] >> 4 == 6
        let addresses = Array(isIPv6 ? frame[22..<54] : frame[26..<34])
        let transport = Array(frame[(isIPv6 ? 54 : 34)...])
        return onesSum(
            big(pseudoHeaderSum(addresses: addresses, protocol: number, length: transport.count))
                + transport)
    }

    private static func tcp(flags: UInt8, options: [UInt8], sum: UInt16) -> [UInt8] {
        [0x13, 0x88, 0, 80, 0, 0, 0, 1, 0, 0, 0, 0, UInt8(5 + options.count / 4) << 4, flags]
            + [2, 0] + big(sum) + [0, 0] + options
    }

    /// A TCP packet with options and its checksum.
    private static func packet(flags: UInt8, options: [UInt8]) -> SampleFrame {
        let unfinished = SampleFrame.ipv4(
            protocol: 6, tcp(flags: flags, options: options, sum: 0))
        return SampleFrame.ipv4(
            protocol: 6,
            tcp(flags: flags, options: options, sum: ~sum(unfinished.bytes, protocol: 6)))
    }

    private static func limited(_ frame: SampleFrame) throws -> [UInt8] {
        var store = try FrameStore(limit: limit)
        let id = try store.put(frame, VirtualHeader())
        store.limitSegmentSize(id, frame.headers)
        return store.withFrame(id) { _, bytes in (0..<bytes.count).map { bytes[$0] } }
    }

    @Test(arguments: [0, 1])
    func `an unfinished checksum is finished, though a part of the packet be elsewhere`(
        part: Int
    ) throws {
        var datagram = SampleFrame.udp(target: 9, Self.content)
        let addresses = SampleFrame.sourceV6 + SampleFrame.targetV6
        let pseudo = big(pseudoHeaderSum(addresses: addresses, protocol: 17, length: 109))
        (datagram[6], datagram[7]) = (pseudo[0], pseudo[1])
        let frame = SampleFrame.ipv6(next: 17, datagram)
        var virtual = VirtualHeader()
        (virtual.isChecksumPartial, virtual.segmentation) = (true, .tcpIPv6)
        (virtual.checksumStart, virtual.checksumOffset) = (54, 6)
        var store = try FrameStore(limit: Self.limit)
        let id = try store.put(frame, virtual)
        let range = store[id].range
        let headerEnd = part == 0 ? range.upperBound : range.lowerBound + 10 + 62
        for _ in 0..<2 {
            // The second time there is nothing left to do.
            store.finishPacket(
                head: range.lowerBound..<headerEnd, rest: headerEnd..<range.upperBound)
            store.withFrame(id) { found, bytes in
                let frame = (0..<bytes.count).map { bytes[$0] }
                #expect(Self.sum(frame, protocol: 17) == 0xffff)
                #expect(
                    !found.isChecksumPartial
                        && found.segmentation == VirtualHeader.Segmentation.none)
            }
        }
    }

    @Test(arguments: [
        Options([2, 4, 0xff, 0xcb]), Options([1, 1, 1, 1, 2, 4, 0xff, 0xcb]),
        // At an odd place, which the checksum has to mind.
        Options([3, 3, 7, 2, 4, 0xff, 0xcb, 0]), Options([1, 2, 4, 0xff, 0xcb, 1, 1, 1]),
    ])
    func `a connection that begins is told to make segments of Ethernet's size`(
        options: Options
    ) throws {
        let changed = try Self.limited(Self.packet(flags: 0x12, options: options.bytes))
        let lowered: [UInt8: UInt8] = [0xff: 0x05, 0xcb: 0xb4]
        #expect(changed.suffix(options.bytes.count) == options.bytes.map { lowered[$0] ?? $0 }[...])
        #expect(Self.sum(changed, protocol: 6) == 0xffff)
    }

    @Test(arguments: [
        // No connection begins, it is small enough, it is behind the end of the options, or it
        // makes no sense.
        Options(flags: 0x10, [2, 4, 0xff, 0xcb]), Options([2, 4, 5, 0xb4]), Options([2, 4, 2, 0]),
        Options([0, 2, 4, 0xff, 0xcb, 0, 0, 0]), Options([2, 0, 0xff, 0xcb]),
        Options([3, 40, 2, 4]), Options([1, 1, 1, 2]), Options([]),
    ])
    func `anything else stays as it is`(options: Options) throws {
        let frame = Self.packet(flags: options.flags, options: options.bytes)
        #expect(try Self.limited(frame) == frame.bytes)
    }

    struct Options: Sendable {
        let flags: UInt8
        let bytes: [UInt8]

        init(flags: UInt8 = 2, _ bytes: [UInt8]) {
            self.flags = flags
            self.bytes = bytes
        }
    }

    @Test func `bits of the IP header are known from others`() throws {
        var store = try FrameStore(limit: Self.limit)
        for (frame, header) in [
            (SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, Self.content)), 160),
            (SampleFrame.ipv6(next: 17, SampleFrame.udp(target: 9, Self.content)), 320),
        ] {
            let id = try store.put(frame, VirtualHeader())
            (store[id].network, store[id].length) = (14, frame.bytes.count - 14)
            let ticket = Ticket(frame: id)
            let inside = store.isInHeader(UInt64(header - 1), ticket)
            let behind = store.isInHeader(UInt64(header), ticket)
            let wrapped = store.isInHeader(UInt64(store[id].length * 8), ticket)
            #expect(inside && !behind && wrapped)
        }
    }
}
