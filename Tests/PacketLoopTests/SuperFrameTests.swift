import LinkTesting
import LinuxKernel
import Testing

@testable import PacketLoop

@Suite("Super-packets", .tags(.unit))
struct SuperFrameTests {
    /// A super-packet as the kernel makes it: the checksum is that of the pseudo-header.
    private struct Sample {
        var virtual = VirtualHeader()
        var frame: SampleFrame
        let addresses: [UInt8]
        let transportHeader: Int
        let number: UInt8

        init(isIPv6: Bool, isTCP: Bool, payload: Int, segmentSize: Int, flags: UInt8 = 0x99) {
            let content = (0..<payload).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            transportHeader = isTCP ? 32 : 8
            number = isTCP ? 6 : 17
            addresses =
                isIPv6
                ? SampleFrame.sourceV6 + SampleFrame.targetV6
                : SampleFrame.sourceV4 + SampleFrame.targetV4
            let partial = pseudoHeaderSum(
                addresses: addresses, protocol: number, length: transportHeader + payload)
            var transport =
                isTCP
                ? SampleFrame.tcp(
                    sequence: 0xffff_fff0, flags: flags, checksum: partial, content)
                : SampleFrame.udp(target: 9, content)
            if !isTCP { (transport[6], transport[7]) = (big(partial)[0], big(partial)[1]) }
            frame =
                isIPv6
                ? .ipv6(next: number, transport)
                : .ipv4(protocol: number, transport, identification: 0xffff)
            virtual.isChecksumPartial = true
            virtual.segmentation = isTCP ? (isIPv6 ? .tcpIPv6 : .tcpIPv4) : .udp
            virtual.isCongestionReported = flags & 0x80 != 0
            virtual.segmentSize = UInt16(segmentSize)
            virtual.checksumStart = UInt16(14 + (isIPv6 ? 40 : 20))
            virtual.checksumOffset = isTCP ? 16 : 6
        }

        var superFrame: SuperFrame? { SuperFrame(virtual, frame.headers, frame.bytes.span) }

        /// A run of packets as it goes to the kernel, the two headers apart.
        func run(_ run: Range<Int>, of superFrame: SuperFrame) -> (VirtualHeader, [UInt8]) {
            var bytes = [UInt8](repeating: 0, count: VirtualHeader.count)
            var span = bytes.mutableSpan
            virtual.write(to: &span)
            bytes += frame.bytes[..<superFrame.headerLength]
            span = bytes.mutableSpan
            superFrame.makeHeaders(of: run, in: &span)
            bytes += frame.bytes[superFrame.payload(of: run)]
            return (VirtualHeader(bytes.span), Array(bytes[VirtualHeader.count...]))
        }
    }

    private static let kinds = [(false, true), (true, true), (false, false), (true, false)]

    @Test
    func `Every packet has right lengths, numbers, flags and checksums`() throws {
        for (isIPv6, isTCP) in Self.kinds {
            let sample = Sample(isIPv6: isIPv6, isTCP: isTCP, payload: 3333, segmentSize: 1000)
            let superFrame = try #require(sample.superFrame)
            #expect(superFrame.count == 4)
            var content: [UInt8] = []
            for segment in 0..<4 {
                let (virtual, packet) = sample.run(segment..<segment + 1, of: superFrame)
                #expect(virtual.segmentation == VirtualHeader.Segmentation.none)
                #expect(virtual.segmentSize == 0 && virtual.isChecksumPartial)
                #expect(packet.count == 14 + superFrame.length(of: segment))
                check(sample, packet, segment, isLast: segment == 3)
                content += packet[superFrame.headerLength...]
            }
            #expect(content == Array(sample.frame.bytes[superFrame.payload]))
        }
    }

    @Test
    func `All packets have the counter of AccECN, of which CWR is a part`() throws {
        for (isReported, flags) in [(true, 0x50), (false, 0xd0)] as [(Bool, UInt8)] {
            var sample = Sample(
                isIPv6: false, isTCP: true, payload: 3000, segmentSize: 1000, flags: 0xd0)
            sample.virtual.isCongestionReported = isReported
            let superFrame = try #require(sample.superFrame)
            let (_, packet) = sample.run(1..<2, of: superFrame)
            #expect(packet[14 + 20 + 13] == flags)
        }
    }

    private func check(_ sample: Sample, _ packet: [UInt8], _ segment: Int, isLast: Bool) {
        let isIPv6 = sample.addresses.count == 32
        let transport = 14 + (isIPv6 ? 40 : 20)
        if isIPv6 {
            #expect(Array(packet[18...19]) == big(UInt16(packet.count - 54)))
        } else {
            #expect(Array(packet[16...17]) == big(UInt16(packet.count - 14)))
            #expect(Array(packet[18...19]) == big(0xffff &+ UInt16(segment)))
            #expect(onesSum(packet[14..<34]) == 0xffff)
        }
        if sample.number == 6 {
            let sequence = packet.span.long(at: transport + 4)
            #expect(sequence == 0xffff_fff0 &+ UInt32(segment * 1000))
            let flags: UInt8 = (segment == 0 ? 0x80 : 0) | (isLast ? 0x19 : 0x10)
            #expect(packet[transport + 13] == flags)
        } else {
            #expect(
                Array(packet[transport + 4...transport + 5])
                    == big(UInt16(packet.count - transport)))
        }
        // The receiver's view: with the checksum finished, all of it sums up to ones.
        var finished = [UInt8](repeating: 0, count: VirtualHeader.count) + packet
        var span = finished.mutableSpan
        var virtual = VirtualHeader()
        virtual.isChecksumPartial = true
        virtual.checksumStart = UInt16(transport)
        virtual.checksumOffset = sample.number == 6 ? 16 : 6
        virtual.write(to: &span)
        finishChecksum(in: &span, end: span.count)
        let length = packet.count - transport
        let pseudo = pseudoHeaderSum(
            addresses: sample.addresses, protocol: sample.number, length: length)
        #expect(onesSum(big(pseudo) + finished[(VirtualHeader.count + transport)...]) == 0xffff)
        #expect(!VirtualHeader(finished.span).isChecksumPartial)
    }

    @Test
    func `A run is the super-packet that the kernel would have made of these packets`() throws {
        for (isIPv6, isTCP) in Self.kinds {
            let sample = Sample(isIPv6: isIPv6, isTCP: isTCP, payload: 5000, segmentSize: 1200)
            let superFrame = try #require(sample.superFrame)
            let (virtual, bytes) = sample.run(1..<4, of: superFrame)
            #expect(virtual.segmentSize == 1200 && virtual.segmentation != nil)
            #expect(!virtual.isCongestionReported)
            let headers = FrameHeaders(bytes.span)
            var inner = sample
            inner.frame.bytes = bytes
            inner.virtual = virtual
            let again = try #require(inner.superFrame)
            #expect(again.count == 3 && headers.length == bytes.count - 14)
            // Cut in one step or in two, each packet is the same.
            for segment in 0..<3 {
                let direct = sample.run(segment + 1..<segment + 2, of: superFrame)
                #expect(inner.run(segment..<segment + 1, of: again) == direct)
            }
        }
    }

    @Test
    func `The whole is a run, too`() throws {
        let sample = Sample(isIPv6: false, isTCP: true, payload: 4000, segmentSize: 1448)
        let superFrame = try #require(sample.superFrame)
        let (virtual, bytes) = sample.run(0..<3, of: superFrame)
        #expect(bytes == sample.frame.bytes)
        #expect(virtual.isCongestionReported && virtual.segmentSize == 1448)
    }

    @Test
    func `What makes no sense as a super-packet is a packet`() {
        let sample = Sample(isIPv6: false, isTCP: true, payload: 3000, segmentSize: 1000)
        func isSingle(_ change: (inout Sample) -> Void) -> Bool {
            var changed = sample
            change(&changed)
            return changed.superFrame == nil
        }
        #expect(!isSingle { _ in })
        #expect(isSingle { $0.virtual.segmentation = VirtualHeader.Segmentation.none })
        #expect(isSingle { $0.virtual.segmentation = nil })
        #expect(isSingle { $0.virtual.segmentation = .tcpIPv6 })
        #expect(isSingle { $0.virtual.segmentation = .udp })
        #expect(isSingle { $0.virtual.segmentSize = 0 })
        #expect(isSingle { $0.virtual.segmentSize = 3000 })
        #expect(isSingle { $0.virtual.isChecksumPartial = false })
        #expect(isSingle { $0.frame.bytes[46] = 0xf0 } == false)
        #expect(isSingle { $0.frame.bytes[46] = 0x40 })
        #expect(isSingle { $0.frame.bytes.removeLast(3000) })
        let tooMany = Sample(isIPv6: false, isTCP: false, payload: 5000, segmentSize: 1)
        #expect(tooMany.superFrame == nil)
    }
}
