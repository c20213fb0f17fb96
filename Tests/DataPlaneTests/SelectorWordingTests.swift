import LinkTesting
import Testing

@testable import DataPlane

/// What is said of arguments that are empty.
@Suite("Empty arguments", .tags(.unit))
struct SelectorWordingTests {
    @Test func `an empty SSH_CONNECTION is none`() {
        #expect(SSHSession.variable(in: ["SSH_CONNECTION": ""]) == nil)
        #expect(SSHSession.variable(in: ["SSH_CONNECTION": "x"]) == "x")
    }

    @Test func `an exception that names nothing is told so`() {
        let error = #expect(throws: SelectorError.self) { try TrafficMatch(exception: "") }
        #expect(error?.description.contains("names nothing; write KIND=VALUE") == true)
    }
}
