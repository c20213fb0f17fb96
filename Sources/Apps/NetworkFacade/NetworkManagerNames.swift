import Bus

/// Names and numbers of NetworkManager's D-Bus API, version 1.42.
enum NetworkManagerName {
    static let root: ObjectPath = "/org/freedesktop"
    static let managerPath: ObjectPath = "/org/freedesktop/NetworkManager"
    static let settingsPath: ObjectPath = "/org/freedesktop/NetworkManager/Settings"

    static let manager = "org.freedesktop.NetworkManager"
    static let device = "org.freedesktop.NetworkManager.Device"
    static let wired = "org.freedesktop.NetworkManager.Device.Wired"
    static let wireless = "org.freedesktop.NetworkManager.Device.Wireless"
    static let modem = "org.freedesktop.NetworkManager.Device.Modem"
    static let generic = "org.freedesktop.NetworkManager.Device.Generic"
    static let activeConnection = "org.freedesktop.NetworkManager.Connection.Active"
    static let settings = "org.freedesktop.NetworkManager.Settings"
    static let connection = "org.freedesktop.NetworkManager.Settings.Connection"

    static func device(_ number: UInt32) -> ObjectPath {
        ObjectPath("\(managerPath.text)/Devices/\(number)")
    }

    static func activeConnection(_ number: UInt32) -> ObjectPath {
        ObjectPath("\(managerPath.text)/ActiveConnection/\(number)")
    }

    static func connection(_ number: UInt32) -> ObjectPath {
        ObjectPath("\(settingsPath.text)/\(number)")
    }
}

extension ReportedNetwork.Reach {
    /// `NMState`: programs check the metered flag only in the last of these states.
    var state: UInt32 {
        switch self {
        case .none: 20
        case .local: 50
        case .portal: 60
        case .everywhere: 70
        }
    }

    /// `NMConnectivityState`.
    var connectivity: UInt32 {
        switch self {
        case .none, .local: 1
        case .portal: 2
        case .everywhere: 4
        }
    }
}

extension ReportedInterface {
    /// `NMDeviceState`: activated, or without a carrier.
    var deviceState: UInt32 { isUp ? 100 : 20 }

    /// The number in the paths of its objects: that of the interface, unless it is not wired.
    var number: UInt32 { index &+ (kind.deviceType - 1) &* 10_000_000 }

    /// The connection's UUID, the same as long as the interface exists and is of this kind.
    var uuid: String {
        let digits = String(number, radix: 16)
        return "6c696e6b-636f-6e64-8000-" + String(repeating: "0", count: 12 - digits.count)
            + digits
    }
}

extension ReportedInterface.Kind {
    /// `NMDeviceType`.
    var deviceType: UInt32 {
        switch self {
        case .wired: 1
        case .wifi: 2
        case .cellular: 8
        case .other: 14
        }
    }

    /// The connection type of such a device, which is also the name of its settings group.
    var connectionType: String {
        switch self {
        case .wired: "802-3-ethernet"
        case .wifi: "802-11-wireless"
        case .cellular: "gsm"
        case .other: "generic"
        }
    }
}
