import LinkTesting
import Testing

@testable import PacketLoop

@Suite("Frame headers", .tags(.unit))
struct FrameHeadersTests {
    private static let oneTag: [UInt8] = [0x81, 0, 0, 42]

    @Test
    func `A packet is as long as IP says, tags and padding apart`() {
        let packet = SampleFrame.udp(target: 9, [1, 2, 3])
        for tags in [[], Self.oneTag, [0x88, 0xa8, 0, 7] + Self.oneTag] {
            var frame = SampleFrame.ipv4(protocol: 17, packet, tags: tags)
            #expect(frame.headers.length == 31)
            #expect(frame.headers.network == 14 + tags.count)
            frame.bytes += [UInt8](repeating: 0, count: 15)
            #expect(frame.headers.length == 31)
            #expect(SampleFrame.ipv6(next: 17, packet, tags: tags).headers.length == 51)
        }
    }

    @Test
    func `A length that cannot be is not believed`() {
        var frame = SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 53, []))
        for length: UInt16 in [0, 19, 29, 65_535] {
            (frame.bytes[16], frame.bytes[17]) = (big(length)[0], big(length)[1])
            #expect(frame.headers.length == 28)
        }
    }

    @Test
    func `DNS is what goes to port 53 of UDP and TCP`() {
        let query = SampleFrame.udp(target: 53, [0])
        let answer = SampleFrame.udp(source: 53, target: 4000, [0])
        var stream = SampleFrame.tcp(flags: 0x10, [])
        (stream[2], stream[3]) = (0, 53)
        #expect(SampleFrame.ipv4(protocol: 17, query).headers.isToDNS)
        #expect(SampleFrame.ipv6(next: 17, query).headers.isToDNS)
        #expect(SampleFrame.ipv4(protocol: 6, stream).headers.isToDNS)
        #expect(SampleFrame.ipv6(next: 6, stream).headers.isToDNS)
        #expect(SampleFrame.ipv4(protocol: 17, query, options: [1, 1, 1, 1]).headers.isToDNS)
        #expect(SampleFrame.ipv4(protocol: 17, query, tags: Self.oneTag).headers.isToDNS)
        #expect(!SampleFrame.ipv4(protocol: 17, answer).headers.isToDNS)
        #expect(!SampleFrame.ipv4(protocol: 132, query).headers.isToDNS)
    }

    @Test
    func `A request opens a connection, sends something or asks for an echo`() {
        let isRequest = [
            SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 0x02, [])),
            SampleFrame.ipv6(next: 6, SampleFrame.tcp(flags: 0xc2, [])),
            SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 0x18, [1])),
            SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, [])),
            SampleFrame.ipv4(protocol: 1, [8, 0, 0, 0]),
            SampleFrame.ipv6(next: 58, [128, 0, 0, 0, 0, 0, 0, 0]),
            SampleFrame.ipv4(protocol: 132, [0, 1, 0, 2]),
        ].map(\.headers.isRequest)
        #expect(isRequest.allSatisfy { $0 })
        var short = SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 0x10, []))
        // What pads a frame is no payload.
        short.bytes += [UInt8](repeating: 0, count: 6)
        let isNone = [
            short,
            SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 0x10, [])),
            SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 0x11, [])),
            SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 0x12, [])),
            SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 0x04, [])),
            SampleFrame.ipv4(protocol: 1, [3, 3, 0, 0]),
            SampleFrame.ipv4(protocol: 2, [0x22, 0, 0, 0]),
            SampleFrame.ipv6(next: 58, [135, 0, 0, 0, 0, 0, 0, 0]),
        ].map(\.headers.isRequest)
        #expect(!isNone.contains(true))
    }

    @Test
    func `Only the first fragment has ports, and all fragments are of one flow`() {
        let query = SampleFrame.udp(target: 53, [0, 0, 0, 0, 0, 0, 0, 0])
        let fragments = [UInt16(0x2000), 0x2001, 0x0002].map {
            SampleFrame.ipv4(protocol: 17, query, fragment: $0).headers
        }
        #expect(fragments.map(\.isToDNS) == [true, false, false])
        #expect(Set(fragments.map(\.flow)).count == 1)
        let later = SampleFrame.ipv6(next: 44, [17, 0, 0, 8, 0, 0, 0, 1] + query)
        let first = SampleFrame.ipv6(next: 44, [17, 0, 0, 1, 0, 0, 0, 1] + query)
        #expect(first.headers.isToDNS && !later.headers.isToDNS)
        #expect(first.headers.flow == later.headers.flow)
    }

    @Test
    func `Extension headers are walked through`() {
        let query = SampleFrame.udp(target: 53, [])
        let hopByHop: [UInt8] = [60, 0, 0, 0, 0, 0, 0, 0]
        let options: [UInt8] = [17, 1] + [UInt8](repeating: 0, count: 14)
        let headers = SampleFrame.ipv6(next: 0, hopByHop + options + query).headers
        #expect(headers.isToDNS && headers.transport == 14 + 40 + 24)
        let endless = [UInt8](repeating: 0, count: 400)
        #expect(!SampleFrame.ipv6(next: 0, endless).headers.isToDNS)
    }

    @Test
    func `A flow is its addresses, protocol and ports`() {
        let base = SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, [1]))
        let same = SampleFrame.ipv4(
            protocol: 17, SampleFrame.udp(target: 9, [2, 3]), identification: 99)
        #expect(base.headers.flow == same.headers.flow)
        // The same in every run: what a seed does must not depend on the process.
        #expect(base.headers.flow == 3_393_939_837)
        var others = [base.headers.flow]
        for index in [26, 30, 34, 36] {
            var frame = base
            frame.bytes[index] ^= 1
            others.append(frame.headers.flow)
        }
        #expect(Set(others).count == 5)
    }

    @Test
    func `What finds neighbours passes, and so does what is no IP`() {
        #expect(SampleFrame.arp().headers.isExempt)
        #expect(SampleFrame(bytes: SampleFrame.ethernet + [0x88, 0xcc, 0, 0]).headers.isExempt)
        for type in UInt8.min...UInt8.max {
            let frame = SampleFrame.ipv6(next: 58, [type, 0, 0, 0, 0, 0, 0, 0])
            #expect(frame.headers.isExempt == ((130...137).contains(type) || type == 143))
        }
        #expect(!SampleFrame.ipv4(protocol: 58, [135, 0, 0, 0, 0, 0, 0, 0]).headers.isExempt)
        #expect(!SampleFrame.ipv4(protocol: 1, [8, 0, 0, 0, 0, 0, 0, 0]).headers.isExempt)
    }

    @Test
    func `Frames cut short anywhere, and frames of noise, are read without a trap`() {
        let whole = [
            SampleFrame.ipv4(protocol: 6, SampleFrame.tcp(flags: 0x18, [1, 2, 3])),
            SampleFrame.ipv6(next: 0, [6, 0, 0, 0, 0, 0, 0, 0] + SampleFrame.tcp(flags: 2, [])),
            SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 53, []), tags: Self.oneTag),
            SampleFrame.arp(),
        ]
        for frame in whole {
            for count in 0...frame.bytes.count { check(Array(frame.bytes.prefix(count))) }
        }
        var random = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            guard var frame = whole.randomElement(using: &random)?.bytes else { return }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: 12..<frame.count, using: &random)
                frame[index] = UInt8.random(in: 0...255, using: &random)
            }
            check(Array(frame.prefix(Int.random(in: 0...frame.count, using: &random))))
        }
    }

    private func check(_ bytes: [UInt8]) {
        let headers = FrameHeaders(bytes.span)
        #expect(headers.length >= 0 && headers.network + headers.length <= bytes.count)
        if let transport = headers.transport { #expect(transport + 4 <= bytes.count) }
        for kind in [VirtualHeader.Segmentation.tcpIPv4, .tcpIPv6, .udp] {
            var virtual = VirtualHeader()
            virtual.isChecksumPartial = true
            virtual.segmentation = kind
            virtual.segmentSize = 1
            guard let frame = SuperFrame(virtual, headers, bytes.span) else { continue }
            var copy = [UInt8](repeating: 0, count: VirtualHeader.count) + bytes
            var span = copy.mutableSpan
            frame.makeHeaders(of: 1..<2, in: &span)
            #expect(frame.payload(of: 0..<frame.count).upperBound <= bytes.count)
        }
    }
}
