import LinkModel
import LinkTesting
import NetworkPath
import Testing

@testable import Override

@Suite("Marks and overrides", .tags(.unit))
struct MarkOverrideTests {
    private let before = NetworkMark(
        cost: .expensive, isConstrained: true, kind: .wifi, isPreferred: true, ends: 5,
        watcher: "a", unknownWords: ["roaming"])

    @Test func `what is not given stays`() {
        #expect(before.overridden(by: InterfaceOverride()) == before)
    }

    @Test func `the words of a mark are those of an override`() {
        for cost in InterfaceOverride.Cost.allCases {
            #expect(NetworkMark(InterfaceOverride(cost: cost)).cost.rawValue == cost.rawValue)
        }
        for kind in InterfaceOverride.Kind.allCases where ![.default, .hotspot].contains(kind) {
            #expect(NetworkMark(InterfaceOverride(kind: kind)).kind?.rawValue == kind.rawValue)
        }
    }

    @Test func `each value replaces what was said before`() {
        let change = { (change: InterfaceOverride) in before.overridden(by: change) }
        #expect(change(InterfaceOverride(cost: .inexpensive)).cost == .inexpensive)
        #expect(change(InterfaceOverride(cost: .default)).cost == .default)
        #expect(change(InterfaceOverride(lowData: .off)).isConstrained == false)
        #expect(change(InterfaceOverride(lowData: .default)).isConstrained == nil)
        #expect(change(InterfaceOverride(isPreferred: false)).isPreferred == false)
        let hotspot = change(InterfaceOverride(kind: .hotspot))
        #expect(hotspot.isHotspot && hotspot.kind == nil)
        let cellular = hotspot.overridden(by: InterfaceOverride(kind: .cellular))
        #expect(!cellular.isHotspot && cellular.kind == .cellular)
        #expect(change(InterfaceOverride(kind: .default)).kind == nil)
    }

    @Test func `a hotspot sets costs and Low Data Mode by itself, which may be taken back`() {
        let hotspot = NetworkMark(InterfaceOverride(kind: .hotspot))
        #expect(hotspot.makesExpensive(.wifi) && hotspot.makesConstrained)
        let free = hotspot.overridden(
            by: InterfaceOverride(cost: .inexpensive, lowData: .off))
        #expect(!free.makesExpensive(.wifi) && !free.makesConstrained)
    }
}
