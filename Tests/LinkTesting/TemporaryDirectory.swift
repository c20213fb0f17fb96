public import Foundation
import SystemPackage

/// A directory of a test's own, empty at first.
public struct TemporaryDirectory: Sendable {
    /// Its absolute path.
    public let path: String

    /// Writes `text` to a file at `name`, which may name directories as well.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try write(Data(text.utf8), to: name)
    }

    /// Writes `data` to a file at `name`, which may name directories as well.
    @discardableResult
    public func write(_ data: Data, to name: String) throws -> String {
        let url = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // A program that is started meanwhile would inherit Foundation's descriptor, and what is open
        // for writing anywhere cannot be executed.
        let file = try FileDescriptor.open(
            FilePath(url.path), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: FilePermissions(rawValue: 0o666))
        try file.closeAfter { _ = try file.writeAll(data) }
        return url.path
    }
}

/// Runs `body` with a new directory, which is gone afterwards.
public func withTemporaryDirectory<Result>(
    _ body: (TemporaryDirectory) async throws -> Result
) async throws -> Result {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "linkcond-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(TemporaryDirectory(path: url.path))
}
