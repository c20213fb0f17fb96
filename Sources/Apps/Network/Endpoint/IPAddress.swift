public import FoundationEssentials
import LinuxKernel

/// An IPv4 or IPv6 address.
public protocol IPAddress: Hashable, Sendable, CustomDebugStringConvertible {
    /// Reads the bytes in network order, with the interface to which the address is scoped.
    init?(_ rawValue: Data, _ interface: NWInterface?)
    /// Reads the text form, which may end in `%` and an interface.
    init?(_ string: String)
    /// The bytes in network order.
    var rawValue: Data { get }
    /// The interface to which the address is scoped.
    var interface: NWInterface? { get }
    /// Whether it is an address of this host alone.
    var isLoopback: Bool { get }
    /// Whether it is valid on one link only.
    var isLinkLocal: Bool { get }
    /// Whether it is a group of hosts.
    var isMulticast: Bool { get }
}

extension IPAddress {
    /// The text form, with the interface.
    public var debugDescription: String {
        let text = LinuxKernel.IPAddress(bytes: rawValue)?.description ?? ""
        return interface.map { "\(text)%\($0.name)" } ?? text
    }
}

/// Parts of the text form of an address.
struct AddressText {
    let bytes: [UInt8]
    let interface: NWInterface?

    /// Reads `fe80::1%eth0`; nil without an address, or if the interface does not exist.
    init?(_ string: String) {
        let parts = string.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = LinuxKernel.IPAddress(String(first)) else {
            return nil
        }
        bytes = address.bytes
        guard parts.count == 2 else {
            interface = nil
            return
        }
        guard let interface = NWInterface.named(String(parts[1])) else { return nil }
        self.interface = interface
    }
}
