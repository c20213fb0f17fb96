import Foundation
import LinkTesting
import Testing

/// Scripts of `Fixtures` that use the panel in Chromium.
enum PanelScript {
    /// Runs one as root of namespaces of its own, with an interface `eth0` and directories of its own,
    /// and returns what it found. Everything ends with its first process.
    ///
    /// - Parameter isRoot: Whether it runs as the machine's root, which the caller has to be.
    static func run<Findings: Decodable>(
        _ script: String, _ type: Findings.Type, isRoot: Bool = false
    ) async throws -> Findings {
        try await withTemporaryDirectory { directory in
            let result = try await runProcess(
                "unshare",
                (isRoot ? [] : ["--map-root-user"]) + [
                    "--net", "--mount", "--pid", "--fork", "--kill-child",
                    "--mount-proc", "sh", "-euc", setUp, script.absoluteFixture, directory.path,
                ],
                environment: environment(), timeout: .seconds(300))
            try #require(
                result.exitCode == 0, "\(result.standardError)\(result.standardOutput.suffix(2000))"
            )
            return try JSONDecoder().decode(type, from: Data(result.standardOutput.utf8))
        }
    }

    private static let setUp = """
        mount -t tmpfs -o mode=755 run /run
        ip link set lo up
        ip link add eth0 type veth peer name far0
        ip addr add 192.0.2.1/24 dev eth0
        ip link set eth0 up
        ip link set far0 up
        cd "$1"
        exec python3 "$0" "$1"
        """

    private static func environment() throws -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["LINKCOND_BINARY"] = try TestNetwork.program()
        environment["XDG_RUNTIME_DIR"] = nil
        return environment
    }
}
