import Foundation
import LinkTesting
import Network
import Testing

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
        async let result = runProcess(
            "python3", ["-c", prelude + script], timeout: .seconds(30))
        var port: NWEndpoint.Port?
        while port == nil, !Task.isCancelled {
            port = (try? String(contentsOfFile: file, encoding: .utf8))
                .flatMap { NWEndpoint.Port($0) }
            try await Task.sleep(for: .milliseconds(10))
        }
        try await body(try #require(port))
        let ended = try await result
        #expect(ended.exitCode == 0, "\(ended.standardError)")
        return ended.standardOutput
    }
}
