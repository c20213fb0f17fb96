import Foundation
import LinkTesting
import Testing

/// A run in a shell at a terminal.
@Suite("Run: at a terminal", .requiresNamespaces, .tags(.contrary))
struct RunTerminalTests {
    @Test(arguments: Caller.allCases)
    func `has the terminal, and Ctrl-C, Ctrl-Z and fg work`(caller: Caller) async throws {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/terminal.py").path
        try await withTemporaryDirectory { directory in
            let script = try directory.write(
                try Data(contentsOf: URL(filePath: fixture)), to: "terminal.py")
            try shell("chmod 755 \(directory.path); chmod 644 \(script)")
            let result = try await runProcess(
                "/usr/bin/python3", [script, try SandboxedRun.program()], workingDirectory: "/",
                userID: caller.userID, timeout: .seconds(240))
            #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
        }
    }
}
