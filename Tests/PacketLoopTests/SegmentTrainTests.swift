import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import PacketLoop

@Suite("Packets that join", .tags(.unit))
struct SegmentTrainTests {
    /// A TCP packet with a finished checksum.
    private struct Segment {
        var isIPv6 = false
        var sequence: UInt32 = 0xffff_fff0
        var flags: UInt8 = 0x10
        var identification: UInt16 = 0xffff
        var fragment: UInt16 = 0x4000
        var payload: [UInt8]

        /// - Parameter position: how many packets of 1,000 bytes it follows.
        init(_ position: Int, count: Int = 1000, isIPv6: Bool = false, flags: UInt8 = 0x10) {
            (self.isIPv6, self.flags) = (isIPv6, flags)
            sequence &+= UInt32(position * 1000)
            identification &+= UInt16(position)
            payload = (0..<count).map {
                UInt8(truncatingIfNeeded: $0 &* 31 &+ position &* 7)
            }
        }

        /// The frame, changed before its checksum is made.
        func frame(_ change: (inout [UInt8]) -> Void = { _ in }) -> SampleFrame {
            var transport = SampleFrame.tcp(sequence: sequence, flags: flags, payload)
            change(&transport)
            return .finished(
                transport, protocol: 6, checksumAt: 16, isIPv6: isIPv6,
                identification: identification, fragment: fragment)
        }
    }

    private static func id(_ frame: SampleFrame, _ store: inout FrameStore) throws -> FrameStore.ID
    {
        let id = try store.put(frame, VirtualHeader())
        store[id].network = frame.headers.network
        store[id].length = frame.headers.length
        return id
    }

    /// How many of these packets join the first, and the frame that they become.
    static func joined(
        _ frames: [SampleFrame], limit: ByteCount = ByteCount(bytes: 1_000_000)
    ) throws -> (count: Int, virtual: VirtualHeader, bytes: [UInt8]) {
        var store = try FrameStore(limit: limit)
        guard var train = SegmentTrain(try id(frames[0], &store), due: nil, store) else {
            return (0, VirtualHeader(), [])
        }
        for frame in frames.dropFirst() {
            let next = try id(frame, &store)
            guard train.join(next, &store) else {
                store.release(next)
                break
            }
        }
        train.finish(&store)
        let (virtual, bytes) = store.withFrame(train.frame) { ($0, [UInt8]($1)) }
        store.release(train.frame, count: train.count)
        let used = store.used
        #expect(used == 0)
        return (train.count, virtual, bytes)
    }

    /// Expects that packets of this much data join, and are the same after the super-packet is split.
    static func expectRestored(_ frames: [SampleFrame], segmentSize: Int) throws {
        let (count, virtual, bytes) = try joined(frames)
        #expect(count == frames.count)
        let made = SuperFrame(virtual, FrameHeaders(bytes.span), bytes.span)
        let superFrame = try #require(made)
        #expect(superFrame.count == frames.count && superFrame.segmentSize == segmentSize)
        #expect(split(superFrame, virtual, bytes) == frames.map(\.bytes))
    }

    /// The packets of a super-packet, with finished checksums.
    private static func split(
        _ superFrame: SuperFrame, _ virtual: VirtualHeader, _ bytes: [UInt8]
    ) -> [[UInt8]] {
        (0..<superFrame.count).map { segment in
            var packet = [UInt8](repeating: 0, count: VirtualHeader.count)
            var span = packet.mutableSpan
            virtual.write(to: &span)
            packet += bytes[..<superFrame.headerLength]
            span = packet.mutableSpan
            superFrame.makeHeaders(of: segment..<segment + 1, in: &span)
            packet += bytes[superFrame.payload(of: segment..<segment + 1)]
            span = packet.mutableSpan
            finishChecksum(in: &span, end: span.count)
            return Array(packet[VirtualHeader.count...])
        }
    }

    @Test
    func `Split again, they are the same packets`() throws {
        for isIPv6 in [false, true] {
            let frames = (0..<5).map { position in
                let isLast = position == 4
                return Segment(
                    position, count: isLast ? 123 : 1000, isIPv6: isIPv6,
                    flags: isLast ? 0x18 : 0x10
                ).frame()
            }
            try Self.expectRestored(frames, segmentSize: 1000)
        }
    }

    @Test
    func `What differs stays apart`() throws {
        let first = Segment(0).frame()
        func joins(_ second: SampleFrame) throws -> Bool {
            try Self.joined([first, second]).count == 2
        }
        #expect(try joins(Segment(1).frame()))
        #expect(try !joins(Segment(2).frame()))
        #expect(try !joins(Segment(0).frame()))
        #expect(try !joins(Segment(1, isIPv6: true).frame()))
        #expect(try !joins(Segment(1, count: 1001).frame()))
        // Flags: FIN, SYN, RST, URG, ECE, CWR.
        for flag: UInt8 in [1, 2, 4, 0x20, 0x40, 0x80] {
            #expect(try !joins(Segment(1, flags: 0x10 | flag).frame()), "\(flag)")
        }
        // Ports, acknowledgement, window, timestamps.
        for offset in [0, 2, 8, 11, 14, 20, 27, 31] {
            #expect(try !joins(Segment(1).frame { $0[offset] ^= 1 }), "\(offset)")
        }
        var other = Segment(1)
        other.identification &+= 1
        #expect(try !joins(other.frame()))
        other = Segment(1)
        other.fragment = 0
        #expect(try !joins(other.frame()))
        // Ethernet addresses, type of service, lifetime, IP addresses.
        for offset in [0, 11, 15, 22, 26, 33] {
            var changed = Segment(1).frame()
            changed.bytes[offset] ^= 2
            let sum = big(~onesSum(changed.bytes[14..<24] + changed.bytes[26..<34]))
            (changed.bytes[24], changed.bytes[25]) = (sum[0], sum[1])
            #expect(try !joins(changed), "\(offset)")
        }
    }

    @Test
    func `What is damaged stays as it is`() throws {
        let (first, second) = (Segment(0).frame(), Segment(1).frame())
        for (index, frame) in [first, second].enumerated() {
            // Checksum of IP, its number, checksum of TCP, data.
            for offset in [24, 19, 50, 800] {
                var damaged = frame
                damaged.bytes[offset] ^= 1
                let count = try Self.joined(index == 0 ? [damaged, second] : [first, damaged]).count
                #expect(count < 2, "\(index), \(offset)")
            }
            // A frame that ends too early.
            var cut = frame
            cut.bytes.removeLast(1)
            #expect(try Self.joined(index == 0 ? [cut, second] : [first, cut]).count < 2)
        }
        // Bytes after the packet are none of it.
        var padded = first
        padded.bytes += [9, 9, 9, 9]
        let whole = try Self.joined([padded, second])
        #expect(whole.count == 2 && whole.bytes.count == first.bytes.count + 1000)
    }

    @Test
    func `A push or a shorter packet is the last`() throws {
        for last in [Segment(1, flags: 0x18), Segment(1, count: 999)] {
            var after = Segment(2)
            after.sequence = last.sequence &+ UInt32(last.payload.count)
            let frames = [Segment(0).frame(), last.frame(), after.frame()]
            #expect(try Self.joined(frames).count == 2)
        }
    }

    @Test
    func `A super-packet has at most 65,535 bytes, and needs memory`() throws {
        let frames = (0..<70).map { Segment($0).frame() }
        let (count, _, bytes) = try Self.joined(frames)
        #expect(count == 65 && bytes.count <= 14 + 65_535)
        #expect(try Self.joined(frames, limit: ByteCount(bytes: 60_000)).count == 1)
    }

    @Test
    func `Other packets join nothing`() throws {
        let udp = SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, [1, 2, 3]))
        for frame in [udp, .arp(), Segment(0, count: 0).frame(), SampleFrame(bytes: [1, 2, 3])] {
            #expect(try Self.joined([frame, frame]).count == 0)
        }
    }
}
