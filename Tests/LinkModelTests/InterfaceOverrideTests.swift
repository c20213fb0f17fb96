import LinkModel
import LinkTesting
import Testing

@Suite("What apps see of an interface", .tags(.unit))
struct InterfaceOverrideTests {
    private let said = InterfaceOverride(cost: .expensive, kind: .cellular)

    @Test func `what is said later holds, and the rest stays`() {
        let other = InterfaceOverride(lowData: .off, kind: .hotspot, isPreferred: true)
        #expect(
            said.overridden(by: other)
                == InterfaceOverride(
                    cost: .expensive, lowData: .off, kind: .hotspot, isPreferred: true))
        #expect(said.overridden(by: InterfaceOverride()) == said)
    }

    @Test func `a complete one takes back what it does not say`() {
        #expect(
            said.complete
                == InterfaceOverride(cost: .expensive, lowData: .default, kind: .cellular))
    }

    @Test func `people read what is said`() {
        #expect("\(said)" == "cellular, expensive")
        #expect(
            "\(InterfaceOverride(cost: .inexpensive, lowData: .on))" == "not expensive, constrained"
        )
        #expect("\(InterfaceOverride(lowData: .off))" == "not constrained")
    }

    @Test(arguments: [
        ("wifi0", Profile.InterfaceKind.wifi), ("wlan1", .wifi), ("wlp3s0", .wifi),
        ("wlx00e04c", .wifi), ("WiFi0", .wifi), ("cell0", .cellular), ("wwan0", .cellular),
        ("rmnet_data0", .cellular), ("eth0", .wired), ("enp3s0", .wired), ("vpn0", .other),
        ("tun0", .other), ("wg0", .other), ("usb0", nil), ("x", nil),
    ])
    func `a name tells the kind, else the profile does`(name: String, kind: Profile.InterfaceKind?)
    {
        #expect(Profile.InterfaceKind(guessedFrom: name) == kind)
        let profile = Profile(name: "A", family: "b", interface: .cellular, isConstrained: true)
        let seen = InterfaceOverride(profile, named: name)
        #expect(seen.kind?.rawValue == (kind ?? .cellular).rawValue)
        #expect(seen.lowData == .on && seen.cost == nil)
        #expect(InterfaceOverride(profile).kind == .cellular)
    }
}
