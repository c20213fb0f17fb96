import Foundation
import LinkTesting
import Testing

/// A run without conditions, whose interface is joined to the far side directly.
@Suite("Run: without conditions", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunDirectWireTests {
    private func link(_ options: String..., by caller: Caller = .ordinaryUser) async throws
        -> Status.Interface
    {
        let program = try SandboxedRun.program()
        let result = try await SandboxedRun(
            arguments: ["Baseline", "--uplink", "none"] + options + [
                "--server", "exec python3 -m http.server --bind :: 8000", "--server-ready", "8000",
                "--", "sh", "-c",
                "curl -s -o /dev/null http://server.linkcond:8000/; exec $0 status --json", program,
            ], by: caller
        ).result()
        #expect(result.exitCode == 0, "\(result.standardError)")
        try await JSONSchema("status").expectValid(result.standardOutput)
        let status = try JSONDecoder().decode(
            Status.self, from: Data(result.standardOutput.utf8))
        return try #require(status.conditioned.first)
    }

    @Test(arguments: Caller.allCases)
    func `status counts its traffic and knows nothing that was late`(caller: Caller) async throws {
        let link = try await link(by: caller)
        #expect(link.backend == "kernel")
        #expect(link.profile == "reference/Baseline")
        #expect(link.faithful == true)
        #expect(link.problem == nil)
        for way in [link.up, link.down] {
            let way = try #require(way)
            #expect(way.counters.packets >= 4)
            #expect(way.counters.bytes >= 4 * 40)
            #expect(way.counters.dropped == 0)
            #expect(way.bandwidthBitsPerSecond == nil)
        }
    }

    @Test func `the packet engine stays where it is asked for`() async throws {
        let link = try await link("--backend", "engine", "--seed", "7")
        #expect(link.backend == "engine")
        #expect(link.seed == 7)
        #expect(link.up?.counters.latenessMicroseconds != nil)
    }

    @Test func `what the command leaves behind arrives`() async throws {
        let result = try await StandInHost.script(
            """
            python3 -c 'import socket, sys
            server = socket.create_server(("127.0.0.1", 8000))
            connection, _ = server.accept()
            count = 0
            while part := connection.recv(65536): count += len(part)
            print(count)' & server=$!
            until ss -Htln sport = :8000 | grep -q .; do sleep 0.02; done
            (run Baseline -- python3 -c 'import socket, os
            connection = socket.create_connection(("host.linkcond", 8000))
            connection.sendall(bytes(20_000_000))
            os._exit(0)')
            wait $server
            """, by: .ordinaryUser)
        #expect(result.standardOutput == "20000000\n", "\(result)")
    }
}
