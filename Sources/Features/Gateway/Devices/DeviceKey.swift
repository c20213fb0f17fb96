public import LinuxKernel

/// How a user names a device.
public enum DeviceKey: Sendable, Hashable, CustomStringConvertible {
    /// The name by which it asks for an address.
    case name(String)
    case hardware(HardwareAddress)
    case address(IPAddress)

    /// Reads a name, a hardware address or an IP address.
    public init(_ text: String) {
        if let hardware = HardwareAddress(text) {
            self = .hardware(hardware)
        } else if let address = IPAddress(text) {
            self = .address(address)
        } else {
            self = .name(text.lowercased())
        }
    }

    /// Whether it means `device`.
    func matches(_ device: Device) -> Bool {
        switch self {
        case .name(let name): device.name?.lowercased() == name
        case .hardware(let hardware): device.hardware == hardware
        case .address(let address): device.addresses.contains(address)
        }
    }

    /// As it is written.
    public var description: String {
        switch self {
        case .name(let name): name
        case .hardware(let hardware): "\(hardware)"
        case .address(let address): "\(address)"
        }
    }
}
