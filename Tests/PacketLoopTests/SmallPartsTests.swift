import LinkTesting
import LinuxKernel
import LinkUnits
import Testing

@testable import PacketLoop

@Suite("Small parts of the loop", .tags(.unit))
struct SmallPartsTests {
    @Test
    func `A checksum is that of the example in RFC 1071, whatever the parts`() {
        let bytes: [UInt8] = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]
        var sum = InternetChecksum()
        sum.add(bytes.span, in: 0..<8)
        #expect(sum.folded == 0xddf2 && sum.complement == 0x220d)
        var parts = InternetChecksum()
        parts.add(bytes.span, in: 0..<4)
        parts.add(0xf4f5)
        parts.add(bytes.span, in: 6..<8)
        #expect(parts.folded == 0xddf2)
        var odd = InternetChecksum()
        odd.add(bytes.span, in: 0..<3)
        #expect(odd.folded == onesSum([0x00, 0x01, 0xf2, 0x00]))
    }

    @Test
    func `A checksum is the same wherever the bytes begin and end`() {
        let varied = (0..<90).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ $0 >> 3) }
        for bytes in [
            varied, [UInt8](repeating: 0xff, count: 90), [UInt8](repeating: 0, count: 90),
        ] {
            for start in 0..<9 {
                for end in start...90 {
                    var sum = InternetChecksum()
                    sum.add(bytes.span, in: start..<end)
                    #expect(sum.folded == onesSum(bytes[start..<end]), "\(start)..<\(end)")
                }
            }
        }
    }

    @Test
    func `The newest packets' times on the link are told, and forgotten`() {
        var times = RecentTimes()
        #expect(times.quantiles(.percent(50)) == nil)
        for packet in 1...1100 { times.add(.milliseconds(packet), at: .milliseconds(packet)) }
        times.now = .milliseconds(1100)
        // The first 76 have made way.
        let all = times.quantiles(.percent(50), .percent(99))
        #expect(all == [.milliseconds(588), .milliseconds(1090)])
        times.now = .milliseconds(3050)
        let last = times.quantiles(.percent(50), .percent(99))
        #expect(last == [.milliseconds(1075), .milliseconds(1100)])
        times.now = .seconds(4)
        #expect(times.quantiles(.percent(50)) == nil)
    }

    @Test
    func `A virtual header is read as it was written, in the machine's order`() {
        var header = VirtualHeader()
        header.isChecksumPartial = true
        header.isCongestionReported = true
        header.segmentation = .tcpIPv6
        header.headerLength = 0x0102
        header.segmentSize = 0x0304
        (header.checksumStart, header.checksumOffset) = (0x0506, 0x0708)
        var bytes = [UInt8](repeating: 0, count: 10)
        var span = bytes.mutableSpan
        header.write(to: &span)
        let little: [UInt8] = [1, 0x84, 2, 1, 4, 3, 6, 5, 8, 7]
        let isLittleEndian = UInt16(1).littleEndian == 1
        #expect(!isLittleEndian || bytes == little)
        #expect(VirtualHeader(bytes.span) == header)
        bytes[1] = 0x77
        #expect(VirtualHeader(bytes.span).segmentation == nil)
    }

    @Test
    func `A ticket is what its slot says`() {
        for frame: FrameStore.ID in [0, 1, 155_344, 1_048_575] {
            for segment in [nil, 0, 1, SuperFrame.maximumCount - 1] {
                let ticket = Ticket(frame: frame, segment: segment)
                #expect(Ticket(slot: ticket.slot) == ticket)
            }
        }
    }

    @Test
    func `Quantiles are right to an eighth`() throws {
        var random = SeededGenerator(seed: 3)
        var histogram = LatenessHistogram()
        #expect(histogram.quantile(.percent(50)) == nil)
        var values: [UInt64] = []
        for _ in 0..<5000 {
            let value = random.nextOfAnySize() >> 20
            values.append(value)
            histogram.record(.nanoseconds(Int64(value)))
        }
        values.sort()
        for percent: UInt32 in [1, 25, 50, 90, 99, 100] {
            let found = try #require(histogram.quantile(.percent(percent))).wholeNanoseconds
            let exact = values[max(1, Int(percent) * 50) - 1]
            #expect(found >= exact && found <= exact + exact / 8 + 1)
        }
        #expect(histogram.maximum == .nanoseconds(Int64(values[4999])))
        #expect(histogram.count == 5000)
    }

    @Test
    func `What is early counts as punctual`() {
        var histogram = LatenessHistogram()
        histogram.record(.nanoseconds(-5), packets: 3)
        #expect(histogram.quantile(.one) == .zero && histogram.count == 3)
    }
}
