import LinkTesting
import Testing

/// What becomes of a run where few descriptors are allowed.
@Suite("Run: descriptors", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunDescriptorTests {
    @Test(.requiresUplink, arguments: Caller.allCases)
    func `connections find room where 64 are allowed, and what is beyond is refused`(
        caller: Caller
    ) async throws {
        let result = try await StandInHost.script(
            """
            serve
            cat >$DIRECTORY/connect.py <<'END'
            import collections, socket
            outcomes, connections = collections.Counter(), []
            for _ in range(40):
                try:
                    connections.append(
                        socket.create_connection(("host.linkcond", 8000), timeout=10))
                    outcomes["connected"] += 1
                except ConnectionRefusedError:
                    outcomes["refused"] += 1
            for connection in connections:
                connection.close()
            print(outcomes["connected"] >= 5, outcomes["connected"] + outcomes["refused"])
            print(outcomes["refused"])
            END
            (ulimit -n 64
            run WiFi --stats $DIRECTORY/stats.json -- sh -c 'curl -s -o /dev/null -m 20 \
                -w "%{http_code}\\n" http://host.linkcond:8000/ && python3 $0' \
                $DIRECTORY/connect.py)
            # Each was tried at both addresses of the host.
            jq .refusedConnections/2 $DIRECTORY/stats.json
            kill $(jobs -p)
            """, by: caller)
        let lines = result.standardOutput.split(separator: "\n")
        try #require(lines.count == 4, "\(result.standardOutput) \(result.standardError)")
        #expect(lines[0] == "200")
        #expect(lines[1] == "True 40")
        #expect(lines[2] == lines[3])
        #expect(result.standardError.contains("connections were refused"))
        #expect(result.standardError.contains("no more than 64 descriptors open"))
    }

    @Test(arguments: [0, 1, 2, 3, 4, 6, 8])
    func `with next to none a run says so, and takes its arguments for what they are`(
        count: Int
    ) async throws {
        let script = "ulimit -n \(count); exec \"$0\" run LTE --uplink none -- sh -c 'exit 7'"
        let result = try await runProcess("sh", ["-c", script, try SandboxedRun.program()])
        #expect(result.standardOutput == "", "\(result)")
        // What is not linked statically cannot even be loaded.
        let isLoaded = !result.standardError.contains("error while loading shared libraries")
        #expect(result.exitCode == (isLoaded ? 125 : 127), "\(result)")
        #expect(
            !isLoaded || result.standardError.contains("\(count) descriptors open"), "\(result)")
    }

    @Test func `too few to begin with are named, with what to do`() async throws {
        let result = try await StandInHost.script(
            "(ulimit -n 16; run WiFi -- true)", by: .root)
        #expect(result.exitCode == 125)
        #expect(
            result.standardError.contains(
                "this process may have 16 descriptors open, allow it more with ulimit -n"),
            "\(result.standardError)")
    }
}
