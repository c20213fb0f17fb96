import Foundation
import LinkTesting
import Network
import Synchronization
import Testing

/// Waits for a file by which a script says how far it is; no longer than scripts may take.
func waitForFile(_ path: String) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while !FileManager.default.fileExists(atPath: path), .now < deadline {
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Runs a script of Python that calls `ready(port)` once it can be connected to.
func python(
    _ script: String, _ body: (NWEndpoint.Port) async throws -> Void
) async throws -> String {
    try await withTemporaryDirectory { directory in
        let file = directory.path + "/port"
        let prelude = """
            import os, socket, sys
            def ready(port):
                open("\(file).new", "w").write(str(port))
                os.rename("\(file).new", "\(file)")

            """
        let hasEnded = Mutex(false)
        let program = Task {
            defer { hasEnded.withLock { $0 = true } }
            return try await runProcess(
                "python3", ["-c", prelude + script], timeout: .seconds(30))
        }
        var port: NWEndpoint.Port?
        while port == nil, !hasEnded.withLock({ $0 }) {
            try await Task.sleep(for: .milliseconds(10))
            port = (try? String(contentsOfFile: file, encoding: .utf8))
                .flatMap { NWEndpoint.Port($0) }
        }
        if let port { try await body(port) }
        let ended = try await program.value
        #expect(ended.exitCode == 0 && port != nil, "\(ended.standardError)")
        return ended.standardOutput
    }
}
