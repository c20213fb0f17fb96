import Bus
import LinkTesting
import NetworkFacade
import Testing

/// What the stand-in for NetworkManager and the portal says, by value.
@Suite("NetworkFacade", .tags(.unit))
struct NetworkFacadeTests {
    static let manager: ObjectPath = "/org/freedesktop/NetworkManager"
    static let managerInterface = "org.freedesktop.NetworkManager"
    static let properties = "org.freedesktop.DBus.Properties"

    static func wired(_ index: UInt32 = 101, _ metered: MeteredFlag = .guessNo, isUp: Bool = true)
        -> ReportedInterface
    {
        ReportedInterface(
            index: index, name: "eth\(index)", kind: .wired, isUp: isUp, metered: metered)
    }

    static func network(_ interfaces: ReportedInterface...) -> ReportedNetwork {
        ReportedNetwork(reach: .everywhere, interfaces: interfaces)
    }

    private static func property(
        _ facade: NetworkFacade, _ path: ObjectPath, _ interface: String, _ name: String
    ) -> BusValue? {
        let answer = facade.answer(path, properties, "Get", [.string(interface), .string(name)])
        guard case .values(let values) = answer else { return nil }
        return values.first?.content
    }

    @Test(arguments: [
        (true, true, MeteredFlag.yes), (true, false, .yes), (false, true, .guessYes),
        (false, false, .guessNo),
    ])
    func `a mark becomes a metered flag`(
        isExpensive: Bool, isConstrained: Bool, expected: MeteredFlag
    ) {
        let flag = MeteredFlag(isExpensive: isExpensive, isConstrained: isConstrained)
        #expect(flag == expected)
        #expect(flag.isMetered == (isExpensive || isConstrained))
    }

    @Test func `the manager has the state that GLib reads`() {
        let facade = NetworkFacade(Self.network(Self.wired(101, .yes)))
        let read = { Self.property(facade, Self.manager, Self.managerInterface, $0)?.number }
        #expect(read("State") == 70)
        #expect(read("Connectivity") == 4)
        #expect(read("Metered") == 1)
    }

    @Test(
        arguments: [
            (ReportedNetwork.Reach.none, 20), (.local, 50),
        ] as [(ReportedNetwork.Reach, UInt32)])
    func `without a default route there is nothing metered`(
        reach: ReportedNetwork.Reach, state: UInt32
    ) {
        let facade = NetworkFacade(
            ReportedNetwork(reach: reach, interfaces: [Self.wired(101, .yes)]))
        let read = { Self.property(facade, Self.manager, Self.managerInterface, $0) }
        #expect(read("State") == .uint32(state))
        #expect(read("Metered") == .uint32(0))
        #expect(read("PrimaryConnection") == .path(.none))
    }

    @Test func `the primary connection leads to its device, as Qt follows it`() throws {
        let facade = NetworkFacade(Self.network(Self.wired(7, .guessYes), Self.wired(8)))
        let primary = try #require(
            Self.property(facade, Self.manager, Self.managerInterface, "PrimaryConnection")?.text)
        let active = "org.freedesktop.NetworkManager.Connection.Active"
        let devices = Self.property(facade, ObjectPath(primary), active, "Devices")?.paths
        let device = try #require(devices?.first)
        let interface = "org.freedesktop.NetworkManager.Device"
        #expect(Self.property(facade, device, interface, "Metered") == .uint32(3))
        #expect(Self.property(facade, device, interface, "Interface") == .string("eth7"))
        #expect(Self.property(facade, device, interface, "DeviceType") == .uint32(1))
    }

    @Test func `an interface of another kind is another device with another connection`() throws {
        var facade = NetworkFacade(Self.network(Self.wired(7)))
        let read = {
            Self.property($0, Self.manager, Self.managerInterface, "PrimaryConnection")?.text
        }
        let before = try #require(read(facade))
        var wireless = Self.wired(7)
        wireless.kind = .wifi
        let signals = facade.update(to: Self.network(wireless))
        let after = try #require(read(facade))
        #expect(before != after)
        #expect(
            signals.map(\.member).filter { $0.hasPrefix("Device") || $0.hasSuffix("Connection") }
                == ["DeviceAdded", "NewConnection", "DeviceRemoved"])
    }

    @Test func `introspection names the properties and their types`() throws {
        let facade = NetworkFacade(Self.network(Self.wired(7)))
        let answer = facade.answer(
            "/org/freedesktop/NetworkManager/Devices/7", "org.freedesktop.DBus.Introspectable",
            "Introspect", [])
        guard case .values(let values) = answer else {
            Issue.record("\(answer)")
            return
        }
        let text = try #require(values.first?.text)
        #expect(text.contains(#"<property name="Metered" type="u" access="read"/>"#))
        #expect(text.contains(#"<interface name="org.freedesktop.NetworkManager.Device.Wired">"#))
    }

    @Test func `introspection leads from the root to the devices`() throws {
        let facade = NetworkFacade(Self.network(Self.wired(7)))
        var path = ""
        for child in ["org", "freedesktop", "NetworkManager", "Devices", "7"] {
            let answer = facade.answer(
                ObjectPath(path.isEmpty ? "/" : path), "org.freedesktop.DBus.Introspectable",
                "Introspect", [])
            guard case .values(let values) = answer else {
                Issue.record("\(path): \(answer)")
                return
            }
            #expect(values.first?.text?.contains("<node name=\"\(child)\"/>") == true)
            path += "/" + child
        }
    }

    @Test func `nmcli gets all objects at once`() throws {
        let facade = NetworkFacade(Self.network(Self.wired(7), Self.wired(8, isUp: false)))
        let answer = facade.answer(
            "/org/freedesktop", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", [])
        guard case .values(let values) = answer, case .array(_, let entries)? = values.first else {
            Issue.record("\(answer)")
            return
        }
        let paths = entries.compactMap { entry -> String? in
            guard case .entry(let path, _) = entry else { return nil }
            return path.text?.replacing("/org/freedesktop/NetworkManager", with: "")
        }
        #expect(
            paths == [
                "", "/ActiveConnection/7", "/Devices/7", "/Devices/8", "/Settings", "/Settings/7",
                "/Settings/8",
            ])
        #expect(values.first?.signature == "a{oa{sa{sv}}}")
    }

    @Test func `what nobody may change is refused with the way out`() {
        let facade = NetworkFacade(Self.network(Self.wired()))
        let answers = [
            facade.answer(Self.manager, Self.managerInterface, "Enable", [.bool(false)]),
            facade.answer(
                Self.manager, Self.properties, "Set",
                [.string(Self.managerInterface), .string("WirelessEnabled"), .variant(.bool(true))]),
        ]
        for answer in answers {
            guard case .refusal(_, let text) = answer else {
                Issue.record("\(answer)")
                continue
            }
            #expect(text.contains("linkcond override"))
        }
    }

    @Test func `unknown objects, methods and properties are refused`() {
        let facade = NetworkFacade(Self.network(Self.wired()))
        let name = { (answer: Answer) -> String? in
            guard case .refusal(let name, _) = answer else { return nil }
            return name
        }
        let error = "org.freedesktop.DBus.Error."
        #expect(
            name(facade.answer("/nowhere", Self.properties, "GetAll", [.string("x")]))
                == error + "UnknownObject")
        #expect(
            name(facade.answer(Self.manager, Self.managerInterface, "Explode", []))
                == error + "UnknownMethod")
        #expect(
            name(
                facade.answer(
                    Self.manager, Self.properties, "Get",
                    [.string(Self.managerInterface), .string("Nothing")]))
                == error + "UnknownProperty")
        #expect(
            name(facade.answer(Self.manager, Self.properties, "GetAll", []))
                == error + "InvalidArgs")
    }
}
