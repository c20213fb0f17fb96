import LinkTesting
import Testing

/// QUIC, whose connections survive a change of addresses, in a handover.
@Suite("Scenarios: QUIC migration", .requiresNamespaces, .tags(.anyKernel))
struct ScenarioMigrationTests {
    @Test func `an HTTP/3 download goes on by cellular when Wi-Fi is gone`() async throws {
        let size = 1_200_000
        let python = try PythonTool.environment().map { "\($0)='\($1)'" }.joined(separator: " ")
        let server = BusFixture.path(of: "quicserver.py")
        let client = BusFixture.path(of: "quicclient.py")
        // Wi-Fi needs 10 s for all of it, so that the client has 7 s to start in.
        try await ScenarioRun.with(
            interfaces: "{ wifi0: { profile: WiFi }, cell0: { profile: LTE, expensive: true } }",
            timeline: """
                  - { at: 0 s, interface: wifi0, set: { down.bandwidth: 1 Mbit/s } }
                  - { at: 7 s, interface: wifi0, down: true }
                """,
            script: "exec env \(python) python3 \(client) $LINKCOND server.linkcond 4433",
            options: [
                "--server", "exec env \(python) python3 \(server) $D 4433 \(size)",
                "--server-ready", "4433",
            ]
        ) { run in
            #expect(run.result.exitCode == 0, run.said)
            let checksum = try run.text(of: "checksum")
            #expect(
                run.result.standardOutput == "migrated from wifi0 to cell0\n\(checksum)", run.said)
            // The same connection, from the address of one interface and then of the other.
            let addresses = try run.text(of: "addresses")
            #expect(addresses == "1 fd6c:696e:6b63:0:1::2\n1 fd6c:696e:6b63:0:2::2\n")
            let bytes = try ["wifi0", "cell0"].map { try #require(run.received[$0]) }
            #expect(bytes.allSatisfy { $0 > 100_000 }, "\(bytes)")
            #expect(bytes[0] + bytes[1] > size, "\(bytes)")
        }
    }
}
