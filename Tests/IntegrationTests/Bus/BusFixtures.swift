import Foundation
import LinkTesting
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test only where these programs and modules of the system's Python are installed, as
    /// `Scripts/test` does it.
    static func requiresInstalled(_ programs: String..., python modules: String...) -> Self {
        .enabled("\((programs + modules).joined(separator: ", ")) has to be installed") {
            let commands =
                programs.map { "command -v \($0)" }
                + modules.map { "\(BusFixture.python) -c 'import \($0)'" }
            return commands.allSatisfy { (try? shell($0)) != nil }
        }
    }
}

/// Programs that ask D-Bus for the state of the network, and where they are.
enum BusFixture {
    /// The interpreter to which Debian's modules belong.
    static let python = "/usr/bin/python3"

    /// The text of a program, which a user who may not look into the repository can be given.
    static func text(of name: String) throws -> String {
        try String(contentsOfFile: path(of: name), encoding: .utf8)
    }

    /// The path of a program.
    static func path(of name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/\(name)").standardized.path
    }

    /// Runs a Python program in a sandbox, with shell commands that change the network, in which
    /// `override` is `linkcond override`; returns the lines that it printed.
    static func lines(
        of name: String, _ options: [String], changes: [String], by caller: Caller
    ) async throws -> [String] {
        let linkcond = try SandboxedRun.program()
        return try await SandboxedRun(
            arguments: options + ["--uplink", "none", "--", python, "-c", text(of: name)]
                + changes.map { "override() { \(linkcond) override \"$@\"; }; \($0)" },
            by: caller
        ).output().split(separator: "\n").map(String.init)
    }
}
