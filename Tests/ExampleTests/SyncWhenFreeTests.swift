import LinkTesting
import Testing

/// `Examples/sync-when-free`, judged by what crossed the link.
@Suite("Example sync-when-free") struct SyncWhenFreeTests {
    /// Three files, and how to wait until the example has sent some.
    private static let files = """
        for name in a b c; do head -c 200000 /dev/zero >$name; done
        await() { until [ "$(grep -o size .sent.json 2>/dev/null | wc -l)" = $1 ]; do sleep 0.1; done; }

        """
    private static let size = 600_000
    /// What a connection costs without anything to say.
    private static let little = 10_000

    private static func run(_ options: String..., script: String) async throws -> ExampleRun {
        try await ExampleRun.of("sync-when-free", options, script: files + script)
    }

    @Test(arguments: [[], ["--expensive"]])
    func `it syncs by itself where Low Data Mode is off`(_ options: [String]) async throws {
        let run = try await ExampleRun.of(
            "sync-when-free", options,
            script: Self.files + "{ await 3; echo quit; } | $example . $url")
        #expect(run.requests.map(\.path) == ["/a", "/b", "/c"])
        #expect(run.requests.map(\.bytes) == [200_000, 200_000, 200_000])
        #expect(run.sent > Self.size)
    }

    @Test func `it sends nothing by itself in Low Data Mode`() async throws {
        let run = try await Self.run(
            "--constrained", script: "{ sleep 3; echo quit; } | $example . $url")
        #expect(run.requests.isEmpty)
        #expect(run.sent < Self.little)
    }

    @Test func `in Low Data Mode it syncs when the user says so`() async throws {
        let run = try await Self.run(
            "--constrained", script: "printf 'sync now\\nquit\\n' | $example . $url")
        #expect(run.requests.map(\.bytes).reduce(0, +) == Self.size)
        #expect(run.sent > Self.size)
    }

    @Test func `it syncs when Low Data Mode ends, and each file once`() async throws {
        let run = try await Self.run(
            "--constrained",
            script: """
                {
                    sleep 2
                    $linkcond override set -i eth0 --low-data off >&2
                    await 3
                    $linkcond override set -i eth0 --low-data on >&2
                    head -c 200000 /dev/zero >d
                    sleep 3
                    echo quit
                } | $example . $url
                """)
        #expect(run.requests.map(\.path) == ["/a", "/b", "/c"])
        #expect(run.sent < Self.size + 200_000)
    }
}
