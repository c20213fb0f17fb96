import Foundation
import LinkTesting
import Testing

/// The examples under scenarios whose own expectations say what the examples should do by when.
@Suite("Examples under scenarios") struct ExampleScenarioTests {
    @Test func `sync-when-free waits for the end of Low Data Mode, not for a cheaper network`()
        async throws
    {
        let run = try await ExampleRun.of(
            "sync-when-free", [],
            scenario: """
                interfaces:
                  wifi0: { profile: LTE, kind: wifi, expensive: true, constrained: true }
                timeline:
                  - { at: 4 s, expect: { isExpensive: true, isConstrained: true } }
                  - { at: 4 s, expect: { command: "test ! -e $D/requests" } }
                  - { at: 4.5 s, constrained: false }
                  - { at: end, expect: { isExpensive: true, isConstrained: false } }
                """,
            script: """
                for name in a b c; do head -c 200000 /dev/zero >$name; done
                {
                    until [ "$(grep -o size .sent.json 2>/dev/null | wc -l)" = 3 ]; do
                        sleep 0.1
                    done
                    echo quit
                } | $example . $url
                """)
        #expect(run.output.hasPrefix("constrained"), "\(run.output)")
        #expect(run.requests.map(\.path) == ["/a", "/b", "/c"])
        #expect(run.requests.map(\.bytes) == [200_000, 200_000, 200_000])
    }

    @Test func `prefetch-assets fetches by cellular what is essential, and the rest by free Wi-Fi`()
        async throws
    {
        let run = try await ExampleRun.of(
            "prefetch-assets", [],
            scenario: """
                interfaces:
                  cell0: { profile: LTE, expensive: true }
                  wifi0: { profile: WiFi, constrained: true, present: false }
                timeline:
                  - { at: 0.1 s, expect: { command: "test -e $D/work/assets/cut.pack", within: 60 s } }
                  - { at: 5 s, expect: { command: "test ! -e $D/work/assets/level1.pack" } }
                  - { at: 6 s, appear: wifi0, prefer: wifi0 }
                  - { at: 8 s, expect: { command: "test ! -e $D/work/assets/level1.pack" } }
                  - { at: 8.5 s, interface: wifi0, constrained: false }
                """, script: "$example app $url/manifest.json assets; cd assets; stat -c '%n %s' *")
        let names = run.requests.map(\.path)
        #expect(names.first == "/intro.pack")
        #expect(names.suffix(2) == ["/level1.pack", "/level2.pack"])
        #expect(
            run.output.hasSuffix(
                "cut.pack 5000000\nintro.pack 100000\nlevel1.pack 400000\nlevel2.pack 600000\n"),
            "\(run.output)")
    }

    /// The events of `download-resumed`, at shorter intervals.
    private static let brief = """
        interfaces:
          wifi0: { profile: WiFi }
          cell0: { profile: LTE, expensive: true }
        timeline:
          - { at: 2.5 s, interface: wifi0, down: true }
          - { at: 3.5 s, interface: cell0, constrained: true, profile: 3G }
          - { at: 4.5 s, interface: cell0, down: true }
          - { at: 5 s, app: terminate }
          - { at: 5.5 s, interface: cell0, up: true }
          - { at: 6 s, app: relaunch }
          - { at: 8 s, expect: { command: "test ! -e $D/work/assets/level1.pack" } }
          - { at: 8.5 s, interface: wifi0, up: true }
        """

    /// The built-in scenario takes 45 seconds, so only who asks for it plays it.
    private static let resumptions =
        ProcessInfo.processInfo.environment["LINKCOND_LONG_SCENARIOS"] == nil
        ? [(brief, "brief")] : [(brief, "brief"), ("download-resumed", "resumed")]

    @Test(arguments: resumptions)
    func `prefetch-assets fetches no byte twice, whatever interrupts it`(
        _ scenario: String, _ manifest: String
    ) async throws {
        let run = try await ExampleRun.of(
            "prefetch-assets", [], scenario: scenario,
            script: "exec $example app $url/\(manifest).json assets")
        let essential = run.requests.filter { ["/big.pack", "/brief.pack"].contains($0.path) }
        // By Wi-Fi, by cellular, and after the restart; a busy machine may miss the first of the
        // brief intervals.
        #expect(essential.count >= (manifest == "brief" ? 2 : 3), "\(run.requests)")
        for request in essential {
            let (start, received) = (request.start ?? 0, request.received ?? 0)
            // Of what has reached this host, at most one block is requested again.
            #expect(received - start <= 65_536, "\(run.requests)")
        }
        #expect(["/level1.pack", "/late.pack"].contains(run.requests.last?.path))
        #expect(run.output.hasSuffix("pack: there\n"), "\(run.output)")
    }
}
