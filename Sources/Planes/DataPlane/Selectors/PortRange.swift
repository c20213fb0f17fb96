/// A range of consecutive TCP or UDP ports, at least one.
public struct PortRange: Sendable, Hashable, CustomStringConvertible {
    /// The first port.
    public let first: UInt16
    /// The last port.
    public let last: UInt16

    /// A single port.
    public init(_ port: UInt16) {
        (first, last) = (port, port)
    }

    /// Parses the value of `option`: a port, or a range such as `8000-8080`.
    public init(_ text: String, option: String) throws(SelectorError) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var ports: [UInt16] = []
        for part in parts {
            guard let number = Int(part), part.utf8.allSatisfy({ 48...57 ~= $0 }) else {
                throw SelectorError(
                    option, text, "is not a port; write a number or a range, as in 443 or 8000-8080"
                )
            }
            guard let port = UInt16(exactly: number), port > 0 else {
                throw SelectorError(option, text, "ports go from 1 to 65535")
            }
            ports.append(port)
        }
        guard let first = ports.first, let last = ports.last, first <= last else {
            throw SelectorError(
                option, text,
                "ends before it begins; write \(ports.last ?? 0)-\(ports.first ?? 0)")
        }
        (self.first, self.last) = (first, last)
    }

    /// Whether the two share a port.
    public func overlaps(_ other: PortRange) -> Bool {
        first <= other.last && other.first <= last
    }

    /// The range as few masked numbers, for a filter that does not support ranges.
    var blocks: [(value: UInt16, mask: UInt16)] {
        var blocks: [(UInt16, UInt16)] = []
        // No packet has port 0 (RFC 6335, section 6); including it makes 1-65535 one block, not 16.
        var next = UInt32(first == 1 && last > 1 ? 0 : first)
        while next <= UInt32(last) {
            var size = UInt32(1) << UInt32(min(16, next.trailingZeroBitCount))
            while next + size - 1 > UInt32(last) { size /= 2 }
            blocks.append((UInt16(next), UInt16(truncatingIfNeeded: ~(size - 1))))
            next += size
        }
        return blocks
    }

    /// The text that `init` parses.
    public var description: String { first == last ? "\(first)" : "\(first)-\(last)" }
}
