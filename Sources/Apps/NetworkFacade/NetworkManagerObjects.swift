import Bus

/// The objects that NetworkManager would have for a network.
///
/// They have only what programs read. Facts that programs learn from the kernel, such as addresses,
/// are left out. A device, its connection and the connection's profile share one number, which is
/// another one once the interface is of another kind: programs do not expect that a device changes
/// its type.
struct NetworkManagerObjects {
    private typealias Name = NetworkManagerName

    let network: ReportedNetwork

    var tree: ObjectTree {
        var tree = ObjectTree()
        tree[Name.managerPath, Name.manager] = manager
        tree[Name.settingsPath, Name.settings] = [
            "Connections": .paths(network.interfaces.map { Name.connection($0.number) }),
            "Hostname": .string(""), "CanModify": .bool(false), "VersionId": .uint64(1),
        ]
        for interface in network.interfaces {
            let device = Name.device(interface.number)
            tree[device, Name.device] = properties(of: interface)
            let (kind, details) = Self.details(of: interface)
            tree[device, kind] = details
            tree[Name.connection(interface.number), Name.connection] = [
                "Unsaved": .bool(true), "Flags": .uint32(0), "Filename": .string(""),
                "VersionId": .uint64(1),
            ]
            guard interface.isUp else { continue }
            tree[Name.activeConnection(interface.number), Name.activeConnection] =
                activeConnection(of: interface)
        }
        return tree
    }

    private var manager: ObjectTree.Properties {
        let devices = network.interfaces.map { Name.device($0.number) }
        let active = network.interfaces.filter(\.isUp).map { Name.activeConnection($0.number) }
        return [
            "ActivatingConnection": .path(.none),
            "ActiveConnections": .paths(active),
            "AllDevices": .paths(devices),
            "Capabilities": .array(of: "u", []),
            "Checkpoints": .paths([]),
            "Connectivity": .uint32(network.reach.connectivity),
            "ConnectivityCheckAvailable": .bool(false),
            "ConnectivityCheckEnabled": .bool(false),
            "ConnectivityCheckUri": .string(""),
            "Devices": .paths(devices),
            "GlobalDnsConfiguration": .dictionary([:]),
            "Metered": .uint32(network.metered.rawValue),
            "NetworkingEnabled": .bool(true),
            "PrimaryConnection": .path(
                network.primary.map { Name.activeConnection($0.number) } ?? .none),
            "PrimaryConnectionType": .string(network.primary?.kind.connectionType ?? ""),
            "RadioFlags": .uint32(3),
            "Startup": .bool(false),
            "State": .uint32(network.reach.state),
            "Version": .string("1.42.4"),
            "WimaxEnabled": .bool(false),
            "WimaxHardwareEnabled": .bool(false),
            "WirelessEnabled": .bool(true),
            "WirelessHardwareEnabled": .bool(true),
            "WwanEnabled": .bool(true),
            "WwanHardwareEnabled": .bool(true),
        ]
    }

    private func properties(of interface: ReportedInterface) -> ObjectTree.Properties {
        let connectivity = interface.isUp ? network.reach.connectivity : 1
        return [
            "ActiveConnection": .path(
                interface.isUp ? Name.activeConnection(interface.number) : .none),
            "Autoconnect": .bool(true),
            "AvailableConnections": .paths([Name.connection(interface.number)]),
            // NetworkManager supports the device and detects its carrier.
            "Capabilities": .uint32(3),
            "DeviceType": .uint32(interface.kind.deviceType),
            "Dhcp4Config": .path(.none),
            "Dhcp6Config": .path(.none),
            "Driver": .string("linkcond"),
            "DriverVersion": .string(""),
            "FirmwareMissing": .bool(false),
            "FirmwareVersion": .string(""),
            "HwAddress": .string(""),
            "Interface": .string(interface.name),
            // Up, as in the kernel's flags, and with a carrier.
            "InterfaceFlags": .uint32(interface.isUp ? 0x10003 : 0x1),
            "Ip4Address": .uint32(0),
            "Ip4Config": .path(.none),
            "Ip4Connectivity": .uint32(connectivity),
            "Ip6Config": .path(.none),
            "Ip6Connectivity": .uint32(connectivity),
            "IpInterface": .string(interface.isUp ? interface.name : ""),
            "LldpNeighbors": .array(of: "a{sv}", []),
            "Managed": .bool(true),
            "Metered": .uint32(interface.metered.rawValue),
            "Mtu": .uint32(1500),
            "NmPluginMissing": .bool(false),
            "Path": .string(""),
            "PhysicalPortId": .string(""),
            "Ports": .paths([]),
            "Real": .bool(true),
            "State": .uint32(interface.deviceState),
            "StateReason": .structure([.uint32(interface.deviceState), .uint32(0)]),
            "Udi": .string("/sys/class/net/\(interface.name)"),
        ]
    }

    /// The interface specific to the kind of device, with its properties.
    private static func details(
        of interface: ReportedInterface
    ) -> (interface: String, ObjectTree.Properties) {
        switch interface.kind {
        case .wired:
            (
                Name.wired,
                [
                    "Carrier": .bool(interface.isUp), "HwAddress": .string(""),
                    "PermHwAddress": .string(""), "S390Subchannels": .strings([]),
                    "Speed": .uint32(0),
                ]
            )
        case .wifi:
            (
                Name.wireless,
                [
                    "AccessPoints": .paths([]), "ActiveAccessPoint": .path(.none),
                    "Bitrate": .uint32(0), "HwAddress": .string(""), "LastScan": .int64(-1),
                    // Infrastructure mode, as a station.
                    "Mode": .uint32(2),
                    "PermHwAddress": .string(""), "WirelessCapabilities": .uint32(0),
                ]
            )
        case .cellular:
            (
                Name.modem,
                [
                    "Apn": .string(""),
                    // GSM and its successors, and LTE.
                    "CurrentCapabilities": .uint32(0xc),
                    "DeviceId": .string(interface.name),
                    "ModemCapabilities": .uint32(0xc), "OperatorCode": .string(""),
                ]
            )
        case .other:
            (Name.generic, ["HwAddress": .string(""), "TypeDescription": .string("")])
        }
    }

    private func activeConnection(of interface: ReportedInterface) -> ObjectTree.Properties {
        let isPrimary = interface.number == network.primary?.number
        return [
            "Connection": .path(Name.connection(interface.number)),
            "Controller": .path(.none),
            "Default": .bool(isPrimary),
            "Default6": .bool(isPrimary),
            "Devices": .paths([Name.device(interface.number)]),
            "Dhcp4Config": .path(.none),
            "Dhcp6Config": .path(.none),
            "Id": .string(interface.name),
            "Ip4Config": .path(.none),
            "Ip6Config": .path(.none),
            "Master": .path(.none),
            "SpecificObject": .path(.none),
            // Activated.
            "State": .uint32(2),
            "StateFlags": .uint32(0xc),
            "Type": .string(interface.kind.connectionType),
            "Uuid": .string(interface.uuid),
            "Vpn": .bool(false),
        ]
    }

    /// The settings of a connection's profile, as `GetSettings` returns them.
    static func settings(of interface: ReportedInterface) -> BusValue {
        let metered: Int32 =
            switch interface.metered {
            case .yes: 1
            case .no: 2
            case .unknown, .guessYes, .guessNo: 0
            }
        let type = interface.kind.connectionType
        var details: ObjectTree.Properties = [:]
        // A Wi-Fi connection needs an SSID.
        if interface.kind == .wifi {
            details["ssid"] = .array(of: "y", interface.name.utf8.map { .byte($0) })
            details["mode"] = .string("infrastructure")
        }
        return .groups([
            "connection": [
                "id": .string(interface.name), "uuid": .string(interface.uuid),
                "type": .string(type), "interface-name": .string(interface.name),
                "metered": .int32(metered),
            ],
            type: details,
            "ipv4": ["method": .string("auto")],
            "ipv6": ["method": .string("auto")],
        ])
    }
}
