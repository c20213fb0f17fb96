import Bus

/// Stands in for NetworkManager and for the desktop portal's network monitor, as far as programs
/// ask them for the state of the network.
///
/// Theory of operation. The state is a value (`ReportedNetwork`). From it follows a tree of objects
/// with properties, as NetworkManager would have them (`NetworkManagerObjects`), and the portal's
/// few values. Calls are answered from these; what a new state changes in them is told by signals.
/// Nothing in here talks to a bus or to the kernel, so that tests compare values.
///
/// Who needs what (GLib 2.74, Qt 6.4, libnm 1.42): GLib the manager's properties and their changes;
/// Qt besides the primary connection, its devices and their introspection; nmcli all objects at
/// once through the object manager, and the profiles' settings.
public struct NetworkFacade: Sendable {
    private typealias Name = NetworkManagerName

    /// The names that it answers for on a bus.
    public static let networkManager = "org.freedesktop.NetworkManager"
    /// The same of the portal.
    public static let portal = "org.freedesktop.portal.Desktop"

    /// What programs are told.
    public private(set) var network: ReportedNetwork
    private(set) var tree: ObjectTree

    /// Tells of a network.
    public init(_ network: ReportedNetwork) {
        self.network = network
        tree = NetworkManagerObjects(network: network).tree
    }

    /// Tells of another network from now on.
    ///
    /// - Returns: the signals that say so.
    public mutating func update(to new: ReportedNetwork) -> [BusSignal] {
        guard new != network else { return [] }
        let newTree = NetworkManagerObjects(network: new).tree
        let signals =
            tree.signals(to: newTree, manager: Name.root) + legacySignals(to: new)
            + portalSignals(to: new)
        (network, tree) = (new, newTree)
        return signals
    }

    private func portalSignals(to new: ReportedNetwork) -> [BusSignal] {
        PortalMonitor(network) == PortalMonitor(new)
            ? [] : [BusSignal(PortalMonitor.path, PortalMonitor.interface, "changed")]
    }

    /// Signals beside those of properties.
    private func legacySignals(to new: ReportedNetwork) -> [BusSignal] {
        var signals: [BusSignal] = []
        let before = Dictionary(uniqueKeysWithValues: network.interfaces.map { ($0.index, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.interfaces.map { ($0.index, $0) })
        for index in after.keys.sorted() where before[index] == nil {
            let device = BusValue.path(Name.device(index))
            let connection = BusValue.path(Name.connection(index))
            signals.append(BusSignal(Name.managerPath, Name.manager, "DeviceAdded", [device]))
            signals.append(
                BusSignal(Name.settingsPath, Name.settings, "NewConnection", [connection]))
        }
        for index in before.keys.sorted() where after[index] == nil {
            let device = BusValue.path(Name.device(index))
            let connection = BusValue.path(Name.connection(index))
            signals.append(BusSignal(Name.managerPath, Name.manager, "DeviceRemoved", [device]))
            signals.append(
                BusSignal(Name.settingsPath, Name.settings, "ConnectionRemoved", [connection]))
        }
        for (index, old) in before.sorted(by: { $0.key < $1.key }) {
            guard let new = after[index] else { continue }
            if old.deviceState != new.deviceState {
                signals.append(
                    BusSignal(
                        Name.device(index), Name.device, "StateChanged",
                        [.uint32(new.deviceState), .uint32(old.deviceState), .uint32(0)]))
            }
            if NetworkManagerObjects.settings(of: old) != NetworkManagerObjects.settings(of: new) {
                signals.append(BusSignal(Name.connection(index), Name.connection, "Updated"))
            }
        }
        if network.reach.state != new.reach.state {
            signals.append(
                BusSignal(
                    Name.managerPath, Name.manager, "StateChanged", [.uint32(new.reach.state)]))
        }
        return signals
    }
}
