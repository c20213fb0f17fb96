/// Which devices are told that the network costs money, as dnsmasq knows it.
///
/// dnsmasq knows it in advance of the devices that the settings name, so that they hear it with their
/// first address.
struct NetworkCosts: Sendable, Hashable {
    /// Whether devices are told of which nothing is known.
    private(set) var isExpensive = false
    /// What devices of these names are told, in lower case.
    private(set) var byName: [String: Bool] = [:]
    /// What devices with these addresses are told.
    private(set) var byHardware: [HardwareAddress: Bool] = [:]

    /// By which Android knows a metered network.
    private static let option = "43,\"ANDROID_METERED\""
    private static let (expensiveTag, freeTag) = ("metered", "unmetered")

    /// Nobody is told.
    init() {}

    /// What the settings say, before any device has come.
    init(_ configuration: GatewayConfiguration) {
        isExpensive = configuration.standard.isExpensive
        for entry in configuration.entries {
            let costs =
                entry.settings.isExpensive ?? entry.settings.choice?.isExpensive ?? isExpensive
            switch entry.key {
            // It would be a line for dnsmasq. Devices with other names are told later.
            case .name(let name) where name.utf8.allSatisfy(Self.isPlain): byName[name] = costs
            case .hardware(let hardware): byHardware[hardware] = costs
            case .name, .address: continue
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Notes what a device has to be told.
    mutating func note(_ device: Device, isExpensive: Bool) {
        let known =
            byHardware[device.hardware] ?? device.name.flatMap { byName[$0.lowercased()] }
            ?? self.isExpensive
        if known != isExpensive { byHardware[device.hardware] = isExpensive }
    }

    /// The lines of dnsmasq's configuration.
    var lines: [String] {
        let hosts =
            byHardware.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
            + byName.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return hosts.map { "dhcp-host=\($0.0),set:\($0.1 ? Self.expensiveTag : Self.freeTag)" }
            + [
                "dhcp-option=tag:\(isExpensive ? "!" + Self.freeTag : Self.expensiveTag),"
                    + Self.option
            ]
    }
}
