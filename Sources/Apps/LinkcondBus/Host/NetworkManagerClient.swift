import Bus
import LinuxKernel
import NetworkFacade

/// A client of NetworkManager in this process's network namespace, limited to the metered flag.
struct NetworkManagerClient {
    /// A device that NetworkManager knows.
    struct Device {
        let path: ObjectPath
        /// The network interface that carries its packets.
        let interface: String
        /// Whether it has an active connection.
        let isActivated: Bool
        /// The active connection.
        let activeConnection: ObjectPath
    }

    /// The values of a connection's `metered` (`NMMetered`, without guesses).
    enum Flag: Int32 {
        case unknown = 0
        case yes = 1
        case no = 2
    }

    static let name = "org.freedesktop.NetworkManager"
    /// The stand-in of a sandbox owns this name in addition to NetworkManager's.
    static let standInName = "linkcond.StandIn"

    private static let root: ObjectPath = "/org/freedesktop"
    private static let manager: ObjectPath = "/org/freedesktop/NetworkManager"
    private static let device = "org.freedesktop.NetworkManager.Device"
    private static let busName = "org.freedesktop.DBus"
    private static let busPath: ObjectPath = "/org/freedesktop/DBus"

    let bus: BusConnection

    /// Connects to the system bus; nil if there is none.
    init?() {
        guard let bus = try? BusConnection() else { return nil }
        self.bus = bus
    }

    /// Whether NetworkManager is running and manages this process's interfaces: a container may see
    /// the bus of a host with another network.
    var isHere: Bool {
        guard (try? ask("GetNameOwner", Self.standInName)) == nil,
            let process = try? ask("GetConnectionUnixProcessID", Self.name).first?.number,
            let here = try? NetworkNamespace.currentInode()
        else { return false }
        return NetworkNamespace.inode(at: "/proc/\(process)/ns/net") == here
    }

    private func ask(_ member: String, _ name: String) throws(BusError) -> [BusValue] {
        try bus.call(Self.busName, Self.busPath, Self.busName, member, [.string(name)])
    }

    /// Subscribes to NetworkManager's start and end, and to state changes of devices.
    func listen() throws(BusError) {
        let rules = [
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='"
                + "\(Self.name)'",
            "type='signal',sender='\(Self.name)',interface='\(Self.device)',member='StateChanged'",
        ]
        for rule in rules { _ = try ask("AddMatch", rule) }
    }

    /// Its devices.
    func devices() throws(BusError) -> [Device] {
        let answer = try bus.call(
            Self.name, Self.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        guard case .array(_, let objects)? = answer.first else { return [] }
        return objects.compactMap { object in
            guard case .entry(.path(let path), let interfaces) = object,
                let device = interfaces.groups?[Self.device]
            else { return nil }
            // `Interface` of a modem is its control port.
            let names = ["IpInterface", "Interface"].compactMap { device[$0]?.text }
            return Device(
                path: path, interface: names.first { !$0.isEmpty } ?? "",
                isActivated: device["State"]?.number == 100,
                activeConnection: ObjectPath(device["ActiveConnection"]?.text ?? "/"))
        }
    }

    /// The flag of the connection as applied to the device, which may differ from the profile's.
    func metered(_ device: Device) throws(BusError) -> Flag {
        let (groups, _) = try applied(device)
        return groups["connection"]?["metered"]?.signedNumber.flatMap { Flag(rawValue: $0) }
            ?? .unknown
    }

    /// Sets the flag on the device only; the profile keeps its own.
    func setMetered(_ flag: Flag, _ device: Device) throws(BusError) {
        var (groups, version) = try applied(device)
        groups["connection", default: [:]]["metered"] = .int32(flag.rawValue)
        do {
            try reapply(device, groups, version, flags: Self.keepsForeignAddresses)
        } catch  where error.name == "\(Self.device).InvalidArgument" {
            // NetworkManager before version 1.42.
            try reapply(device, groups, version, flags: 0)
        }
    }

    /// `NM_DEVICE_REAPPLY_FLAGS_PRESERVE_EXTERNAL_IP`.
    private static let keepsForeignAddresses: UInt32 = 1

    private func reapply(
        _ device: Device, _ groups: [String: [String: BusValue]], _ version: BusValue,
        flags: UInt32
    ) throws(BusError) {
        _ = try bus.call(
            Self.name, device.path, Self.device, "Reapply",
            [.groups(groups), version, .uint32(flags)])
    }

    private func applied(
        _ device: Device
    ) throws(BusError) -> ([String: [String: BusValue]], version: BusValue) {
        let answer = try bus.call(
            Self.name, device.path, Self.device, "GetAppliedConnection", [.uint32(0)])
        guard answer.count == 2, let groups = answer[0].groups else {
            throw BusError(
                attempt: "read the connection of \(device.interface)", reason: "it has none")
        }
        return (groups, answer[1])
    }
}

extension NetworkManagerClient {
    /// `NM_CHECKPOINT_CREATE_FLAG_ALLOW_OVERLAPPING`.
    private static let besideOthers: UInt32 = 8

    /// Makes a checkpoint: NetworkManager restores the device's current state after `seconds`,
    /// unless that is postponed or cancelled.
    func createCheckpoint(
        _ device: Device, after seconds: UInt32
    ) throws(BusError) -> ObjectPath {
        let answer = try bus.call(
            Self.name, Self.manager, Self.name, "CheckpointCreate",
            [.paths([device.path]), .uint32(seconds), .uint32(Self.besideOthers)])
        return ObjectPath(answer.first?.text ?? "/")
    }

    /// Postpones the rollback to `seconds` from now.
    func delayCheckpoint(_ checkpoint: ObjectPath, to seconds: UInt32) throws(BusError) {
        _ = try bus.call(
            Self.name, Self.manager, Self.name, "CheckpointAdjustRollbackTimeout",
            [.path(checkpoint), .uint32(seconds)])
    }

    /// Cancels the rollback, if there still is one.
    func destroyCheckpoint(_ checkpoint: ObjectPath) {
        _ = try? bus.call(
            Self.name, Self.manager, Self.name, "CheckpointDestroy", [.path(checkpoint)])
    }
}
