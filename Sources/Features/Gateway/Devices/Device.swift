import LinuxKernel

/// A device behind the gateway.
struct Device: Sendable, Hashable {
    /// What somebody has chosen for it while the gateway runs.
    struct Wish: Sendable, Hashable {
        var choice: NetworkChoice
        /// When it ends, by `KernelClock.monotonic`; nil: with the gateway.
        var until: Duration?
        /// Whether the device's page made it, and not an administrator.
        var isFromPage: Bool
    }

    /// Its link-layer address, by which it is known as long as the gateway runs.
    let hardware: HardwareAddress
    /// The name by which it asked for an address.
    var name: String?
    /// Its addresses, that of IPv4 first.
    var addresses: [IPAddress] = []
    /// When it came, by `KernelClock.monotonic`.
    var arrival: Duration
    /// Whether it is there, as far as that can be known.
    var isPresent = true
    /// What was chosen for it.
    var wish: Wish?

    init(_ hardware: HardwareAddress, name: String? = nil, at arrival: Duration) {
        self.hardware = hardware
        self.name = name
        self.arrival = arrival
    }

    /// What to call it.
    var title: String { name ?? "\(hardware)" }
}
