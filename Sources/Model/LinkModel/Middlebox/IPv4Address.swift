/// An IPv4 address in a profile.
public struct IPv4Address: Sendable, Hashable, Codable {
    /// Its 32 bits.
    public let bits: UInt32

    /// Makes an address.
    public init(bits: UInt32) { self.bits = bits }

    /// Reads `192.0.2.1`; nil for anything else.
    public init?(parsing text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { part in
            (1...3).contains(part.utf8.count)
                && part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
                && (part.utf8.count == 1 || part.first != "0")
        }
        let bytes = parts.compactMap { UInt8($0) }
        guard isDecimal, parts.count == 4, bytes.count == 4 else { return nil }
        bits = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The four numbers.
    public var text: String {
        // Without the type the compiler would take a second.
        [24, 16, 8, 0].map { (shift: UInt32) in String((bits >> shift) & 0xff) }
            .joined(separator: ".")
    }
}
