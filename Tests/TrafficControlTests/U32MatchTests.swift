import Foundation
import LinkTesting
import Testing

@testable import TrafficControl

@Suite("u32 matches", .tags(.unit))
struct U32MatchTests {
    /// Whether the kernel would say that a packet, from its network header on, matches.
    private static func matches(_ packet: [UInt8], _ keys: [U32Match]) -> Bool {
        keys.allSatisfy { match in
            // struct tc_u32_key: mask and value in the order of the packet, the offset in ours.
            let key = match.key
            let offset = Int(key[8]) | Int(key[9]) << 8
            guard offset + 4 <= packet.count else { return false }
            return (0..<4).allSatisfy { packet[offset + $0] & key[$0] == key[4 + $0] }
        }
    }

    private static func ipv4(
        protocol number: UInt8, fragmentOffset: UInt16 = 0, flags: UInt8 = 0, port: UInt16
    ) -> [UInt8] {
        [
            0x45, 0, 0, 40, 0x12, 0x34, flags | UInt8(fragmentOffset >> 8),
            UInt8(fragmentOffset & 255),
        ]
            + [64, number, 0xab, 0xcd, 10, 0, 0, 1, 10, 0, 0, 2]
            + [0xc0, 0x01, UInt8(port >> 8), UInt8(port & 255), 0, 20, 0, 0]
    }

    private static func ipv6(next: UInt8, payload: [UInt8]) -> [UInt8] {
        [0x60, 0, 0, 0, 0, 20, next, 64] + Array(repeating: 0xfd, count: 32) + payload
    }

    private static let dnsOverIPv4: [U32Match] = [
        .ipv4Protocol(17), .ipv4FirstFragment, .ipv4DestinationPort(53),
    ]

    @Test("A query over UDP and IPv4 is told from all that resembles it")
    func ipv4() {
        let matches = { Self.matches($0, Self.dnsOverIPv4) }
        #expect(matches(Self.ipv4(protocol: 17, port: 53)))
        #expect(matches(Self.ipv4(protocol: 17, flags: 0x40, port: 53)), "don't fragment")
        #expect(matches(Self.ipv4(protocol: 17, flags: 0x20, port: 53)), "first fragment")
        #expect(!matches(Self.ipv4(protocol: 17, fragmentOffset: 185, port: 53)), "later fragment")
        #expect(!matches(Self.ipv4(protocol: 6, port: 53)), "TCP")
        #expect(!matches(Self.ipv4(protocol: 17, port: 0x3500)), "bytes swapped")
        #expect(!matches(Self.ipv4(protocol: 17, port: 5353)), "another port")
    }

    @Test("A query over TCP and IPv6 is told from all that resembles it")
    func ipv6() {
        let keys: [U32Match] = [.ipv6NextHeader(6), .ipv6DestinationPort(53)]
        let ports: [UInt8] = [0xc0, 0x01, 0, 53, 0, 0, 0, 0]
        #expect(Self.matches(Self.ipv6(next: 6, payload: ports), keys))
        #expect(!Self.matches(Self.ipv6(next: 17, payload: ports), keys))
        #expect(!Self.matches(Self.ipv6(next: 6, payload: [0, 53, 0xc0, 1, 0, 0, 0, 0]), keys))
    }

    @Test("Types of ICMPv6 are compared under their mask")
    func icmpv6() {
        let low: [U32Match] = [.ipv6NextHeader(58), .icmpv6Type(0x84, mask: 0xfc)]
        let matching = (UInt8.min...UInt8.max).filter { type in
            Self.matches(Self.ipv6(next: 58, payload: [type, 7, 1, 2, 0, 0, 0, 0]), low)
        }
        #expect(matching == [132, 133, 134, 135])
    }

    @Test("A filter without matches lets every packet match, even the shortest")
    func everything() {
        #expect(Self.matches([1, 2, 3, 4], [.everything]))
    }

    @Test("Comparisons of the same word become one, and contradictions are seen")
    func merging() {
        #expect(
            U32Match.merged([.ipv4, .ipv4Protocol(6), .ipv4WithoutOptions])
                == [.ipv4WithoutOptions, .ipv4Protocol(6)])
        #expect(U32Match.merged([.ipv4, .ipv6]) == nil)
        #expect(U32Match.merged([]) == [])
    }
}
