import LinkTesting
import NetworkOverride
import NetworkPath
import Testing

@Suite("Changes of an override", .tags(.unit))
struct OverrideChangeTests {
    private let before = NetworkMark(
        cost: .expensive, isConstrained: true, kind: .wifi, isPreferred: true, until: 5,
        watcher: "a", unknownWords: ["roaming"])

    @Test func `what is not given stays, apart from the time limit`() {
        var expected = before
        (expected.until, expected.watcher) = (nil, nil)
        #expect(OverrideChange().applied(to: before) == expected)
        expected.until = 9
        expected.watcher = "b"
        #expect(OverrideChange(until: 9, watcher: "b").applied(to: before) == expected)
    }

    @Test func `each value replaces what was said before`() {
        let change = { (change: OverrideChange) in change.applied(to: before) }
        #expect(change(OverrideChange(cost: .inexpensive)).cost == .inexpensive)
        #expect(change(OverrideChange(cost: .default)).cost == .default)
        #expect(change(OverrideChange(lowData: .off)).isConstrained == false)
        #expect(change(OverrideChange(lowData: .default)).isConstrained == nil)
        #expect(change(OverrideChange(isPreferred: false)).isPreferred == false)
        let hotspot = change(OverrideChange(kind: .hotspot))
        #expect(hotspot.isHotspot && hotspot.kind == nil)
        let cellular = OverrideChange(kind: .cellular).applied(to: hotspot)
        #expect(!cellular.isHotspot && cellular.kind == .cellular)
        #expect(change(OverrideChange(kind: .default)).kind == nil)
    }

    @Test func `a hotspot sets costs and Low Data Mode by itself, which may be taken back`() {
        let hotspot = OverrideChange(kind: .hotspot).applied(to: NetworkMark())
        #expect(hotspot.makesExpensive(.wifi) && hotspot.makesConstrained)
        let free = OverrideChange(cost: .inexpensive, lowData: .off).applied(to: hotspot)
        #expect(!free.makesExpensive(.wifi) && !free.makesConstrained)
    }
}
