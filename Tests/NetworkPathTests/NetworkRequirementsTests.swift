import LinkTesting
import NetworkPath
import Testing

@Suite("Requirements", .tags(.unit))
struct NetworkRequirementsTests {
    private let wifi = NetworkInterface(name: "wlan0", index: 2, kind: .wifi)
    private let cell = NetworkInterface(name: "wwan0", index: 3, kind: .cellular, isExpensive: true)
    private let hotspot = NetworkInterface(
        name: "wlan1", index: 4, kind: .wifi, isExpensive: true, isConstrained: true)
    private let loopback = NetworkInterface(
        name: "lo", index: 1, kind: .loopback, supportsIPv4: false, supportsIPv6: false)

    @Test func `nothing but a network is met by any network`() {
        #expect(NetworkPath(interfaces: [hotspot]).satisfies(.none))
        #expect(!NetworkPath(interfaces: []).satisfies(.none))
    }

    @Test func `what stands against sending is told in order`() {
        let strict = NetworkRequirements(
            prohibitsExpensive: true, prohibitsConstrained: true,
            prohibitedInterfaceKinds: [.cellular])
        #expect(NetworkPath(interfaces: [wifi]).reasonsUnsatisfied(by: strict) == [])
        #expect(
            NetworkPath(interfaces: [cell]).reasonsUnsatisfied(by: strict)
                == [.prohibited(.cellular), .expensive])
        #expect(
            NetworkPath(interfaces: [hotspot]).reasonsUnsatisfied(by: strict)
                == [.expensive, .constrained])
        #expect(NetworkPath(interfaces: []).reasonsUnsatisfied(by: strict) == [.noInterface])
        let wired = NetworkRequirements(requiredInterfaceKinds: [.wired])
        #expect(
            NetworkPath(interfaces: [wifi]).reasonsUnsatisfied(by: wired) == [.notRequired(.wifi)])
    }

    @Test func `every interface in use has to do`() {
        let path = NetworkPath(interfaces: [wifi, cell], interfacesInUse: [wifi, cell])
        #expect(!path.satisfies(NetworkRequirements(prohibitsExpensive: true)))
        #expect(!path.satisfies(NetworkRequirements(requiredInterfaceKinds: [.wifi])))
        #expect(path.satisfies(NetworkRequirements(requiredInterfaceKinds: [.wifi, .cellular])))
    }

    @Test func `who binds to an interface has a path of those that do`() {
        let path = NetworkPath(
            interfaces: [wifi, cell, loopback],
            gateways: [
                .init(address: "192.0.2.1", interface: "wlan0"),
                .init(address: "198.51.100.1", interface: "wwan0"),
            ])
        let limited = path.limited(to: NetworkRequirements(requiredInterfaceKinds: [.cellular]))
        #expect(limited.status == .satisfied && limited.isExpensive)
        #expect(limited.interfacesInUse == [cell] && limited.interfaces == [cell])
        #expect(limited.gateways.map(\.address) == ["198.51.100.1"])
        let none = path.limited(to: NetworkRequirements(requiredInterfaceKinds: [.wired]))
        #expect(none.status == .unsatisfied && none.unsatisfiedReason == .notRequired(.wifi))
        #expect(path.limited(to: .none) == path)
        let local = NetworkPath(interfaces: [loopback])
            .limited(to: NetworkRequirements(requiredInterfaceKinds: [.loopback]))
        #expect(local.status == .satisfied && local.usesInterfaceType(.loopback))
        let cut = NetworkPath(interfaces: [])
            .limited(to: NetworkRequirements(requiredInterfaceKinds: [.wifi]))
        #expect(cut.unsatisfiedReason == .noInterface)
    }

    @Test func `reasons are clauses`() {
        let texts: [(NetworkPath.UnsatisfiedReason, String)] = [
            (.noInterface, "no interface is up"),
            (.noRoute, "no route leads to the network"),
            (.expensive, "the network is expensive"),
            (.constrained, "the network is constrained (Low Data Mode)"),
            (.prohibited(.cellular), "the network is cellular, which is prohibited"),
            (.notRequired(.wifi), "the network is wifi, which is not what is required"),
        ]
        for (reason, text) in texts { #expect(reason.description == text) }
        let error = NetworkPathError.timedOut(nil, [.expensive, .constrained])
        #expect(
            error.description == "the network did not become usable in time: the network is "
                + "expensive, the network is constrained (Low Data Mode)")
    }
}
