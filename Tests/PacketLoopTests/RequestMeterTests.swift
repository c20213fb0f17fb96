import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Counting requests", .tags(.unit))
struct RequestMeterTests {
    /// A segment of one connection.
    private static func segment(
        flags: UInt8 = 0x18, acknowledges: UInt32, _ payload: [UInt8] = [1]
    ) -> FrameHeaders {
        var segment = SampleFrame.tcp(flags: flags, payload)
        let (high, low) = (acknowledges >> 16, acknowledges & 0xffff)
        segment.replaceSubrange(8..<12, with: big(UInt16(high)) + big(UInt16(low)))
        return SampleFrame.ipv4(protocol: 6, segment).headers
    }

    private static func datagram(from port: UInt16) -> FrameHeaders {
        SampleFrame.ipv4(protocol: 17, SampleFrame.udp(source: port, target: 53, [1])).headers
    }

    private static func requests(_ packets: [FrameHeaders]) -> [Bool] {
        var meter = RequestMeter()
        return packets.map { meter.take($0) }
    }

    @Test func `data sent first, or after an answer, is a request`() {
        let opening = Self.segment(flags: 0x02, acknowledges: 0, [])
        let found = Self.requests([
            opening,
            Self.segment(acknowledges: 9),
            // More of the same, such as an upload, and a retransmission.
            Self.segment(acknowledges: 9), Self.segment(acknowledges: 9),
            // The answer is acknowledged.
            Self.segment(flags: 0x10, acknowledges: 900, []),
            Self.segment(acknowledges: 900),
            // Sent again, later than it.
            Self.segment(acknowledges: 9),
            Self.segment(flags: 0x11, acknowledges: 950, []),
            // Another connection with the same ports.
            opening, Self.segment(acknowledges: 5),
        ])
        #expect(
            found == [
                false, true, false, false, false, true, false, false, false, true,
            ])
    }

    @Test func `the count goes on where sequence numbers begin anew`() {
        #expect(
            Self.requests([
                Self.segment(acknowledges: .max - 10), Self.segment(acknowledges: 20),
            ]) == [true, true])
    }

    @Test func `datagrams count once for their addresses and ports`() {
        #expect(
            Self.requests([
                Self.datagram(from: 4000), Self.datagram(from: 4000), Self.datagram(from: 4001),
                Self.datagram(from: 4000),
            ]) == [true, false, true, false])
    }

    @Test func `echo requests and fragments without ports are none`() {
        #expect(
            Self.requests([
                SampleFrame.ipv4(protocol: 1, [8, 0, 0, 0]).headers,
                SampleFrame.ipv4(protocol: 17, [1, 2, 3, 4, 5], fragment: 2).headers,
                SampleFrame.arp().headers,
            ]) == [false, false, false])
    }
}
