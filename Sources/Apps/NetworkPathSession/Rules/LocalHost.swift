import LinuxKernel

/// Hosts that are this one, which need no network.
enum LocalHost {
    /// Whether the host of a URL is this one: `localhost` and its subdomains (RFC 6761, section
    /// 6.3), an address of 127.0.0.0/8 in any notation that the resolver takes, or `::1`.
    static func contains(_ host: String) -> Bool {
        var name = host.lowercased()[...]
        if name.first == "[", name.last == "]" {
            guard let address = IPAddress(String(name.dropFirst().dropLast())), address.isIPv6
            else { return false }
            return address.isLoopback || mappedIPv4(address).map(isLoopback) ?? false
        }
        if name.last == "." { name.removeLast() }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let address = IPAddress(String(name)), address.isIPv6 { return address.isLoopback }
        return ipv4(String(name)).map(isLoopback) ?? false
    }

    private static func isLoopback(_ address: UInt32) -> Bool { address >> 24 == 127 }

    /// The IPv4 address in `::ffff:127.0.0.1`.
    private static func mappedIPv4(_ address: IPAddress) -> UInt32? {
        guard address.high == 0, address.low >> 32 == 0xffff else { return nil }
        return UInt32(truncatingIfNeeded: address.low)
    }

    /// Reads an IPv4 address as inet_aton(3) does: one to four numbers, of which the last fills the
    /// rest; also hexadecimal and octal. `127.1` is 127.0.0.1.
    static func ipv4(_ text: String) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap(number)
        guard (1...4).contains(parts.count), numbers.count == parts.count,
            let last = numbers.last, numbers.dropLast().allSatisfy({ $0 < 256 }),
            last < 1 << (8 * UInt64(5 - numbers.count))
        else { return nil }
        let leading = numbers.dropLast().enumerated().reduce(UInt64(0)) { sum, entry in
            sum | entry.element << UInt64(24 - 8 * entry.offset)
        }
        return UInt32(leading | last)
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard text.first?.isNumber ?? false else { return nil }
        if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16) }
        return text.hasPrefix("0") ? UInt64(text, radix: 8) : UInt64(text)
    }
}
