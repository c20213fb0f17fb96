public import Bus

extension NetworkFacade {
    private typealias Name = NetworkManagerName

    /// Answers a call.
    ///
    /// - Parameter interface: Empty if the caller omits it, as D-Bus allows.
    public func answer(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) -> Answer {
        let object = interfaces(of: path)
        let children = path.children(among: allPaths)
        guard object != nil || !children.isEmpty else { return .unknownObject }
        switch (interface, member) {
        case (StandardInterface.introspectable, "Introspect"), ("", "Introspect"):
            return .values([
                .string(
                    Introspection.document(
                        object ?? [:], children: children, isObjectManager: path == Name.root))
            ])
        case (StandardInterface.objectManager, "GetManagedObjects"),
            ("", "GetManagedObjects"):
            return path == Name.root ? .values([tree.listing(below: path)]) : .unknownMethod
        case (StandardInterface.properties, _):
            return properties(object ?? [:], member, arguments)
        default:
            break
        }
        guard let object else { return .unknownMethod }
        let named = interface.isEmpty ? object.keys.sorted() : [interface]
        return named.lazy.filter { object[$0] != nil }
            .compactMap { answer(path, of: $0, member, arguments) }.first ?? .unknownMethod
    }

    private var allPaths: [ObjectPath] { tree.objects.keys + [Name.root, PortalMonitor.path] }

    private func interfaces(of path: ObjectPath) -> [String: ObjectTree.Properties]? {
        switch path {
        case Name.root: [:]
        case PortalMonitor.path:
            [PortalMonitor.interface: PortalMonitor(network).properties]
        default: tree.objects[path]
        }
    }

    private func properties(
        _ object: [String: ObjectTree.Properties], _ member: String, _ arguments: [BusValue]
    ) -> Answer {
        guard case .string(let interface)? = arguments.first else { return .invalidArguments }
        let values = object[interface]
        switch member {
        case "GetAll":
            return values.map { .values([.dictionary($0)]) } ?? .invalidArguments
        case "Get":
            guard arguments.count == 2, case .string(let name) = arguments[1] else {
                return .invalidArguments
            }
            return values?[name].map { .values([.variant($0)]) } ?? .unknownProperty
        case "Set": return .readOnly
        default: return .unknownMethod
        }
    }

    private func answer(
        _ path: ObjectPath, of interface: String, _ member: String, _ arguments: [BusValue]
    ) -> Answer? {
        switch interface {
        case Name.manager: manager(member, arguments)
        case Name.settings: settings(member, arguments)
        case Name.connection: connection(path, member)
        case Name.device: Self.changes.contains(member) ? .denied : nil
        case Name.wireless:
            member.hasSuffix("AccessPoints") && member.hasPrefix("Get")
                ? .values([.paths([])]) : nil
        case PortalMonitor.interface: PortalMonitor(network).answer(member)
        default: nil
        }
    }

    /// Methods that would change the network.
    private static let changes: Set = [
        "ActivateConnection", "AddAndActivateConnection", "AddAndActivateConnection2",
        "AddConnection", "AddConnection2", "AddConnectionUnsaved", "CheckpointCreate",
        "DeactivateConnection", "Delete", "Disconnect", "Enable", "Reapply", "Reload",
        "ReloadConnections", "Save", "SaveHostname", "SetLogging", "Sleep", "Update", "Update2",
        "UpdateUnsaved",
    ]

    private func manager(_ member: String, _ arguments: [BusValue]) -> Answer? {
        switch member {
        case "GetDevices", "GetAllDevices":
            return .values([.paths(network.interfaces.map { Name.device($0.number) })])
        case "GetDeviceByIpIface":
            guard case .string(let name)? = arguments.first else { return .invalidArguments }
            guard let interface = network.interfaces.first(where: { $0.name == name }) else {
                return .refusal(
                    name: "org.freedesktop.NetworkManager.UnknownDevice",
                    text: "there is no interface \(name)")
            }
            return .values([.path(Name.device(interface.number))])
        case "GetPermissions": return .values([.array(of: "{ss}", [])])
        case "CheckConnectivity": return .values([.uint32(network.reach.connectivity)])
        case "state": return .values([.uint32(network.reach.state)])
        default: return Self.changes.contains(member) ? .denied : nil
        }
    }

    private func settings(_ member: String, _ arguments: [BusValue]) -> Answer? {
        switch member {
        case "ListConnections":
            return .values([.paths(network.interfaces.map { Name.connection($0.number) })])
        case "GetConnectionByUuid":
            guard case .string(let uuid)? = arguments.first else { return .invalidArguments }
            guard let interface = network.interfaces.first(where: { $0.uuid == uuid }) else {
                return .refusal(
                    name: "org.freedesktop.NetworkManager.Settings.InvalidConnection",
                    text: "there is no connection \(uuid)")
            }
            return .values([.path(Name.connection(interface.number))])
        default: return Self.changes.contains(member) ? .denied : nil
        }
    }

    private func connection(_ path: ObjectPath, _ member: String) -> Answer? {
        guard
            let interface = network.interfaces.first(where: { Name.connection($0.number) == path })
        else { return .unknownObject }
        switch member {
        case "GetSettings": return .values([NetworkManagerObjects.settings(of: interface)])
        case "GetSecrets": return .values([.groups([:])])
        default: return Self.changes.contains(member) ? .denied : nil
        }
    }
}
