import LinkModel
import LinkTesting
import LinuxKernel
import Testing
import TrafficControl

@testable import DataPlane

@Suite("Selectors as u32 filters", .tags(.unit))
struct U32SelectionTests {
    /// Whether the kernel, which takes the first rule that matches, would redirect a packet.
    private static func isChosen(_ packet: [UInt8], _ rules: [U32Rule]) -> Bool {
        for rule in rules {
            var matches = true
            for match in rule.matches where matches {
                let place = Int(match.offset)
                // A packet that is too short for a word ends the search.
                guard place + 4 <= packet.count else { return false }
                let word = packet[place..<(place + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                matches = word & match.mask == match.value
            }
            if matches { return rule.isChosen }
        }
        return false
    }

    /// The rules of a selector for every kind of packets and either direction.
    private struct Compiled {
        let selector: TrafficSelector
        private let rules: [Direction: [Filter.NetworkProtocol: [U32Rule]]]

        init(_ text: String) throws {
            let selector = try #require(TrafficSelector(text: text))
            self.selector = selector
            let rules = Direction.allCases.map { direction in
                let selection = U32Selection(selector, direction)
                return (
                    direction,
                    Dictionary(
                        uniqueKeysWithValues: Filter.NetworkProtocol.allCases.map {
                            ($0, selection.rules(for: $0))
                        })
                )
            }
            self.rules = Dictionary(uniqueKeysWithValues: rules)
        }

        /// Expects that filters choose a packet as documented, without a VLAN tag and with one.
        func expectChoice(of packet: SamplePacket, about original: SamplePacket? = nil) {
            let native: Filter.NetworkProtocol = packet.family == .ipv4 ? .ipv4 : .ipv6
            let bytes = packet.bytes
            for direction in Direction.allCases {
                let expected = packet.isChosen(by: selector, direction, about: original)
                for kind in [native, .vlan]
                where U32SelectionTests.isChosen(bytes, rules[direction]?[kind] ?? []) != expected {
                    Issue.record(
                        "\(kind) \(direction) \(packet), about \(String(describing: original))")
                }
            }
        }
    }

    static let texts = [
        "", "family=ipv4", "to=10.0.0.0/8", "from=10.0.0.1,to=10.0.0.2", "to=2001:db8::/47",
        "to=2001:db8::2,from=2001:db8::/64", "port=80", "port=79-82", "port=80,port=443",
        "to-port=80", "from-port=80", "to-port=80,from-port=40000", "protocol=tcp", "protocol=udp",
        "protocol=icmp", "protocol=udp,protocol=icmp", "protocol=udp,port=80",
        "to=10.0.0.2,to=2001:db8::2,port=80,protocol=tcp", ";port=22", ";port=22,protocol=tcp",
        ";to=10.0.0.2", ";protocol=icmp", "to=10.0.0.0/8;to=10.0.0.2", "port=80;from=10.0.0.1",
        "to=10.0.0.0/16,to=2001:db8::/48;port=80,protocol=udp", "protocol=udp;port=80",
        ";to=10.0.0.2,from=10.0.0.1,to-port=40000,from-port=22,protocol=tcp",
        "family=ipv6;port=22;to=2001:db8::2",
    ]

    @Test("Packets are chosen as documented, and no others", arguments: texts)
    func randomPackets(text: String) throws {
        let compiled = try Compiled(text)
        var random = SeededGenerator(seed: 61)
        for _ in 0..<1000 {
            for family in AddressFamily.allCases {
                compiled.expectChoice(of: SamplePacket.random(&random, family))
            }
        }
    }

    @Test("An ICMP error goes with the packet that it is about", arguments: texts)
    func errors(text: String) throws {
        let compiled = try Compiled(text)
        var random = SeededGenerator(seed: 62)
        for _ in 0..<300 {
            for family in AddressFamily.allCases {
                let (error, original) = SamplePacket.randomError(&random, family)
                compiled.expectChoice(of: error, about: original)
            }
        }
    }

    @Test("Neighbour discovery is let past wherever it would be chosen")
    func neighborDiscovery() throws {
        let discovery: [UInt8] = Array(
            [0x60, 0, 0, 0, 0, 24, 58, 255] + Array(repeating: 0xfe, count: 32)
                + [135, 0, 0, 0, 0, 0, 0, 0])
        for text in Self.texts {
            let selector = try #require(TrafficSelector(text: text))
            for direction in Direction.allCases {
                let selection = U32Selection(selector, direction)
                let rules = selection.neighborDiscovery + selection.rules(for: .ipv6)
                #expect(!Self.isChosen(discovery, rules), "\(text)")
                #expect(!Self.isChosen(discovery, selection.rules(for: .vlan)), "\(text)")
            }
        }
    }

    @Test("Behind a VLAN tag only IP is looked at")
    func tagged() throws {
        let arp: [UInt8] = [0, 1, 8, 0, 6, 4, 0, 1] + Array(repeating: 0, count: 40)
        for text in Self.texts {
            let selector = try #require(TrafficSelector(text: text))
            #expect(!Self.isChosen(arp, U32Selection(selector, .up).rules(for: .vlan)))
        }
    }

    @Test("All traffic takes one filter for each protocol")
    func everything() {
        let selection = U32Selection(.everything, .down)
        #expect(selection.rules(for: .ipv4) == [U32Rule(matches: [], isChosen: true)])
        #expect(selection.rules(for: .ipv6) == [U32Rule(matches: [], isChosen: true)])
        #expect(selection.rules(for: .vlan).count(where: \.isChosen) == 1)
    }
}
