public import Bus

/// Objects on a bus, with their interfaces and properties.
public struct ObjectTree: Sendable, Hashable {
    /// The properties of an interface by their names.
    public typealias Properties = [String: BusValue]

    /// The interfaces of each object by their names.
    public internal(set) var objects: [ObjectPath: [String: Properties]] = [:]

    subscript(path: ObjectPath, interface: String) -> Properties {
        get { objects[path]?[interface] ?? [:] }
        set { objects[path, default: [:]][interface] = newValue }
    }

    /// Several objects as `GetManagedObjects` returns them: `a{oa{sa{sv}}}`.
    func listing(below root: ObjectPath) -> BusValue {
        .array(
            of: "{oa{sa{sv}}}",
            objects.sorted { $0.key < $1.key }
                .filter { $0.key.text.hasPrefix(root.text + "/") }
                .map { .entry(.path($0.key), .groups($0.value)) })
    }
}

/// A signal to emit.
public struct BusSignal: Sendable, Hashable {
    /// The emitting object.
    public let path: ObjectPath
    /// Its interface.
    public let interface: String
    /// Its name.
    public let member: String
    /// Its arguments.
    public let arguments: [BusValue]

    init(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) {
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// `PropertiesChanged` with the new values.
    static func propertiesChanged(
        _ path: ObjectPath, _ interface: String, _ changed: ObjectTree.Properties
    ) -> BusSignal {
        BusSignal(
            path, StandardInterface.properties, "PropertiesChanged",
            [.string(interface), .dictionary(changed), .strings([])])
    }
}

/// Interfaces of the D-Bus specification.
enum StandardInterface {
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let peer = "org.freedesktop.DBus.Peer"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}

extension ObjectTree {
    /// The signals that turn this tree into `new` for listeners.
    ///
    /// New objects are announced before the properties that refer to them; old ones are removed
    /// after the properties that referred to them.
    func signals(to new: ObjectTree, manager: ObjectPath) -> [BusSignal] {
        let added = new.objects.keys.filter { objects[$0] == nil }.sorted()
        let removed = objects.keys.filter { new.objects[$0] == nil }.sorted()
        let kept = new.objects.keys.filter { objects[$0] != nil }.sorted()
        return added.map { path in
            BusSignal(
                manager, StandardInterface.objectManager, "InterfacesAdded",
                [.path(path), .groups(new.objects[path] ?? [:])])
        }
            + kept.flatMap { path in
                (new.objects[path] ?? [:]).sorted { $0.key < $1.key }.compactMap { name, values in
                    let changed = values.filter { self[path, name][$0.key] != $0.value }
                    return changed.isEmpty ? nil : .propertiesChanged(path, name, changed)
                }
            }
            + removed.map { path in
                BusSignal(
                    manager, StandardInterface.objectManager, "InterfacesRemoved",
                    [.path(path), .strings((objects[path] ?? [:]).keys.sorted())])
            }
    }
}
