import Bus

/// Stands in for NetworkManager and for the desktop portal's network monitor when programs ask for
/// the network state.
///
/// Theory of operation. The state is a value (`ReportedNetwork`). It determines a tree of objects
/// with properties as NetworkManager would have them (`NetworkManagerObjects`), and the portal's
/// few values. Calls are answered from these; signals report what a new state changes. Nothing here
/// uses a bus or the kernel, so tests compare values.
///
/// Who needs what (GLib 2.74, Qt 6.4, libnm 1.42): GLib needs the manager's properties and their
/// changes; Qt also the primary connection, its devices and their introspection; nmcli needs all
/// objects at once through the object manager, and the profiles' settings.
public struct NetworkFacade: Sendable {
    private typealias Name = NetworkManagerName

    /// NetworkManager's bus name.
    public static let networkManager = "org.freedesktop.NetworkManager"
    /// The portal's bus name.
    public static let portal = "org.freedesktop.portal.Desktop"

    /// The network reported to programs.
    public private(set) var network: ReportedNetwork
    private(set) var tree: ObjectTree

    /// Reports `network`.
    public init(_ network: ReportedNetwork) {
        self.network = network
        tree = NetworkManagerObjects(network: network).tree
    }

    /// Reports another network from now on.
    ///
    /// - Returns: The signals that announce the change.
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

    /// Signals other than those for properties.
    private func legacySignals(to new: ReportedNetwork) -> [BusSignal] {
        var signals: [BusSignal] = []
        let before = Dictionary(uniqueKeysWithValues: network.interfaces.map { ($0.number, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.interfaces.map { ($0.number, $0) })
        for number in after.keys.sorted() where before[number] == nil {
            let device = BusValue.path(Name.device(number))
            let connection = BusValue.path(Name.connection(number))
            signals.append(BusSignal(Name.managerPath, Name.manager, "DeviceAdded", [device]))
            signals.append(
                BusSignal(Name.settingsPath, Name.settings, "NewConnection", [connection]))
        }
        for number in before.keys.sorted() where after[number] == nil {
            let device = BusValue.path(Name.device(number))
            let connection = BusValue.path(Name.connection(number))
            signals.append(BusSignal(Name.managerPath, Name.manager, "DeviceRemoved", [device]))
            signals.append(
                BusSignal(Name.settingsPath, Name.settings, "ConnectionRemoved", [connection]))
        }
        for (number, old) in before.sorted(by: { $0.key < $1.key }) {
            guard let new = after[number] else { continue }
            if old.deviceState != new.deviceState {
                signals.append(
                    BusSignal(
                        Name.device(number), Name.device, "StateChanged",
                        [.uint32(new.deviceState), .uint32(old.deviceState), .uint32(0)]))
            }
            if NetworkManagerObjects.settings(of: old) != NetworkManagerObjects.settings(of: new) {
                signals.append(BusSignal(Name.connection(number), Name.connection, "Updated"))
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
