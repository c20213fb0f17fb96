import LinkTesting
import NetworkPath
import Testing

@testable import Network

/// The interfaces of a phone.
enum Interfaces {
    static let wifi = NetworkInterface(
        name: "wifi0", index: 2, kind: .wifi, addresses: ["192.0.2.2"])
    static let cell = NetworkInterface(name: "cell0", index: 3, kind: .cellular, isExpensive: true)
    static let loopback = NetworkInterface(
        name: "lo", index: 1, kind: .loopback, supportsIPv4: false, supportsIPv6: false)
    static let both = NetworkPath(interfaces: [wifi, cell, loopback])
    static let onlyCell = NetworkPath(interfaces: [cell, loopback])
}

@Suite("The interfaces that a connection may use", .tags(.unit)) struct InterfaceRulesTests {
    private func rules(_ change: (NWParameters) -> Void) -> InterfaceRules {
        let parameters = NWParameters.tcp
        change(parameters)
        return InterfaceRules(parameters)
    }

    @Test func `without rules the kernel chooses`() {
        let rules = rules { _ in }
        #expect(rules.candidates(on: Interfaces.both) == [nil])
        #expect(rules.candidates(on: NetworkPath(interfaces: [Interfaces.loopback])) == [])
    }

    @Test func `sockets are bound as soon as the kernel could choose what is prohibited`() {
        let rules = rules { $0.prohibitExpensivePaths = true }
        #expect(rules.candidates(on: Interfaces.both) == [Interfaces.wifi])
        #expect(rules.candidates(on: Interfaces.onlyCell) == [])
        #expect(rules.candidates(on: NetworkPath(interfaces: [Interfaces.wifi])) == [nil])
    }

    @Test func `kinds and single interfaces are required and prohibited`() {
        let wifi = NWInterface(Interfaces.wifi)
        let cell = NWInterface(Interfaces.cell)
        let both = Interfaces.both
        #expect(
            rules { $0.requiredInterfaceType = .cellular }.candidates(on: both) == [Interfaces.cell]
        )
        #expect(rules { $0.requiredInterface = cell }.candidates(on: both) == [Interfaces.cell])
        #expect(
            rules { $0.prohibitedInterfaces = [wifi] }.candidates(on: both) == [Interfaces.cell])
        #expect(
            rules { $0.prohibitedInterfaceTypes = [.wifi, .cellular] }.candidates(on: both) == [])
    }

    @Test func `what is in use comes first`() {
        let third = NetworkInterface(name: "lan0", index: 4, kind: .wired)
        let path = NetworkPath(
            interfaces: [Interfaces.wifi, third, Interfaces.cell], interfacesInUse: [third])
        let rules = rules { $0.prohibitExpensivePaths = true }
        #expect(rules.candidates(on: path) == [third, Interfaces.wifi])
    }

    @Test func `an interface without a default route still leads to its own network`() {
        let lan = NetworkInterface(
            name: "lan0", index: 4, kind: .wired, supportsIPv4: false, supportsIPv6: false)
        let path = NetworkPath(interfaces: [lan, Interfaces.cell])
        #expect(rules { $0.prohibitExpensivePaths = true }.candidates(on: path) == [lan])
    }

    @Test func `an app sees only what it may use`() {
        let cell = NWPath(
            rules { $0.requiredInterface = NWInterface(Interfaces.cell) }.view(of: Interfaces.both))
        #expect(cell.status == .satisfied && cell.isExpensive && cell.usesInterfaceType(.cellular))
        #expect(cell.availableInterfaces.map(\.name) == ["cell0"])
        let none = NWPath(
            rules { $0.prohibitExpensivePaths = true }.view(of: Interfaces.onlyCell))
        #expect(none.status == .unsatisfied && none.availableInterfaces.isEmpty)
        let own = NWPath(rules { _ in }.view(of: Interfaces.both, over: Interfaces.cell))
        #expect(own.usesInterfaceType(.cellular) && !own.usesInterfaceType(.wifi))
        #expect(own.availableInterfaces.map(\.name) == ["cell0", "wifi0"])
    }

    @Test func `a connection is viable as long as its interface is, and another may be better`() {
        let rules = rules { _ in }
        func outlook(_ path: NetworkPath, _ interface: NetworkInterface) -> [Bool] {
            let outlook = rules.outlook(on: path, over: interface)
            return [outlook.isViable, outlook.hasBetter]
        }
        #expect(outlook(Interfaces.both, Interfaces.wifi) == [true, false])
        #expect(outlook(Interfaces.both, Interfaces.cell) == [true, true])
        #expect(outlook(Interfaces.onlyCell, Interfaces.wifi) == [false, true])
        #expect(outlook(NetworkPath(interfaces: []), Interfaces.wifi) == [false, false])
        let strict = self.rules { $0.prohibitExpensivePaths = true }
        let both = strict.outlook(on: Interfaces.both, over: Interfaces.cell)
        #expect(!both.isViable && both.hasBetter)
    }

    @Test func `Multipath TCP moves by itself`() {
        let rules = rules { _ in }
        let outlook = rules.outlook(on: Interfaces.both, over: Interfaces.cell, isMultipath: true)
        #expect(outlook.isViable && !outlook.hasBetter)
    }
}
