import LinkTesting
import Testing

@testable import Sandbox

@Suite("Preference of interfaces", .tags(.unit))
struct RoutePreferenceTests {
    @Test func `the only interface has the metric that routes have by themselves`() {
        var preference = RoutePreference(["eth0"])
        #expect(preference.metric(of: "eth0") == 0)
        #expect(preference.prefer("eth0").isEmpty)
    }

    @Test func `at each moment every metric is used once, and metrics follow the order`() {
        let names = (0..<15).map { "e\($0)" }
        var preference = RoutePreference(names)
        var metrics = Dictionary(
            uniqueKeysWithValues: names.map { ($0, preference.metric(of: $0)) })
        for step in 0..<1000 {
            let name = names[(step * step + step / 3) % names.count]
            let changes = preference.prefer(name)
            let old = Set(metrics.values)
            #expect(changes.allSatisfy { !old.contains($0.new) && metrics[$0.interface] == $0.old })
            for change in changes { metrics[change.interface] = change.new }
            #expect(Set(metrics.values).count == names.count)
            #expect(preference.order.first == name)
            #expect(metrics.sorted { $0.value < $1.value }.map(\.key) == preference.order)
        }
    }

    @Test func `who is not there cannot be preferred`() {
        var preference = RoutePreference(["wifi0", "cell0"])
        #expect(preference.prefer("eth0").isEmpty)
        #expect(preference.order == ["wifi0", "cell0"])
    }
}
