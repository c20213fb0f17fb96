import LinkTesting
import Testing

/// How servers, and what the command leaves running, are ended.
@Suite(
    "Run: the end of servers and background processes", .requiresNamespaces,
    .tags(.contrary, .anyKernel))
struct RunEndTests {
    private static let writer =
        "trap \"echo %s >>$DIRECTORY/told; exit\" TERM; : >$DIRECTORY/%s; "
        + "while :; do sleep 0.05; done"

    private static func writer(_ name: String) -> String {
        writer.replacing("%s", with: name)
    }

    @Test(arguments: Caller.allCases)
    func `they are asked first, the servers last`(caller: Caller) async throws {
        let result = try await StandInHost.script(
            """
            export DIRECTORY
            # In the kernel lab files belong to root, whoever makes them.
            : >$DIRECTORY/told; chmod 666 $DIRECTORY/told
            (run LTE --uplink none --server '\(Self.writer("server"))' -- bash -c '
                (\(Self.writer("child"))) &
                until [ -e $DIRECTORY/child -a -e $DIRECTORY/server ]; do sleep 0.02; done')
            cat $DIRECTORY/told
            """, by: caller)
        #expect(result.standardOutput == "child\nserver\n", "\(result.standardError)")
    }

    @Test func `servers are asked also where there is no command`() async throws {
        let result = try await StandInHost.script(
            """
            export DIRECTORY
            (run LTE --uplink none --server '\(Self.writer("server"))' --server \
                'until [ -e $DIRECTORY/server ]; do sleep 0.02; done; exit 3' \
                --server-ready 80 -- true) || echo $?
            cat $DIRECTORY/told
            """, by: .root)
        #expect(result.standardOutput == "125\nserver\n", "\(result.standardError)")
    }

    @Test func `who does not end is killed`() async throws {
        let server = "trap \"\" TERM; touch $DIRECTORY/server; while :; do sleep 1; done"
        let result = try await StandInHost.script(
            """
            export DIRECTORY
            (run LTE --uplink none --server-stop '300 ms' --server '\(server)' -- sh -c \
                'until [ -e $DIRECTORY/server ]; do sleep 0.02; done; exit 4') || echo $?
            """, by: .root)
        #expect(result.standardOutput == "4\n", "\(result.standardError)")
        #expect(result.standardError.contains("did not end when it was asked to, and was killed"))
    }

    /// As the kernel does where memory runs out.
    @Test(arguments: Caller.allCases)
    func `how the first process was killed is told`(caller: Caller) async throws {
        let result = try await StandInHost.script(
            """
            (run LTE --uplink none -- sleep 1000.$$) & job=$!
            until process=$(pgrep -f -x "sleep 1000.$$"); do sleep 0.05; done
            kill -KILL $(ps -o ppid= -p $process)
            wait $job || echo $?
            """, by: caller)
        #expect(result.standardOutput == "125\n", "\(result.standardError)")
        #expect(result.standardError.contains("exit code 137 (SIGKILL)"), "\(result.standardError)")
    }
}
