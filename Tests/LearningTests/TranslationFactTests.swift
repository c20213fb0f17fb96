import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Learning

/// What is concluded from what a responder sees and what gets back.
@Suite("The kind of a NAT", .tags(.unit))
struct TranslationFactTests {
    private static let local = Endpoint(IPAddress(ipv4: 0x0a00_0002), port: 5000)
    private static let outside = IPAddress(ipv4: 0xc633_6401)
    private static let doors = [
        Endpoint(IPAddress(ipv4: 0xcb00_7101), port: 46464),
        Endpoint(IPAddress(ipv4: 0xcb00_7101), port: 46465),
        Endpoint(IPAddress(ipv4: 0xcb00_7102), port: 46464),
    ]

    /// Sockets that ask the first door, some others, and the first one again, and the ports outside.
    private static func observations(
        _ ports: [UInt16]..., port: Bool?, address: Bool? = nil, isOwn: Bool = false
    ) -> TranslationObservations {
        var seen = TranslationObservations()
        seen.series = ports.map { ports in
            let asked = doors.prefix(max(0, ports.count - 1)) + doors.prefix(1)
            return .init(
                local: local,
                mappings: zip(asked, ports).map {
                    .init(door: $0, seen: Endpoint(isOwn ? local.address : outside, port: $1))
                })
        }
        (seen.passesOtherPort, seen.passesOtherAddress) = (port, address)
        return seen
    }

    @Test(
        arguments: [
            (true, true, TranslationFact.kind(.fullCone)), (true, false, .kind(.restricted)),
            (false, false, .kind(.portRestricted)), (false, nil, .kind(.portRestricted)),
        ] as [(Bool?, Bool?, TranslationFact)])
    func `one port outside is a cone, and filtering tells which`(
        port: Bool?, address: Bool?, fact: TranslationFact
    ) {
        // Whether the port is kept does not matter.
        for outside: UInt16 in [5000, 61_000] {
            let ports = [outside, outside, outside, outside]
            #expect(Self.observations(ports, ports, port: port, address: address).fact == fact)
        }
    }

    @Test func `a port for each door is symmetric`() {
        let seen = Self.observations([1, 2, 3, 1], [4, 5, 6, 4], port: false, address: false)
        #expect(seen.fact == .kind(.symmetric))
        #expect(Self.observations([1, 2, 1], [4, 5, 4], port: false).fact == .kind(.symmetric))
    }

    @Test func `a port that somebody else has is not taken for a symmetric NAT`() {
        let seen = Self.observations([1, 2, 1, 1], [4, 4, 4, 4], port: false)
        #expect(seen.fact == .kind(.portRestricted))
    }

    @Test func `no NAT is told from a NAT that keeps the port, and from a firewall`() {
        let own = [UInt16](repeating: 5000, count: 4)
        for (passes, isFiltered) in [(true, false), (false, true), (nil, nil)] as [(Bool?, Bool?)] {
            let seen = Self.observations(own, own, port: passes, isOwn: true)
            #expect(seen.fact == .none(isFiltered: isFiltered))
        }
        #expect(Self.observations(own, own, port: false).fact == .kind(.portRestricted))
    }

    @Test func `what cannot be known is not guessed`() {
        func isUnknown(_ seen: TranslationObservations) -> Bool {
            if case .unknown = seen.fact { true } else { false }
        }
        #expect(isUnknown(TranslationObservations()))
        // Only one door answered.
        #expect(isUnknown(Self.observations([1, 1], [4, 4], port: nil)))
        // The NAT forgets in between.
        #expect(isUnknown(Self.observations([1, 1, 2], [4, 4, 5], port: false)))
        #expect(isUnknown(Self.observations([1, 1, 1], [4, 4, 4], port: nil)))
        #expect(isUnknown(Self.observations([1, 1, 1], [4, 4, 4], port: false, address: true)))
        // There are other doors, but no port stays for long enough to try them.
        let fast = Self.observations([1, 1, 1, 1], [4, 4, 4, 4], port: nil)
        #expect(fast.fact == .unknown("the NAT gives other ports too often to see who gets in"))
        #expect(isUnknown(Self.observations([1, 1, 1, 1], port: true)))
        #expect(Self.observations([1, 1, 1], port: true).fact == .cone)
        // The last answer, which tells whether it forgets, did not come.
        #expect(isUnknown(Self.observations([], [], port: nil)))
    }
}
