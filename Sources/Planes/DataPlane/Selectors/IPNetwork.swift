public import LinuxKernel

/// The IP version.
public enum AddressFamily: String, Sendable, Hashable, CaseIterable {
    case ipv4, ipv6

    /// How many bits an address has.
    var addressBits: Int { self == .ipv4 ? 32 : 128 }
}

/// A network or a single host: all addresses with the same prefix.
public struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    /// The first address.
    public let address: IPAddress
    /// The length of the prefix.
    public let prefixLength: Int

    /// The network of a single host.
    public init(host address: IPAddress) {
        self.address = address
        prefixLength = address.family.addressBits
    }

    /// Parses the value of `option`: an address, or a network such as `192.0.2.0/24`.
    public init(_ text: String, option: String) throws(SelectorError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let host = parts.first.map(String.init) ?? ""
        guard let address = IPAddress(host) else {
            throw SelectorError(option, text, Self.reason(notAnAddress: host, option))
        }
        self.init(host: address.unmapped)
        guard parts.count == 2 else { return }
        let bits = address.family.addressBits
        guard let length = Int(parts[1]), parts[1].utf8.allSatisfy({ 48...57 ~= $0 }),
            (0...bits).contains(length)
        else {
            throw SelectorError(
                option, text,
                "behind the / belongs a number of bits from 0 to \(bits), as in \(host)/\(bits / 2)"
            )
        }
        let network = Self(address: address.prefix(length), prefixLength: length)
        guard network.address == address else {
            throw SelectorError(
                option, text,
                "has bits set behind the first \(length); write \(network) for the network, "
                    + "or \(host) for the host")
        }
        self = network
    }

    private init(address: IPAddress, prefixLength: Int) {
        self.address = address
        self.prefixLength = prefixLength
    }

    private static func reason(notAnAddress text: String, _ option: String) -> String {
        if let zone = text.firstIndex(of: "%"), IPAddress(String(text[..<zone])) != nil {
            return "leave \(text[zone...]) out; -i names the interface"
        }
        let isNumeric =
            !text.isEmpty
            && text.allSatisfy { $0.isHexDigit || $0 == "." || $0 == ":" }
        return isNumeric
            ? "is not an IPv4 or IPv6 address; write it like 192.0.2.7, 192.0.2.0/24 or "
                + "2001:db8::/32"
            : option == "--to"
                ? "is neither an address nor the name of a host; write it like 192.0.2.7 or "
                    + "host.example"
                : "is not an address; names are looked up for --to only: getent ahosts NAME tells "
                    + "their addresses"
    }

    /// The family of its addresses.
    public var family: AddressFamily { address.family }

    /// Whether it is a single host.
    public var isHost: Bool { prefixLength == family.addressBits }

    /// Whether the two share an address.
    public func overlaps(_ other: IPNetwork) -> Bool {
        let shared = min(prefixLength, other.prefixLength)
        return family == other.family
            && address.prefix(shared) == other.address.prefix(shared)
    }

    /// The bits of the prefix, 32 at a time, the first ones first.
    var words: [(value: UInt32, mask: UInt32)] {
        let bytes = address.bytes
        return stride(from: 0, to: min(prefixLength, bytes.count * 8), by: 32).map { bit in
            let value = bytes[(bit / 8)..<(bit / 8 + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return (value, UInt32.leading(min(32, prefixLength - bit)))
        }
    }

    /// The text that `init` parses; a single host has no prefix length.
    public var description: String { isHost ? "\(address)" : "\(address)/\(prefixLength)" }
}

extension IPAddress {
    /// The IP version of the address.
    var family: AddressFamily { isIPv6 ? .ipv6 : .ipv4 }

    /// The address with all bits after the first `length` set to zero.
    fileprivate func prefix(_ length: Int) -> IPAddress {
        isIPv6
            ? IPAddress(
                ipv6High: high & UInt64.leading(min(64, length)),
                low: low & UInt64.leading(max(0, length - 64)))
            : IPAddress(ipv4: UInt32(truncatingIfNeeded: low) & UInt32.leading(length))
    }

    /// The IPv4 address that an IPv6 socket shows as `::ffff:192.0.2.1`, or the address itself.
    var unmapped: IPAddress {
        isIPv6 && high == 0 && low >> 32 == 0xffff
            ? IPAddress(ipv4: UInt32(truncatingIfNeeded: low)) : self
    }
}

extension FixedWidthInteger {
    /// A number whose first `count` bits are one.
    fileprivate static func leading(_ count: Int) -> Self {
        count == 0 ? 0 : ~Self(0) << (bitWidth - count)
    }
}
