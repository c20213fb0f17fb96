import Foundation
import Testing

/// Programs from PyPI, which `Scripts/test --only packages` puts into `.build/python-tools`.
public enum PythonTool {
    /// Variables of the environment by which `python3 -m MODULE` finds them.
    public static func environment() throws -> [String: String] {
        let path = "\(BuiltProduct.packageDirectory)/.build/python-tools"
        try #require(
            FileManager.default.fileExists(atPath: "\(path)/made-for"),
            "\(path) is missing; `Scripts/test --only packages` gets it")
        return ["PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"]
    }

    /// Runs one of them.
    public static func run(_ module: String, _ arguments: [String]) async throws -> ProcessResult {
        let variables = ProcessInfo.processInfo.environment.merging(try environment()) { $1 }
        return try await runProcess("python3", ["-m", module] + arguments, environment: variables)
    }
}
