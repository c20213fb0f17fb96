import LinkTesting
import Testing

/// Packets of protocols that the uplink does not carry.
@Suite("Run: other protocols", .requiresNamespaces, .tags(.contrary))
struct RunForeignProtocolTests {
    @Test(.requiresUplink, arguments: Caller.allCases)
    func `are refused by ICMP, and counted in a note at the end`(caller: Caller) async throws {
        let result = try await StandInHost.script(
            """
            (run WiFi --map-root -- sh -c '
                host=$(getent ahostsv4 host.linkcond | cut -d" " -f1 | head -n 1)
                for address in $host 192.0.2.1; do
                    python3 $0 foreign_protocol $address 132
                done' $DIRECTORY/peers.py 2>$DIRECTORY/log)
            grep -o 'SCTP ([0-9]* packets)' $DIRECTORY/log
            """, by: caller)
        #expect(result.exitCode == 0, "\(result.standardError)")
        #expect(
            result.standardOutput == "92\n92\nSCTP (2 packets)\n", "\(result.standardError)")
    }

    @Test(.requiresUplink) func `without any there is no note`() async throws {
        let result = try await SandboxedRun("WiFi", "--", "true").result()
        #expect(result.exitCode == 0)
        #expect(!result.standardError.contains("the uplink carries"))
    }
}
