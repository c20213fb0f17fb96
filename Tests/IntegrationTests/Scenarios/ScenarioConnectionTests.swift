import LinkTesting
import Testing

/// What becomes of TCP connections when their interface goes.
@Suite("Scenarios: connections", .requiresNamespaces, .tags(.anyKernel))
struct ScenarioConnectionTests {
    @Test(arguments: ["down", "vanish"], ["end", "keep"])
    func `connections end with their interface, unless they are to wait`(
        _ event: String, _ connections: String
    ) async throws {
        let program = "python3 \(BusFixture.path(of: "waiting.py"))"
        let (gone, back) =
            event == "down"
            ? ("interface: wifi0, down: true", "interface: wifi0, up: true")
            : ("vanish: wifi0", "appear: wifi0")
        try await ScenarioRun.with(
            interfaces: "{ wifi0: { profile: WiFi, connections: \(connections) } }",
            timeline: """
                  - { at: 5 s, \(gone) }
                  - { at: 6 s, \(back) }
                  - { at: 7 s, exec: "touch $D/back" }
                """,
            script: "exec \(program) client 4433 $D",
            options: ["--server", "\(program) server 4433 $D", "--server-ready", "4433"]
        ) { run in
            let outcome = connections == "end" ? "ECONNABORTED" : "a byte"
            #expect(run.result.exitCode == 0, run.said)
            #expect(
                run.result.standardOutput
                    == ["IPv4", "IPv6", "IPv4 of IPv6"].map { "\($0): \(outcome)\n" }.joined(),
                run.said)
        }
    }

    @Test func `connections of other interfaces go on`() async throws {
        let program = "python3 \(BusFixture.path(of: "waiting.py"))"
        try await ScenarioRun.with(
            interfaces: "{ wifi0: { profile: WiFi }, cell0: { profile: LTE } }",
            timeline: """
                  - { at: 5 s, interface: cell0, down: true }
                  - { at: 6 s, exec: "touch $D/back" }
                """,
            script: "exec \(program) client 4433 $D",
            options: ["--server", "\(program) server 4433 $D", "--server-ready", "4433"]
        ) { run in
            #expect(run.result.exitCode == 0, run.said)
            #expect(run.result.standardOutput.matches(of: /a byte/).count == 3, run.said)
        }
    }

    @Test func `an interface that has carried its limit carries nothing more`() async throws {
        let program = "python3 \(BusFixture.path(of: "stream.py"))"
        try await ScenarioRun.with(
            interfaces: "{ cell0: { profile: LTE, expensive: true }, wifi0: { profile: WiFi } }",
            timeline: "  - { at: 0 s, interface: cell0, limit: 2 MB, down: true }",
            script: "exec \(program) client 4433",
            options: ["--server", "\(program) server 4433", "--server-ready", "4433"]
        ) { run in
            #expect(run.result.exitCode == 0, run.said)
            #expect(run.result.standardOutput == "ECONNABORTED\n", run.said)
            #expect(run.events.map(\.text) == ["cell0: down"], run.said)
            // What is on the link meanwhile comes on top: LTE carries 60 kB in 10 ms.
            let received = try #require(run.received["cell0"])
            #expect(received > 1_500_000 && received < 12_000_000, "\(received)")
        }
    }
}
