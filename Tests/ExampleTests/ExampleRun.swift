import Foundation
import LinkTesting

/// A run of an example under `linkcond run`, and what it did as others saw it.
struct ExampleRun {
    /// What the server says of a request.
    struct Request: Decodable {
        let method: String
        let path: String
        let bytes: Int
        var range: String?
        /// Where the requested part begins.
        var start: Int?
        /// What has reached the client's host of earlier responses for the same path.
        var received: Int?
    }

    /// What the server was asked for; without manifests.
    let requests: [Request]
    /// What crossed the link towards the server and from there, in bytes.
    let sent: Int
    let received: Int
    /// What the script printed.
    let output: String

    private struct Statistics: Decodable {
        struct Direction: Decodable {
            struct Counters: Decodable { let bytes: Int }
            let counters: Counters
        }
        let up: Direction
        let down: Direction
    }

    /// Runs a script in a sandbox.
    ///
    /// In the script `$example` is the program, `$url` the server and `$linkcond` linkcond; the
    /// working directory is empty.
    ///
    /// - Parameter scenario: the name of a scenario, or the interfaces and the timeline of one, in
    ///   place of Wi-Fi. Its commands find the server's log as `$D/requests` and the working
    ///   directory as `$D/work`.
    static func of(
        _ example: String, _ options: [String], scenario: String? = nil, script: String
    ) async throws -> ExampleRun {
        let server = fixture(example == "prefetch-assets" ? "asset_server.py" : "files.py")
        let linkcond =
            try ProcessInfo.processInfo.environment["LINKCOND_BINARY"]
            ?? BuiltProduct.path(of: "linkcond")
        return try await withTemporaryDirectory { directory in
            let path = directory.path
            try FileManager.default.createDirectory(
                atPath: path + "/work", withIntermediateDirectories: true)
            let words = """
                example=\(try BuiltProduct.path(of: example)) linkcond=\(linkcond)
                url=http://server.linkcond:8000
                """
            let network =
                if let scenario, !scenario.contains("\n") {
                    ["--scenario", scenario]
                } else if let scenario {
                    ["--scenario", try directory.write("name: A test\n" + scenario, to: "s.yaml")]
                } else {
                    ["wifi"]
                }
            let result = try await runProcess(
                linkcond,
                ["run"] + network + options + [
                    "--uplink", "none", "--server", "exec python3 \(server) 8000 \(path)/requests",
                    "--server-ready", "8000", "--stats", path + "/statistics.json", "--", "sh",
                    "-ec", words + "\n" + script,
                ], environment: ProcessInfo.processInfo.environment.merging(["D": path]) { $1 },
                workingDirectory: path + "/work", timeout: .seconds(90))
            guard result.exitCode == 0 else {
                throw Failure(description: "\(result.standardError) \(result.standardOutput)")
            }
            let log = try? String(contentsOfFile: path + "/requests", encoding: .utf8)
            let requests = try (log ?? "").split(separator: "\n").map {
                try JSONDecoder().decode(Request.self, from: Data($0.utf8))
            }
            let statistics = try JSONDecoder().decode(
                Statistics.self, from: Data(contentsOf: URL(filePath: path + "/statistics.json")))
            return ExampleRun(
                requests: requests, sent: statistics.up.counters.bytes,
                received: statistics.down.counters.bytes, output: result.standardOutput)
        }
    }

    /// The path of a file beside the tests.
    static func fixture(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)")
            .path
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
