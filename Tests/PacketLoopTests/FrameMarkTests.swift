import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Marks of congestion in frames", .tags(.unit)) struct FrameMarkTests {
    @Test(arguments: [UInt8(1), 2, 3]) func `the mark is set and the checksum mended`(
        _ field: UInt8
    ) {
        var frame = SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, [1, 2, 3]))
        frame.bytes[15] = 0xb8 | field
        frame.bytes.replaceSubrange(24..<26, with: [0, 0])
        frame.bytes.replaceSubrange(24..<26, with: big(~onesSum(frame.bytes[14..<34])))
        #expect(frame.headers.canBeMarked)
        let before = frame.bytes
        var span = frame.bytes.mutableSpan
        setCongestionMark(in: &span, at: 14)
        #expect(frame.bytes[15] == 0xbb)
        #expect(onesSum(frame.bytes[14..<34]) == 0xffff)
        // Nothing else has changed.
        frame.bytes[15] = before[15]
        frame.bytes.replaceSubrange(24..<26, with: before[24..<26])
        #expect(frame.bytes == before)
    }

    @Test func `IPv6 has it in the traffic class, and no checksum`() {
        var frame = SampleFrame.ipv6(next: 17, SampleFrame.udp(target: 9, [1]))
        #expect(!frame.headers.canBeMarked)
        frame.bytes[14] = 0x6b
        frame.bytes[15] = 0x85
        frame.bytes[15] |= 0x20
        #expect(frame.headers.canBeMarked)
        var expected = frame.bytes
        expected[15] |= 0x30
        var span = frame.bytes.mutableSpan
        setCongestionMark(in: &span, at: 14)
        #expect(frame.bytes == expected)
    }

    @Test func `what says nothing of it cannot be marked`() {
        #expect(
            !SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, [1])).headers.canBeMarked)
        #expect(!SampleFrame.arp().headers.canBeMarked)
    }

    @Test func `a header that is cut short is left alone`() {
        var bytes: [UInt8] = [0x45, 0x02, 0, 20]
        var span = bytes.mutableSpan
        setCongestionMark(in: &span, at: 0)
        #expect(bytes == [0x45, 0x02, 0, 20])
    }
}
