import Bus

/// Keeps NetworkManager's metered flags as overrides want them, and puts them back.
///
/// Before a device is changed, NetworkManager is asked to restore it by itself after a while (a
/// checkpoint). As long as this process lives, it keeps putting that off; when it is killed,
/// nobody does.
struct MeteredKeeper {
    /// How long NetworkManager waits before it restores what nobody asks for any more.
    static let rollbackDelay: UInt32 = 10
    /// How often that is put off.
    static let renewal = Duration.seconds(3)

    /// A device that was changed.
    private struct Held {
        let device: NetworkManagerClient.Device
        let original: NetworkManagerClient.Flag
        var checkpoint: ObjectPath?
    }

    private let client: NetworkManagerClient
    private var held: [ObjectPath: Held] = [:]

    init(_ client: NetworkManagerClient) {
        self.client = client
    }

    /// Whether NetworkManager will restore something if it is not told otherwise.
    var hasCheckpoints: Bool { held.values.contains { $0.checkpoint != nil } }

    /// Makes the flags what is wanted of them.
    ///
    /// - Returns: what did not work, in sentences; and whether NetworkManager has any of these
    ///   interfaces.
    mutating func settle(
        _ wishes: [String: NetworkManagerClient.Flag]
    ) -> (problems: [String], isNeeded: Bool) {
        guard client.isHere else {
            held = [:]
            return ([], !wishes.isEmpty)
        }
        var problems: [String] = []
        do {
            let devices = try client.devices()
            forget(allBut: devices)
            for device in devices {
                do {
                    try settle(device, wishes[device.interface])
                } catch {
                    problems.append(Self.sentence(error, device.interface))
                }
            }
            return (problems, devices.contains { wishes[$0.interface] != nil })
        } catch {
            return ([Self.sentence(error, "its devices")], !wishes.isEmpty)
        }
    }

    private static func sentence(_ error: BusError, _ subject: String) -> String {
        "NetworkManager does not let the metered flag of \(subject) be changed: \(error.reason)"
            + (error.isMissingPrivilege ? "; run it with sudo" : "")
    }

    /// Devices that are gone, or have another connection, are as their profiles have them.
    private mutating func forget(allBut devices: [NetworkManagerClient.Device]) {
        for (path, old) in held {
            let now = devices.first { $0.path == path }
            guard now?.activeConnection != old.device.activeConnection else { continue }
            if let checkpoint = old.checkpoint { client.destroyCheckpoint(checkpoint) }
            held[path] = nil
        }
    }

    private mutating func settle(
        _ device: NetworkManagerClient.Device, _ wish: NetworkManagerClient.Flag?
    ) throws(BusError) {
        guard let wish else { return try restore(device.path) }
        guard device.isActivated else { return }
        let flag = try client.metered(device)
        guard flag != wish else { return }
        if held[device.path] == nil {
            // Some do without: then only this process restores it.
            let checkpoint = try? client.createCheckpoint(device, after: Self.rollbackDelay)
            held[device.path] = Held(device: device, original: flag, checkpoint: checkpoint)
        }
        try client.setMetered(wish, device)
    }

    private mutating func restore(_ path: ObjectPath) throws(BusError) {
        guard let old = held[path] else { return }
        try client.setMetered(old.original, old.device)
        if let checkpoint = old.checkpoint { client.destroyCheckpoint(checkpoint) }
        held[path] = nil
    }

    /// Puts off what NetworkManager would do.
    ///
    /// - Returns: whether it has already done it to one of them, perhaps while this process or the
    ///   host was suspended.
    mutating func renew() -> Bool {
        var isLate = false
        for (path, old) in held {
            guard let checkpoint = old.checkpoint else { continue }
            do {
                try client.delayCheckpoint(checkpoint, to: Self.rollbackDelay)
            } catch {
                held[path] = nil
                isLate = true
            }
        }
        return isLate
    }

    /// Puts everything back.
    mutating func release() {
        for path in held.keys { try? restore(path) }
    }
}
