import Foundation
import LinkTesting

/// Runs the linkcond that was built beside the tests, with no profiles but those of `directory`.
func runLinkcond(
    _ arguments: String..., in directory: TemporaryDirectory? = nil,
    environment: [String: String] = [:], userID: UInt32? = nil
) async throws -> ProcessResult {
    // Neither the caller's profiles nor the width of the terminal may change what is printed.
    var variables = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
    variables.merge(environment) { _, new in new }
    return try await runProcess(
        BuiltProduct.path(of: "linkcond"), arguments, environment: variables,
        workingDirectory: directory?.path ?? "/", userID: userID)
}

/// Runs a Python program whose arguments are the path of linkcond and `arguments`.
func python(_ program: String, _ arguments: String...) async throws -> ProcessResult {
    try await runProcess(
        "python3", ["-c", program, BuiltProduct.path(of: "linkcond")] + arguments,
        workingDirectory: "/")
}
