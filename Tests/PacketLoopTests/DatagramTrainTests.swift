import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Datagrams that join", .tags(.unit))
struct DatagramTrainTests {
    /// A UDP datagram with a finished checksum.
    private struct Datagram {
        var isIPv6 = false
        var identification: UInt16 = 0
        var fragment: UInt16 = 0x4000
        var payload: [UInt8]

        init(_ position: Int, count: Int = 500, isIPv6: Bool = false) {
            self.isIPv6 = isIPv6
            payload = (0..<count).map {
                UInt8(truncatingIfNeeded: $0 &* 31 &+ position &* 7)
            }
        }

        /// The frame, changed before its checksum is made.
        func frame(_ change: (inout [UInt8]) -> Void = { _ in }) -> SampleFrame {
            var transport = SampleFrame.udp(target: 443, payload)
            change(&transport)
            return .finished(
                transport, protocol: 17, checksumAt: 6, isIPv6: isIPv6,
                identification: identification, fragment: fragment)
        }
    }

    private static func joins(_ frames: SampleFrame...) throws -> Bool {
        try SegmentTrainTests.joined(frames).count == frames.count
    }

    @Test
    func `Split again, they are the same datagrams`() throws {
        for isIPv6 in [false, true] {
            let frames = (0..<5).map { position in
                var datagram = Datagram(position, count: position == 4 ? 1 : 500, isIPv6: isIPv6)
                datagram.identification = UInt16(position)
                return datagram.frame()
            }
            try SegmentTrainTests.expectRestored(frames, segmentSize: 500)
        }
    }

    @Test
    func `What differs stays apart`() throws {
        let first = Datagram(0).frame()
        #expect(try Self.joins(first, Datagram(1).frame()))
        #expect(try !Self.joins(first, Datagram(1, isIPv6: true).frame()))
        #expect(try !Self.joins(first, Datagram(1, count: 501).frame()))
        #expect(try !Self.joins(first, Datagram(1, count: 0).frame()))
        // A shorter one is the last.
        #expect(try Self.joins(first, Datagram(1, count: 499).frame()))
        #expect(
            try !Self.joins(first, Datagram(1, count: 499).frame(), Datagram(2, count: 499).frame())
        )
        // Ports, and a length that is not that of the packet.
        for offset in [0, 1, 2, 3, 5] {
            #expect(try !Self.joins(first, Datagram(1).frame { $0[offset] ^= 1 }), "\(offset)")
        }
        // Lifetime, type of service, addresses.
        for offset in [15, 22, 29, 33] {
            var changed = Datagram(1).frame()
            changed.bytes[offset] ^= 2
            let sum = big(~onesSum(changed.bytes[14..<24] + changed.bytes[26..<34]))
            (changed.bytes[24], changed.bytes[25]) = (sum[0], sum[1])
            #expect(try !Self.joins(first, changed), "\(offset)")
        }
    }

    @Test
    func `Numbers mean something only where a datagram may be cut`() throws {
        func joins(fragment: UInt16, numbers: (UInt16, UInt16)) throws -> Bool {
            var (first, second) = (Datagram(0), Datagram(1))
            (first.fragment, second.fragment) = (fragment, fragment)
            (first.identification, second.identification) = numbers
            return try Self.joins(first.frame(), second.frame())
        }
        #expect(try joins(fragment: 0x4000, numbers: (0, 0)))
        #expect(try joins(fragment: 0x4000, numbers: (7, 3)))
        #expect(try joins(fragment: 0, numbers: (0xffff, 0)))
        #expect(try !joins(fragment: 0, numbers: (0, 0)))
        // More fragments, a fragment, and a bit without meaning.
        for fragment: UInt16 in [0x2000, 0x6000, 1, 0x4001, 0x8000] {
            #expect(try !joins(fragment: fragment, numbers: (0, 1)), "\(fragment)")
        }
    }

    @Test
    func `What is damaged, or nobody could check, stays as it is`() throws {
        let (first, second) = (Datagram(0).frame(), Datagram(1).frame())
        // Checksum of IP, that of UDP, data.
        for offset in [24, 40, 300] {
            var damaged = second
            damaged.bytes[offset] ^= 1
            #expect(try !Self.joins(first, damaged), "\(offset)")
            #expect(try !Self.joins(damaged, second), "\(offset)")
        }
        var unchecked = second
        (unchecked.bytes[40], unchecked.bytes[41]) = (0, 0)
        #expect(try !Self.joins(first, unchecked))
        #expect(try !Self.joins(unchecked, unchecked))
    }

    @Test
    func `The kernel takes 64 at a time`() throws {
        let frames = (0..<70).map { Datagram($0, count: 20).frame() }
        #expect(try SegmentTrainTests.joined(frames).count == 64)
    }
}
