import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import DataPlane
@testable import TrafficControl

@Suite("Selectors as programs", .tags(.unit))
struct ProgramSelectionTests {
    /// The programs of a selector for every kind of packets and either direction.
    private struct Compiled {
        let selector: TrafficSelector
        private let filters: [Direction: [Filter.NetworkProtocol: [SelectionFilter]]]

        init(_ text: String) throws {
            let selector = try #require(TrafficSelector(text: text))
            self.selector = selector
            var filters: [Direction: [Filter.NetworkProtocol: [SelectionFilter]]] = [:]
            for direction in Direction.allCases {
                let selection = ProgramSelection(selector, direction)
                for networkProtocol in Filter.NetworkProtocol.allCases {
                    let programs = SelectionFilter.programs(
                        chosen: selection.chosen, spared: selection.spared, networkProtocol,
                        headerLength: 14)
                    let found: [SelectionFilter] = try #require(programs)
                    filters[direction, default: [:]][networkProtocol] = found
                }
            }
            self.filters = filters
        }

        /// Whether the kernel, which asks the program first that was added last, would redirect a
        /// packet.
        func isChosen(
            _ packet: [UInt8], _ direction: Direction, _ networkProtocol: Filter.NetworkProtocol,
            isTagInside: Bool = false
        ) throws -> Bool {
            let family: UInt16 = packet[0] >> 4 == 4 ? 0x0800 : 0x86dd
            let header = [UInt8](repeating: 0xaa, count: isTagInside ? 18 : 14)
            for filter in (filters[direction]?[networkProtocol] ?? []).reversed() {
                guard case .program(let program) = filter.match else { return false }
                let machine = ClassicMachine(
                    program.bytes, packet: header + packet,
                    networkProtocol: isTagInside ? 0x8100 : family)
                if try #require(machine.run()).matches { return filter.isChosen }
            }
            return false
        }

        /// Expects that programs choose a packet as documented, without a VLAN tag and with one
        /// in either place.
        func expectChoice(of packet: SamplePacket, about original: SamplePacket? = nil) throws {
            let native: Filter.NetworkProtocol = packet.family == .ipv4 ? .ipv4 : .ipv6
            let bytes = packet.bytes
            for direction in Direction.allCases {
                let expected = packet.isChosen(by: selector, direction, about: original)
                for (kind, isTagInside) in [(native, false), (.vlan, false), (.vlan, true)]
                where try isChosen(bytes, direction, kind, isTagInside: isTagInside) != expected {
                    Issue.record(
                        "\(kind) \(direction) \(packet), about \(String(describing: original))")
                }
            }
        }
    }

    private static let texts =
        U32SelectionTests.texts + [
            "port=23-442", "port=23-79,port=82-39999", "to-port=1025-65534,protocol=udp",
            "to=::/0,from=10.0.0.0/8,from=2001:db8::1,port=1-81", ";port=1025-65534",
            "protocol=tcp;port=23-65535",
            "to=10.0.0.0/8,to=10.0.0.2,to=2001:db8::/32,to=2001:db8::1,to=fc00::/7",
        ]

    @Test("Packets are chosen as documented, and no others", arguments: texts)
    func randomPackets(text: String) throws {
        let compiled = try Compiled(text)
        var random = SeededGenerator(seed: 61)
        for _ in 0..<500 {
            for family in AddressFamily.allCases {
                try compiled.expectChoice(of: SamplePacket.random(&random, family))
            }
        }
    }

    @Test("An ICMP error goes with the packet that it is about", arguments: texts)
    func errors(text: String) throws {
        let compiled = try Compiled(text)
        var random = SeededGenerator(seed: 62)
        for _ in 0..<150 {
            for family in AddressFamily.allCases {
                let (error, original) = SamplePacket.randomError(&random, family)
                try compiled.expectChoice(of: error, about: original)
            }
        }
    }

    @Test("The ends of a range belong to it, at either end of a connection")
    func boundaries() throws {
        let compiled = try Compiled("port=1025-65534")
        for family in AddressFamily.allCases {
            let address = try #require(IPAddress(family == .ipv4 ? "10.0.0.1" : "fd00::1"))
            for transport: UInt8 in [6, 17] {
                for port: UInt16 in [1, 1024, 1025, 1026, 2048, 65_533, 65_534, 65_535] {
                    for ports in [(port, 53), (53, port), (port, port)] {
                        var packet = SamplePacket(
                            source: address, destination: address, transport: transport)
                        packet.ports = (ports.0, ports.1)
                        try compiled.expectChoice(of: packet)
                        packet.isFirstFragment = true
                        try compiled.expectChoice(of: packet)
                        packet.isFirstFragment = false
                        try compiled.expectChoice(of: packet)
                    }
                }
            }
        }
    }

    @Test("Neighbour discovery is let past wherever it would be chosen")
    func neighborDiscovery() throws {
        let discovery: [UInt8] = Array(
            [0x60, 0, 0, 0, 0, 24, 58, 255] + Array(repeating: 0xfe, count: 32)
                + [135, 0, 0, 0, 0, 0, 0, 0])
        for text in Self.texts {
            let compiled = try Compiled(text)
            for direction in Direction.allCases {
                for kind in [Filter.NetworkProtocol.ipv6, .vlan] {
                    #expect(try !compiled.isChosen(discovery, direction, kind), "\(text)")
                }
            }
        }
    }

    @Test("Few values stay readable words, and many take two filters for each version of IP")
    func forms() throws {
        func count(_ text: String, _ form: FilterForm) throws -> Int {
            let selector = try #require(TrafficSelector(text: text))
            return try #require(
                Filter.NetworkProtocol.allCases.map { selector.filters(.up, $0, form).count }.max())
        }
        let programs = FilterForm.programs(headerLength: 14)
        let hosts = (1...100).map { "to=10.0.0.\($0),to=2001:db8::\($0)" }.joined(separator: ",")
        for text in ["", "to=10.0.0.2", "port=443", "to=10.0.0.2,port=80,protocol=tcp"] {
            #expect(try count(text, programs) == count(text, .words), "\(text)")
        }
        #expect(try count("port=1025-65534", programs) == 2)
        #expect(try count("port=1025-65534", .words) > 200)
        // Neighbour discovery is spared.
        #expect(try count(hosts, programs) == 3)
        #expect(try count("\(hosts),port=1-9999;port=22", programs) == 4)
    }

    @Test("A guard lets pass nothing that one of the selectors behind it chooses")
    func guards() throws {
        let selectors = try Self.texts.map { try #require(TrafficSelector(text: $0)) }
        var random = SeededGenerator(seed: 63)
        var spared = 0
        for direction in Direction.allCases {
            for _ in 0..<3000 {
                let behind = (0..<2).compactMap { _ in selectors.randomElement(using: &random) }
                let family = try #require(AddressFamily.allCases.randomElement(using: &random))
                let (packet, original): (SamplePacket, SamplePacket?) =
                    Bool.random(using: &random)
                    ? SamplePacket.randomError(&random, family) : (.random(&random, family), nil)
                let guardian = SelectionFilter.guarding(
                    behind, direction, family == .ipv4 ? .ipv4 : .ipv6, headerLength: 14)
                guard case .program(let program)? = guardian?.match else { continue }
                #expect(behind.allSatisfy(\.isSelective) && guardian?.isChosen == false)
                let machine = ClassicMachine(
                    program.bytes, packet: [UInt8](repeating: 0xaa, count: 14) + packet.bytes,
                    networkProtocol: family == .ipv4 ? 0x0800 : 0x86dd)
                guard try #require(machine.run()).matches else { continue }
                spared += 1
                for selector in behind
                where packet.isChosen(by: selector, direction, about: original) {
                    Issue.record("\(direction) \(packet) by \(selector.text)")
                }
            }
        }
        #expect(spared > 300, "\(spared)")
    }

    @Test("What no program has room for becomes words again")
    func tooLong() throws {
        let ports = stride(from: 1, to: 65_000, by: 20).map { "to-port=\($0)" }
        let selector = try #require(TrafficSelector(text: ports.joined(separator: ",")))
        let filters = selector.filters(.up, .ipv4, .programs(headerLength: 14))
        #expect(filters.count > 1000)
    }
}
