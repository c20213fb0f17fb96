import LinkModel
import LinkTesting
import LinuxKernel

@testable import DataPlane

/// A packet as tests describe it, with its bytes and what a selector has to do with it.
struct SamplePacket {
    var source: IPAddress
    var destination: IPAddress
    /// The number of the protocol in the header of the packet's family.
    var transport: UInt8
    /// Source and destination.
    var ports: (UInt16, UInt16) = (40_000, 50_000)
    /// Whether it is the first, or a later, fragment; nil for a whole packet.
    var isFirstFragment: Bool?
    /// Whether there are IPv4 options.
    var hasOptions = false
    /// The packet of which this one reports an error.
    var quoted: [UInt8]?

    var family: AddressFamily { source.isIPv6 ? .ipv6 : .ipv4 }

    private var hasPorts: Bool {
        [6, 17].contains(transport) && isFirstFragment != false && !hasOptions
    }

    /// The packet from its IP header on.
    var bytes: [UInt8] {
        let payload: [UInt8] =
            if let quoted {
                [family == .ipv4 ? 3 : 1, 1, 0, 0, 0, 0, 0, 0] + quoted
            } else if [1, 58].contains(transport) {
                [family == .ipv4 ? 8 : 128, 0, 0, 0, 0, 0, 0, 0]
            } else {
                [
                    UInt8(ports.0 >> 8), UInt8(ports.0 & 255), UInt8(ports.1 >> 8),
                    UInt8(ports.1 & 255), 0, 8, 0, 0,
                ]
            }
        switch family {
        case .ipv4:
            let fragment: [UInt8] =
                switch isFirstFragment {
                case nil: [0x40, 0]
                case true: [0x20, 0]
                case false: [0, 185]
                }
            return [hasOptions ? 0x46 : 0x45, 0, 0, 40, 0x12, 0x34] + fragment
                + [64, transport, 0, 0] + source.bytes + destination.bytes
                + (hasOptions ? [0x94, 4, 0, 0] : []) + payload
        case .ipv6:
            let extensionHeader: [UInt8] =
                isFirstFragment.map { [transport, 0, $0 ? 0 : 5, $0 ? 1 : 0xa8, 0, 0, 0, 9] } ?? []
            return [0x60, 0, 0, 0, 0, UInt8(payload.count & 255)]
                + [isFirstFragment == nil ? transport : 44, 64] + source.bytes + destination.bytes
                + extensionHeader + payload
        }
    }

    // MARK: Meaning

    /// Whether a match fits the packet itself, as documented.
    private func fits(_ match: TrafficMatch, _ direction: Direction) -> Bool {
        let isUp = direction == .up
        let (far, near) = isUp ? (destination, source) : (source, destination)
        let (farPort, nearPort) = isUp ? (ports.1, ports.0) : (ports.0, ports.1)
        func contains(_ networks: [IPNetwork], _ address: IPAddress) -> Bool {
            networks.isEmpty || networks.contains { $0.overlaps(IPNetwork(host: address)) }
        }
        func contains(_ ranges: [PortRange], _ candidates: UInt16...) -> Bool {
            ranges.isEmpty
                || hasPorts
                    && ranges.contains { range in
                        candidates.contains { range.first...range.last ~= $0 }
                    }
        }
        return contains(match.to, far) && contains(match.from, near)
            && (match.possibleProtocols?.contains { $0.number(in: family) == transport } ?? true)
            && contains(match.ports, farPort, nearPort) && contains(match.toPorts, farPort)
            && contains(match.fromPorts, nearPort)
    }

    /// Whether a match fits the packet or, of an error, the one that it is about.
    private func fits(
        _ match: TrafficMatch, _ direction: Direction, about original: SamplePacket?
    ) -> Bool {
        fits(match, direction)
            || original?.fits(match, direction == .up ? .down : .up) ?? false
    }

    /// Whether a selector chooses it; `original` is what it reports an error of.
    func isChosen(
        by selector: TrafficSelector, _ direction: Direction, about original: SamplePacket? = nil
    ) -> Bool {
        guard selector.family ?? family == family else { return false }
        guard !selector.exceptions.contains(where: { fits($0, direction, about: original) }) else {
            return false
        }
        if isFirstFragment == false, selector.exceptsPortsOfDatagrams { return false }
        return fits(selector.included, direction, about: original)
    }

    // MARK: Random

    private static let hosts: [AddressFamily: [IPAddress]] = [
        .ipv4: ["10.0.0.1", "10.0.0.2", "10.1.0.1", "192.0.2.1"].compactMap { IPAddress($0) },
        .ipv6: ["2001:db8::1", "2001:db8::2", "2001:db8:1::1", "fd00::1"].compactMap {
            IPAddress($0)
        },
    ]

    static func random(_ random: inout SeededGenerator, _ family: AddressFamily) -> SamplePacket {
        let hosts = Self.hosts[family] ?? []
        let icmp: UInt8 = family == .ipv4 ? 1 : 58
        func host(_ random: inout SeededGenerator) -> IPAddress {
            hosts[Int.random(in: hosts.indices, using: &random)]
        }
        let ports: [UInt16] = [22, 80, 81, 443, 40_000]
        func port(_ random: inout SeededGenerator) -> UInt16 {
            ports[Int.random(in: ports.indices, using: &random)]
        }
        var packet = SamplePacket(
            source: host(&random), destination: host(&random),
            transport: [6, 17, icmp, 47][Int.random(in: 0..<4, using: &random)])
        packet.ports = (port(&random), port(&random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: packet.isFirstFragment = true
        case 1: packet.isFirstFragment = false
        case 2: packet.hasOptions = family == .ipv4
        default: break
        }
        return packet
    }

    /// An ICMP error, and the packet that it is about.
    static func randomError(
        _ random: inout SeededGenerator, _ family: AddressFamily
    ) -> (error: SamplePacket, original: SamplePacket) {
        var original = Self.random(&random, family)
        original.isFirstFragment = nil
        var error = Self.random(&random, family)
        (error.isFirstFragment, error.hasOptions) = (nil, false)
        error.transport = family == .ipv4 ? 1 : 58
        error.quoted = original.bytes
        return (error, original)
    }
}
