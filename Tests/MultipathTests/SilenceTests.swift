import LinkTesting
import Testing

@testable import Multipath

@Suite("Silent interfaces", .tags(.unit))
struct SilenceTests {
    /// Asks five times a second from `start` on.
    private func ask(_ silence: inout Silence, from start: Int, times count: Int) {
        for number in 0..<count { silence.ask(at: .milliseconds(start + number * 200)) }
    }

    @Test func `it takes some requests in a row without an echo`() {
        var silence = Silence()
        ask(&silence, from: 0, times: Silence.limit - 1)
        #expect(!silence.isSilent(at: .seconds(60)))
        ask(&silence, from: 1000, times: 1)
        #expect(!silence.isSilent(at: .milliseconds(1040)))
        #expect(silence.isSilent(at: .milliseconds(1060)))
    }

    @Test func `one echo ends it, even a late one`() {
        var silence = Silence()
        ask(&silence, from: 0, times: 30)
        #expect(silence.isSilent(at: .seconds(6)))
        silence.hear(after: .seconds(6))
        #expect(!silence.isSilent(at: .seconds(6)))
    }

    @Test func `echoes of a long way get the time that they need`() {
        var silence = Silence()
        silence.hear(after: .milliseconds(600))
        ask(&silence, from: 0, times: Silence.limit)
        #expect(!silence.isSilent(at: .milliseconds(2200)))
        #expect(silence.isSilent(at: .milliseconds(2300)))
    }

    @Test func `who was kept from asking does not blame the interface`() {
        var silence = Silence()
        ask(&silence, from: 0, times: 1)
        #expect(!silence.isSilent(at: .seconds(3600)))
    }
}

@Suite("Bypass routes", .tags(.unit))
struct BypassRouteTests {
    private func bypass(silent: Set<Int32>, quickest: Int32? = nil, of count: Int32 = 3) -> Int32? {
        let interfaces = (1...count).map {
            MultipathPlan.Interface(index: $0, name: "if\($0)", addresses: [], gateways: [])
        }
        return BypassRoute(interfaces, .init(quickest: quickest, silent: silent))?.interface
    }

    @Test func `there is one only while the preferred interface is silent and another is not`() {
        #expect(bypass(silent: []) == nil)
        #expect(bypass(silent: [2, 3]) == nil)
        #expect(bypass(silent: [1, 2, 3]) == nil)
        #expect(bypass(silent: [1], of: 1) == nil)
        #expect(bypass(silent: [1]) == 2)
        #expect(bypass(silent: [1, 2]) == 3)
    }

    @Test func `it takes the quickest of the others`() {
        #expect(bypass(silent: [1], quickest: 3) == 3)
        #expect(bypass(silent: [1], quickest: 1) == 2)
        #expect(bypass(silent: [1, 3], quickest: 3) == 2)
    }
}
