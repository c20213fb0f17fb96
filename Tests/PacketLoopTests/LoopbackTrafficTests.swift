import LinkModel
import Testing

@testable import PacketLoop

@Suite("Who asks and who answers on a loopback")
struct LoopbackTrafficTests {
    private static func direction(
        _ frame: SampleFrame, in traffic: inout LoopbackTraffic
    ) -> Direction {
        traffic.direction(frame.headers, frame.bytes.span)
    }

    private static func direction(_ frame: SampleFrame) -> Direction {
        var traffic = LoopbackTraffic()
        return direction(frame, in: &traffic)
    }

    private static func tcp(from source: UInt16, to target: UInt16) -> [UInt8] {
        big(source) + big(target) + SampleFrame.tcp(flags: 0x10, [1, 2, 3]).dropFirst(4)
    }

    @Test(
        arguments: [
            // A port that the kernel gives to clients, and one that somebody chose.
            (client: 40_000, server: 80), (32_768, 32_767), (60_999, 8080), (40_001, 53),
            // Ports chosen for both.
            (5000, 4000), (1024, 1023),
        ] as [(client: UInt16, server: UInt16)])
    func `Packets to the server go up and its answers down`(client: UInt16, server: UInt16) {
        for (source, target, expected) in [
            (client, server, Direction.up), (server, client, .down),
        ] {
            let datagram = SampleFrame.udp(source: source, target: target, [1, 2, 3])
            let segment = Self.tcp(from: source, to: target)
            #expect(Self.direction(.ipv4(protocol: 17, datagram)) == expected)
            #expect(Self.direction(.ipv6(next: 17, datagram)) == expected)
            #expect(Self.direction(.ipv4(protocol: 6, segment)) == expected)
            #expect(Self.direction(.ipv6(next: 6, segment)) == expected)
        }
    }

    @Test
    func `Of two ports of the kernel's choice, TCP's server has the odd one`() {
        for (client, server): (UInt16, UInt16) in [(40_000, 50_001), (50_000, 40_001)] {
            #expect(Self.direction(.ipv4(protocol: 6, Self.tcp(from: client, to: server))) == .up)
            #expect(Self.direction(.ipv4(protocol: 6, Self.tcp(from: server, to: client))) == .down)
        }
        // Else the lower one has to do.
        let both: [(Bool, UInt16, UInt16)] = [
            (false, 50_000, 40_001), (false, 50_001, 40_000), (true, 50_000, 40_000),
            (true, 50_001, 40_001),
        ]
        for (isTCP, client, server) in both {
            #expect(LoopbackTraffic.direction(from: client, to: server, isTCP: isTCP) == .up)
            #expect(LoopbackTraffic.direction(from: server, to: client, isTCP: isTCP) == .down)
        }
    }

    @Test
    func `The two directions of a connection are always different ones`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            let ports = (UInt16.random(in: 1...(.max)), UInt16.random(in: 1...(.max)))
            guard ports.0 != ports.1 else { continue }
            let isTCP = Bool.random(using: &generator)
            let there = LoopbackTraffic.direction(from: ports.0, to: ports.1, isTCP: isTCP)
            let back = LoopbackTraffic.direction(from: ports.1, to: ports.0, isTCP: isTCP)
            #expect(there != back, "\(ports), TCP: \(isTCP)")
        }
        #expect(LoopbackTraffic.direction(from: 123, to: 123, isTCP: false) == .up)
    }

    @Test
    func `Echo replies and errors go down`() {
        for (type, expected) in [(8, Direction.up), (0, .down), (3, .down), (11, .down)] {
            #expect(Self.direction(.ipv4(protocol: 1, [UInt8(type), 0, 0, 0])) == expected)
        }
        for (type, expected) in [(128, Direction.up), (129, .down), (1, .down), (135, .up)] {
            let message: [UInt8] = [UInt8(type), 0, 0, 0, 0, 0, 0, 0]
            #expect(Self.direction(.ipv6(next: 58, message)) == expected)
        }
    }

    @Test
    func `Fragments go where the first of their packet went`() {
        let answer = SampleFrame.udp(source: 53, target: 40_000, [1, 2, 3, 4])
        let question = SampleFrame.udp(source: 40_000, target: 53, [1, 2, 3, 4])
        func ipv4(_ bytes: [UInt8], number: UInt16, isFirst: Bool) -> SampleFrame {
            .ipv4(
                protocol: 17, bytes, identification: number, fragment: isFirst ? 0x2000 : 0x00b9)
        }
        func ipv6(_ bytes: [UInt8], number: UInt8, isFirst: Bool) -> SampleFrame {
            .ipv6(next: 44, [17, 0, isFirst ? 0 : 5, isFirst ? 1 : 0xa8, 0, 0, 0, number] + bytes)
        }
        for make in [
            { ipv4($0, number: UInt16($1), isFirst: $2) }, { ipv6($0, number: $1, isFirst: $2) },
        ] as [([UInt8], UInt8, Bool) -> SampleFrame] {
            var traffic = LoopbackTraffic()
            #expect(Self.direction(make(answer, 1, true), in: &traffic) == .down)
            #expect(Self.direction(make(question, 2, true), in: &traffic) == .up)
            // What they say is not ports, even if it looks like some.
            #expect(Self.direction(make(question, 1, false), in: &traffic) == .down)
            #expect(Self.direction(make(answer, 2, false), in: &traffic) == .up)
            #expect(Self.direction(make(answer, 3, false), in: &traffic) == .up)
            for number in 10..<UInt8(10 + 64) {
                _ = Self.direction(make(question, number, true), in: &traffic)
            }
            #expect(Self.direction(make(answer, 73, false), in: &traffic) == .up)
            // Of a packet of long ago nothing is known.
            #expect(Self.direction(make(answer, 1, false), in: &traffic) == .up)
        }
    }

    @Test
    func `Whatever comes is for exactly one direction`() {
        var traffic = LoopbackTraffic()
        for length in 0..<80 {
            for _ in 0..<50 {
                var bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max) }
                if length > 14 { bytes[12...13] = Bool.random() ? [8, 0] : [0x86, 0xdd] }
                if length > 14 { bytes[14] = bytes[12] == 8 ? 0x45 : 0x60 }
                if length > 20 { bytes[20] = [6, 17, 44, 58].randomElement() ?? 6 }
                let frame = SampleFrame(bytes: bytes)
                var other = traffic
                #expect(Self.direction(frame, in: &traffic) == Self.direction(frame, in: &other))
            }
        }
    }
}
