import Bus

/// The introspection data of interfaces: methods, signals and types of properties.
///
/// Qt reads the types of properties from here before it reads the properties.
enum Introspection {
    struct Method {
        let name: String
        var arguments: [String] = []
        var results: [String] = []
    }

    struct Signal {
        let name: String
        var arguments: [String] = []
    }

    struct Interface {
        var methods: [Method] = []
        var signals: [Signal] = []
    }

    private static let standard: [String: Interface] = [
        StandardInterface.properties: Interface(
            methods: [
                Method(name: "Get", arguments: ["s", "s"], results: ["v"]),
                Method(name: "GetAll", arguments: ["s"], results: ["a{sv}"]),
                Method(name: "Set", arguments: ["s", "s", "v"]),
            ],
            signals: [Signal(name: "PropertiesChanged", arguments: ["s", "a{sv}", "as"])]),
        StandardInterface.introspectable: Interface(
            methods: [Method(name: "Introspect", results: ["s"])]),
        StandardInterface.peer: Interface(
            methods: [Method(name: "Ping"), Method(name: "GetMachineId", results: ["s"])]),
    ]

    static let objectManager = Interface(
        methods: [Method(name: "GetManagedObjects", results: ["a{oa{sa{sv}}}"])],
        signals: [
            Signal(name: "InterfacesAdded", arguments: ["o", "a{sa{sv}}"]),
            Signal(name: "InterfacesRemoved", arguments: ["o", "as"]),
        ])

    private static let own: [String: Interface] = [
        NetworkManagerName.manager: Interface(
            methods: [
                Method(name: "GetDevices", results: ["ao"]),
                Method(name: "GetAllDevices", results: ["ao"]),
                Method(name: "GetDeviceByIpIface", arguments: ["s"], results: ["o"]),
                Method(name: "GetPermissions", results: ["a{ss}"]),
                Method(name: "CheckConnectivity", results: ["u"]),
                Method(name: "state", results: ["u"]),
            ],
            signals: [
                Signal(name: "StateChanged", arguments: ["u"]),
                Signal(name: "DeviceAdded", arguments: ["o"]),
                Signal(name: "DeviceRemoved", arguments: ["o"]),
            ]),
        NetworkManagerName.device: Interface(
            signals: [Signal(name: "StateChanged", arguments: ["u", "u", "u"])]),
        NetworkManagerName.wireless: Interface(
            methods: [
                Method(name: "GetAccessPoints", results: ["ao"]),
                Method(name: "GetAllAccessPoints", results: ["ao"]),
            ]),
        NetworkManagerName.activeConnection: Interface(
            signals: [Signal(name: "StateChanged", arguments: ["u", "u"])]),
        NetworkManagerName.settings: Interface(
            methods: [
                Method(name: "ListConnections", results: ["ao"]),
                Method(name: "GetConnectionByUuid", arguments: ["s"], results: ["o"]),
            ],
            signals: [
                Signal(name: "NewConnection", arguments: ["o"]),
                Signal(name: "ConnectionRemoved", arguments: ["o"]),
            ]),
        NetworkManagerName.connection: Interface(
            methods: [
                Method(name: "GetSettings", results: ["a{sa{sv}}"]),
                Method(name: "GetSecrets", arguments: ["s"], results: ["a{sa{sv}}"]),
            ],
            signals: [Signal(name: "Updated"), Signal(name: "Removed")]),
        PortalMonitor.interface: Interface(
            methods: [
                Method(name: "GetAvailable", results: ["b"]),
                Method(name: "GetMetered", results: ["b"]),
                Method(name: "GetConnectivity", results: ["u"]),
                Method(name: "GetStatus", results: ["a{sv}"]),
                Method(name: "CanReach", arguments: ["s", "u"], results: ["b"]),
            ],
            signals: [Signal(name: "changed")]),
    ]

    /// The XML that `Introspect` returns for an object with these properties and children.
    static func document(
        _ interfaces: [String: ObjectTree.Properties], children: [String],
        isObjectManager: Bool = false
    ) -> String {
        var described = standard
        if isObjectManager { described[StandardInterface.objectManager] = objectManager }
        for name in interfaces.keys { described[name] = own[name] ?? Interface() }
        let bodies = described.sorted { $0.key < $1.key }.map { name, interface in
            element(name, interface, interfaces[name] ?? [:])
        }
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>
            \(bodies.joined())\(children.map { "  <node name=\"\($0)\"/>\n" }.joined())</node>

            """
    }

    private static func element(
        _ name: String, _ interface: Interface, _ properties: ObjectTree.Properties
    ) -> String {
        var lines: [String] = []
        for method in interface.methods {
            lines.append("    <method name=\"\(method.name)\">")
            lines += method.arguments.map { "      <arg type=\"\($0)\" direction=\"in\"/>" }
            lines += method.results.map { "      <arg type=\"\($0)\" direction=\"out\"/>" }
            lines.append("    </method>")
        }
        for signal in interface.signals {
            lines.append("    <signal name=\"\(signal.name)\">")
            lines += signal.arguments.map { "      <arg type=\"\($0)\"/>" }
            lines.append("    </signal>")
        }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "    <property name=\"\(name)\" type=\"\(value.signature)\" access=\"read\"/>")
        }
        return "  <interface name=\"\(name)\">\n" + lines.map { $0 + "\n" }.joined()
            + "  </interface>\n"
    }
}
