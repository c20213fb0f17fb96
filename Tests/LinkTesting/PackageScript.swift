/// Runs `script` with bash in a directory that is new and goes afterwards; `$package` is the
/// directory of Package.swift.
public func runPackageScript(_ script: String) async throws -> ProcessResult {
    try await withTemporaryDirectory { directory in
        try await runProcess(
            "bash", ["-c", "package=$1\n" + script, "bash", BuiltProduct.packageDirectory],
            workingDirectory: directory.path)
    }
}
