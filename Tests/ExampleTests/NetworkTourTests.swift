import Foundation
import LinkTesting
import Testing

/// `Examples/network-tour` with Wi-Fi and an expensive mobile network whose properties change, and a
/// server that sends back what it gets.
@Suite("Example network-tour") struct NetworkTourTests {
    /// Talks to the server; returns what the example printed.
    ///
    /// - Parameters:
    ///   - before: Runs first, in the shell, where `$linkcond` is linkcond.
    ///   - script: Types lines; `await TEXT` waits until the example has printed it.
    private func talk(
        _ rules: String, after before: String = ":", typing script: String
    ) async throws -> [String] {
        let linkcond =
            try ProcessInfo.processInfo.environment["LINKCOND_BINARY"]
            ?? BuiltProduct.path(of: "linkcond")
        let server = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/echo.py").path
        let tour = try BuiltProduct.path(of: "network-tour")
        return try await withTemporaryDirectory { directory in
            let words = """
                linkcond=\(linkcond)
                await() { until grep -q "$1" said; do sleep 0.05; done; }
                touch said
                \(before)
                { \(script)
                echo bye; } | \(tour) talk tcp server.linkcond 7000 \(rules) | tee said
                """
            let result = try await runProcess(
                linkcond,
                [
                    "run", "--interface", "wifi0=wifi", "--interface", "cell0=LTE,expensive",
                    "--uplink", "none", "--server", "exec python3 \(server) 7000",
                    "--server-ready", "7000", "--", "sh", "-ec", words,
                ], workingDirectory: directory.path, timeout: .seconds(60))
            #expect(result.exitCode == 0, "\(result.standardError)")
            return result.standardOutput.split(separator: "\n").map(String.init)
        }
    }

    @Test func `it waits for a network that it may use, and begins when there is one`()
        async throws
    {
        let lines = try await talk(
            "no-expensive", after: "$linkcond override set -i wifi0 --expensive >&2",
            typing: """
                echo hello; await waiting
                $linkcond override clear >&2
                await received
                """)
        #expect(
            lines.prefix(5) == [
                "waiting: POSIXErrorCode(rawValue: 100): Network is down", "preparing",
                "ready over wifi0", "viable", "received hello",
            ])
    }

    @Test func `it is told of a better network, and stays where it is`() async throws {
        let lines = try await talk(
            "", after: "$linkcond override set -i cell0 --prefer >&2",
            typing: """
                await viable
                $linkcond override clear >&2
                await ^better
                echo hello; await received
                $linkcond override set -i cell0 --prefer >&2
                await 'no better'
                """)
        #expect(
            lines.prefix(6) == [
                "preparing", "ready over cell0", "viable", "better path", "received hello",
                "no better path",
            ])
    }

    @Test func `it goes around a network that it may not use, and learns that it becomes one`()
        async throws
    {
        let lines = try await talk(
            "no-constrained", after: "$linkcond override set -i wifi0 --constrained >&2",
            typing: """
                await ^viable
                $linkcond override set -i cell0 --constrained >&2
                await 'not viable'
                $linkcond override clear >&2
                await '^better'
                """)
        #expect(
            lines.prefix(4) == ["preparing", "ready over cell0", "viable", "not viable"])
        #expect(lines.dropFirst(4).prefix(2).sorted() == ["better path", "viable"])
    }
}
