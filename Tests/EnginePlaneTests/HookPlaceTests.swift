import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import Testing
import TrafficControl

@testable import EnginePlane

@Suite("Hook place", .tags(.unit)) struct HookPlaceTests {
    private func way(_ direction: Direction, slot: Int, isSelective: Bool) -> HookTable.Way {
        var redirect = Redirect.sample(direction)
        redirect.slot = slot
        var selector = TrafficSelector.everything
        if isSelective { selector.family = .ipv4 }
        return HookTable.Way(redirect: redirect, selector: selector)
    }

    @Test func `every place is told by its preference, and lies before the kernel's data plane`() {
        var seen: Set<UInt16> = []
        for direction in Direction.allCases {
            let gate = HookPlace.gate(direction)
            #expect(HookPlace(preference: gate.preference) == gate)
            #expect(seen.insert(gate.preference).inserted)
            for isSelective in [true, false] {
                for slot in Slot.all {
                    for networkProtocol in Filter.NetworkProtocol.allCases {
                        let place = HookPlace(
                            way(direction, slot: slot, isSelective: isSelective), networkProtocol)
                        #expect(HookPlace(preference: place.preference) == place)
                        #expect(seen.insert(place.preference).inserted)
                        #expect(place.preference > gate.preference)
                        #expect(place.preference < 63_931)
                    }
                }
            }
        }
        for foreign in [0, 1, 49_152, 61_180, 63_931, 64_731, 65_531] as [UInt16] {
            #expect(HookPlace(preference: foreign) == nil)
        }
    }

    @Test func `what chooses comes before what is for all, and then what came first`() {
        func preference(_ slot: Int, _ isSelective: Bool) -> UInt16 {
            HookPlace(way(.down, slot: slot, isSelective: isSelective), .ipv4).preference
        }
        #expect(preference(99, true) < preference(0, false))
        #expect(preference(1, true) < preference(2, true))
    }

    @Test func `the commands take IP of both directions, but for what neighbours say`() {
        let ways = Direction.allCases.map { way($0, slot: 0, isSelective: false) }
        let text = HookTable(target: .init(index: 5, name: "eth0"), ways: ways).filterText
        #expect(text.contains("tc qdisc add dev eth0 clsact\n"))
        for (hook, near) in [("egress", "lcu5"), ("ingress", "lcd5")] {
            let lines = text.split(separator: "\n").filter { $0.contains("dev eth0 \(hook) pref") }
            #expect(lines.count == 7, "\(text)")
            // Of each version, and of both behind a VLAN tag.
            #expect(lines.count { $0.contains("redirect dev \(near)") } == 3)
            #expect(lines.count { $0.contains("0x3a00 0xff00 at 4") } == 4)
        }
    }

    @Test func `a choice of too many rules is none`() {
        func choice(_ count: Int) -> TrafficSelector {
            var selector = TrafficSelector.everything
            selector.included.toPorts = (1...count).map { PortRange(UInt16(16 * $0)) }
            return selector
        }
        func takings(_ count: Int) -> [HookTable.Taking]? {
            var way = way(.up, slot: 0, isSelective: false)
            way.selector = choice(count)
            return HookTable(target: .init(index: 5, name: "eth0"), ways: [way]).takings
        }
        #expect(takings(10) != nil && takings(500) != nil && takings(3000) == nil)
    }
}
