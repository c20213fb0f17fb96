import Bus

/// Keeps NetworkManager's metered flags in line with the overrides, and restores them.
///
/// Before it changes a device, it makes a checkpoint: NetworkManager then restores the device by
/// itself after a delay. While this process lives, it keeps extending the delay; once it is killed,
/// NetworkManager restores the device.
struct MeteredKeeper {
    /// The delay after which NetworkManager rolls back an abandoned checkpoint, in seconds.
    static let rollbackDelay: UInt32 = 10
    /// How often the rollback is postponed.
    static let renewal = Duration.seconds(3)

    /// A changed device.
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

    /// Whether NetworkManager will roll back a checkpoint unless it is postponed.
    var hasCheckpoints: Bool { held.values.contains { $0.checkpoint != nil } }

    /// Sets the flags as wanted.
    ///
    /// - Returns: The failures, as sentences, and whether NetworkManager manages any of these
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

    /// Forgets devices that are gone or have another connection: their flags are their profiles'
    /// again.
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
            // Some versions have no checkpoints: then only this process restores the device.
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

    /// Postpones the rollbacks.
    ///
    /// - Returns: Whether one has already happened, perhaps while this process or the host was
    ///   suspended.
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

    /// Restores all devices.
    mutating func release() {
        for path in held.keys { try? restore(path) }
    }
}
