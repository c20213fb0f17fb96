import LinkTesting
import Testing

/// `Examples/prefetch-assets`, judged by what crossed the link and what is on disk.
@Suite("Example prefetch-assets") struct PrefetchAssetsTests {
    private static let essential = 5_100_000
    private static let all = 6_100_000
    /// What headers and acknowledgements add at most.
    private static let overhead = 1.1
    /// How to wait until a file is there.
    private static let await = """
        await() { until [ -e "$1" ]; do sleep 0.1; done; }
        list() { (cd assets && stat -c '%n %s' *); }

        """

    @Test(arguments: ["--expensive", "--constrained"])
    func `on a network that costs it fetches what is essential`(_ option: String) async throws {
        let run = try await ExampleRun.of(
            "prefetch-assets", [option],
            script: Self.await + "$example app $url/manifest.json assets --wait 1 || list")
        #expect(run.output.contains("cut.pack 5000000\nintro.pack 100000\n"))
        #expect(run.requests.map(\.bytes).reduce(0, +) == Self.essential)
        #expect(run.received > Self.essential)
        #expect(Double(run.received) < Double(Self.essential) * Self.overhead)
    }

    @Test func `elsewhere it fetches all, what is essential first, and nothing twice`() async throws
    {
        let run = try await ExampleRun.of(
            "prefetch-assets", [],
            script: Self.await + """
                $example app $url/manifest.json assets &
                while kill -0 $! 2>/dev/null; do list 2>/dev/null || true; done
                wait $!
                $example extension periodic $url/manifest.json assets
                """)
        #expect(
            run.requests.map(\.path) == [
                "/intro.pack", "/cut.pack", "/cut.pack", "/cut.pack", "/level1.pack",
                "/level2.pack",
            ])
        #expect(
            run.requests.map(\.range)
                == [nil, nil, "bytes=2000000-", "bytes=4000000-", nil, nil])
        #expect(run.requests.map(\.bytes).reduce(0, +) == Self.all)
        #expect(Double(run.received) < Double(Self.all) * Self.overhead)
        // Whoever looks sees a file whole or not at all.
        let seen = Set(run.output.split(separator: "\n").filter { $0.contains(".pack ") })
        let whole: Set<Substring> = [
            "intro.pack 100000", "cut.pack 5000000", "level1.pack 400000", "level2.pack 600000",
        ]
        #expect(seen.subtracting(whole).isEmpty, "\(seen)")
    }

    @Test func `it fetches the rest when the network becomes free`() async throws {
        let run = try await ExampleRun.of(
            "prefetch-assets", ["--expensive"],
            script: Self.await + """
                $example app $url/manifest.json assets &
                await assets/cut.pack
                sleep 1
                [ ! -e assets/level1.pack ]
                $linkcond override set -i eth0 --cost inexpensive
                wait $!
                list
                """)
        #expect(run.output.contains("level1.pack 400000\nlevel2.pack 600000"))
        #expect(run.requests.map(\.bytes).reduce(0, +) == Self.all)
    }

    @Test func `the extension periodically fetches nothing on a network that costs`() async throws {
        let run = try await ExampleRun.of(
            "prefetch-assets", ["--expensive"],
            script: "! $example extension periodic $url/manifest.json assets --wait 2")
        #expect(run.requests.isEmpty)
        #expect(run.received < 10_000)
    }

    @Test func `the extension leaves while the app is at it`() async throws {
        let run = try await ExampleRun.of(
            "prefetch-assets", ["--expensive"],
            script: Self.await + """
                $example app $url/manifest.json assets --wait 2 &
                await assets/intro.pack
                code=0
                $example extension periodic $url/manifest.json assets || code=$?
                [ $code = 75 ]
                wait $! || true
                """)
        #expect(run.requests.map(\.bytes).reduce(0, +) == Self.essential)
    }

    @Test func `after an installation the extension fetches what is essential on any network`()
        async throws
    {
        let run = try await ExampleRun.of(
            "prefetch-assets", ["--constrained"],
            script: Self.await + """
                ! $example simulate --app-install $url/manifest.json assets --wait 1
                list
                """)
        #expect(run.output.hasSuffix("cut.pack 5000000\nintro.pack 100000\n"), "\(run.output)")
        #expect(run.requests.map(\.bytes).reduce(0, +) == Self.essential)
    }

    @Test func `an asset on demand is fetched on any network when the app asks for it`()
        async throws
    {
        let run = try await ExampleRun.of(
            "prefetch-assets", ["--expensive"],
            script: "! $example app $url/manifest.json assets --get extra.pack --wait 1")
        #expect(run.requests.map(\.path).contains("/extra.pack"))
        #expect(!run.requests.map(\.path).contains("/level1.pack"))
    }
}
