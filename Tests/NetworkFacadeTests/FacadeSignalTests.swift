import Bus
import LinkTesting
import NetworkFacade
import Testing

/// What the stand-in tells when the network changes.
@Suite("NetworkFacade: signals", .tags(.unit))
struct FacadeSignalTests {
    private typealias Facade = NetworkFacadeTests

    @Test func `nothing new is not told`() {
        let network = Facade.network(Facade.wired())
        var facade = NetworkFacade(network)
        #expect(facade.update(to: network).isEmpty)
    }

    @Test func `a new mark changes manager, device and portal, and nothing else`() {
        var facade = NetworkFacade(Facade.network(Facade.wired()))
        let signals = facade.update(to: Facade.network(Facade.wired(101, .yes)))
        let told = Set(signals.map { "\($0.path.text) \($0.member)" })
        #expect(
            told == [
                "/org/freedesktop/NetworkManager PropertiesChanged",
                "/org/freedesktop/NetworkManager/Devices/101 PropertiesChanged",
                "/org/freedesktop/NetworkManager/Settings/101 Updated",
                "/org/freedesktop/portal/desktop changed",
            ])
        let changes = signals.filter { $0.member == "PropertiesChanged" }
            .map { $0.arguments[1].dictionary }
        #expect(changes == [["Metered": .uint32(1)], ["Metered": .uint32(1)]])
    }

    @Test func `a link that goes down takes its connection with it`() {
        var facade = NetworkFacade(Facade.network(Facade.wired()))
        let down = ReportedNetwork(reach: .none, interfaces: [Facade.wired(isUp: false)])
        let signals = facade.update(to: down)
        let members = signals.map(\.member)
        #expect(members.contains("InterfacesRemoved"))
        #expect(members.filter { $0 == "StateChanged" }.count == 2)
        let manager = signals.first {
            $0.path == Facade.manager && $0.member == "PropertiesChanged"
        }?.arguments[1].dictionary
        #expect(manager?["State"] == .uint32(20))
        #expect(manager?["ActiveConnections"] == .paths([]))
    }

    @Test func `objects appear before they are named, and vanish after`() throws {
        let one = Facade.network(Facade.wired())
        let two = Facade.network(Facade.wired(), Facade.wired(102))
        var facade = NetworkFacade(one)
        let appearing = facade.update(to: two).map(\.member)
        let added = try #require(appearing.lastIndex(of: "InterfacesAdded"))
        let named = try #require(appearing.firstIndex(of: "PropertiesChanged"))
        #expect(added < named)
        #expect(appearing.contains("DeviceAdded"))
        let vanishing = facade.update(to: one).map(\.member)
        let removed = try #require(vanishing.firstIndex(of: "InterfacesRemoved"))
        let forgotten = try #require(vanishing.lastIndex(of: "PropertiesChanged"))
        #expect(forgotten < removed)
        #expect(vanishing.contains("DeviceRemoved"))
    }

    @Test func `what is told and what is answered agree`() throws {
        let networks = [
            Facade.network(Facade.wired(101, .yes), Facade.wired(102)),
            Facade.network(Facade.wired(102), Facade.wired(101)),
            ReportedNetwork(reach: .local, interfaces: [Facade.wired(102, .guessYes)]),
            .nothing,
        ]
        var facade = NetworkFacade(networks[3])
        for network in networks + networks.reversed() {
            let signals = facade.update(to: network)
            for signal in signals where signal.member == "PropertiesChanged" {
                let answer = facade.answer(
                    signal.path, Facade.properties, "GetAll", [signal.arguments[0]])
                guard case .values(let values) = answer else {
                    Issue.record("\(signal): \(answer)")
                    continue
                }
                let all = try #require(values.first?.dictionary)
                let changed = try #require(signal.arguments[1].dictionary)
                for (name, value) in changed { #expect(all[name] == value) }
            }
        }
    }

    @Test func `the portal counts as GLib does, not as NetworkManager`() {
        let facade = NetworkFacade(Facade.network(Facade.wired(101, .guessYes)))
        let answer = facade.answer(
            PortalMonitor.path, "org.freedesktop.portal.NetworkMonitor", "GetStatus", [])
        #expect(
            answer
                == .values([
                    .dictionary([
                        "available": .bool(true), "metered": .bool(true),
                        "connectivity": .uint32(4),
                    ])
                ]))
    }
}
