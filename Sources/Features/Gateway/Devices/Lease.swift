import LinuxKernel

/// An address that dnsmasq has given to a device.
struct Lease: Sendable, Hashable {
    /// When it ends, in seconds since 1970; zero: never.
    var expiry: Int64
    var hardware: HardwareAddress
    var address: IPAddress
    /// The name that the device gave.
    var name: String?

    /// The leases of IPv4 in dnsmasq's lease file: on each line the end, the hardware address, the
    /// address, the name or `*`, and the client's identifier. Leases of IPv6 follow a line of their
    /// own, and have no hardware addresses.
    static func all(in text: String) -> [Lease] {
        var leases: [Lease] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "duid" { break }
            guard words.count >= 4, let expiry = Int64(words[0]),
                let hardware = HardwareAddress(words[1]), let address = IPAddress(words[2]),
                !address.isIPv6
            else { continue }
            leases.append(
                Lease(
                    expiry: expiry, hardware: hardware, address: address,
                    name: words[3] == "*" ? nil : words[3]))
        }
        return leases
    }

    /// Whether it is over.
    func hasEnded(at now: Int64) -> Bool { expiry != 0 && expiry < now }
}
