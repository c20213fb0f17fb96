import LinkModel
import LinkTesting
import LinkUnits
import Recording
import Scenarios
import Testing

@testable import Sandbox

@Suite("A wire without conditions", .tags(.unit)) struct DirectWireTests {
    private static func request(
        _ conditions: LinkConditions = LinkConditions(), isPresent: Bool = true,
        _ change: (inout SandboxRequest) -> Void = { _ in }
    ) -> SandboxRequest {
        let interface = SandboxInterface(
            conditions: conditions, profile: "test", isPresent: isPresent)
        var request = SandboxRequest(interfaces: [interface], command: [])
        change(&request)
        return request
    }

    @Test func `it is direct if nobody asks for what only a data plane does`() {
        #expect(Self.request().hasDirectWire)
        #expect(Self.request { $0.uplink = .none }.hasDirectWire)
    }

    @Test func `conditions need a data plane, also those that may come later`() {
        let slow = LinkConditions(down: DirectionConditions(delay: .milliseconds(1)))
        #expect(!Self.request(slow).hasDirectWire)
        #expect(!Self.request(LinkConditions(isBlackhole: true)).hasDirectWire)
        #expect(!Self.request(LinkConditions(dnsDelay: .seconds(1))).hasDirectWire)
        #expect(!Self.request { $0.laterConditions = [slow] }.hasDirectWire)
        #expect(!Self.request(isPresent: false).hasDirectWire)
        #expect(!Self.request { $0.conditionsLoopback = true }.hasDirectWire)
    }

    @Test func `so does what only a data plane can tell`() {
        #expect(!Self.request { $0.backend = .engine }.hasDirectWire)
        #expect(!Self.request { $0.backend = .kernel }.hasDirectWire)
        #expect(!Self.request { $0.seed = 7 }.hasDirectWire)
        #expect(!Self.request { $0.recording.wantsStatistics = true }.hasDirectWire)
        #expect(!Self.request { $0.recording.wantsConstrainedUse = true }.hasDirectWire)
        #expect(!Self.request { $0.recording.wantsProcessorUse = true }.hasDirectWire)
    }

    @Test func `several interfaces meet at a bridge, and Multipath TCP expects it`() {
        #expect(!Self.request { $0.interfaces.append($0.interfaces[0]) }.hasDirectWire)
        #expect(!Self.request { $0.multipath = .handover }.hasDirectWire)
    }
}
