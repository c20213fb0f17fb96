import Foundation
import LinkTesting

/// What was said in a run of an app and an HTTP server, which the app reaches by `eth0`.
struct AppRun {
    /// What a client says of a request.
    struct Report: Decodable {
        let allowed: Bool
        let waits: Bool
        let delegated: Bool
        let outcome: String
        let text: String?
        let status: Int?
        let bytes: Int
        let reason: Int?
        let waited: Bool
        let resumedAt: Int64?
        let canResume: Bool
        let seconds: Double
        let requests: [Metrics]
    }

    /// What a client has measured of a request.
    struct Metrics: Decodable {
        let interface: String?
        let isExpensive: Bool
        let isConstrained: Bool
        let isMultipath: Bool
        let isReused: Bool
        let protocolName: String?
        let status: Int?
        /// Whether the dates are in order.
        let isOrdered: Bool
    }

    /// What the server says of a request.
    struct Request: Decodable {
        let method: String
        let path: String
        let range: String?
        let status: Int?
        let sent: Int?
        let received: Int?
        let credential: String?
        let client: String
    }

    let reports: [Report]
    let requests: [Request]
    /// What the script printed beside reports.
    let lines: [String]

    /// Sets up `eth0`.
    static let join = """
        ip -batch - <<TEXT
        link set lo up
        addr add 192.0.2.1/24 dev eth0
        link set eth0 up
        route add default via 192.0.2.2
        TEXT

        """

    /// Sets up `cell0` as well, which is not preferred. `$neutral` is the same server at an address
    /// that is on neither interface's own network.
    static let joinBoth =
        join + """
            neutral=http://203.0.113.1:8000
            ip -batch - <<TEXT
            addr add 198.51.100.1/24 dev cell0
            link set cell0 up
            route add default via 198.51.100.2 dev cell0 metric 700
            TEXT

            """

    /// The addresses of the app's interfaces, as the server sees them.
    static let addresses = (eth0: "192.0.2.1", cell0: "198.51.100.1")

    /// Runs a script of the app in a network namespace of its own, which is gone afterwards.
    ///
    /// In the script `$probe` is the client and `$url` the server; `await PATTERN [COUNT]` waits
    /// until the client in the background has said something so often, or has ended.
    static func run(_ script: String) async throws -> AppRun {
        await turns.begin()
        defer { turns.end() }
        return try await runAtOnce(prelude + script)
    }

    /// Time limits have to do with the client, not with how many others start beside it.
    private static let turns = Turns(8)

    private static let prelude = """
        await() {
            until [ "$(grep -c "$1" out)" -ge ${2:-1} ]; do kill -0 $! || break; sleep 0.05; done
        }

        """

    private static func runAtOnce(_ script: String) async throws -> AppRun {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures").path
        return try await withTemporaryDirectory { directory in
            let probe = try BuiltProduct.path(of: "NetworkSessionProbe")
            let app = try directory.write(
                "probe=\(probe) url=http://192.0.2.2:8000\n" + script, to: "app.sh")
            let result = try await runProcess(
                "unshare",
                [
                    "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh",
                    "\(fixtures)/far.sh", "\(fixtures)/server.py", app, directory.path,
                ])
            let lines = result.standardOutput.split(separator: "\n").map(String.init)
            guard result.exitCode == 0 else {
                throw Failure(
                    description: "\(result.standardError) \(result.standardOutput)")
            }
            let log = try? String(contentsOfFile: directory.path + "/requests", encoding: .utf8)
            return AppRun(
                reports: try decode(lines.filter { $0.hasPrefix("{") }),
                requests: try decode((log ?? "").split(separator: "\n").map(String.init)),
                lines: lines.filter { !$0.hasPrefix("{") })
        }
    }

    private static func decode<Value: Decodable>(_ lines: [String]) throws -> [Value] {
        try lines.map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
