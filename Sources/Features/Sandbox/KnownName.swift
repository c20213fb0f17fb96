public import LinuxKernel

/// A name with its addresses, as `/etc/hosts` has them.
public struct KnownName: Sendable, Hashable {
    /// The name.
    let name: String
    /// Its addresses.
    let addresses: [IPAddress]

    /// Describes a name; nil if the file cannot have it, as it is not of letters, digits, hyphens,
    /// underscores and dots.
    public init?(_ name: String, addresses: [IPAddress]) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.".utf8.contains(byte)
            }
        }
        guard !name.isEmpty, name.utf8.count <= 253, isPlain, !addresses.isEmpty else { return nil }
        (self.name, self.addresses) = (name, addresses)
    }
}
