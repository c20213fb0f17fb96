import Foundation
import LinkTesting
import Matrix
import Testing

/// `linkcond matrix` in a directory of its own, as a user would type it.
struct MatrixRun: Sendable {
    let directory: TemporaryDirectory
    var caller = Caller.root

    /// Where the report goes.
    var reportPath: String { "\(directory.path)/report" }

    /// Runs `body` with a directory in which everybody may write.
    static func with<Result>(
        by caller: Caller = .root, _ body: (MatrixRun) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777], ofItemAtPath: directory.path)
            return try await body(MatrixRun(directory: directory, caller: caller))
        }
    }

    /// Runs it to its end.
    func result(
        _ arguments: String..., environment: [String: String] = [:],
        timeout: Duration = .programLimit
    ) async throws -> ProcessResult {
        try await result(arguments, environment: environment, timeout: timeout)
    }

    /// Runs it to its end.
    func result(
        _ arguments: [String], environment: [String: String] = [:],
        timeout: Duration = .programLimit
    ) async throws -> ProcessResult {
        try await runProcess(
            try SandboxedRun.program(), ["matrix"] + arguments,
            environment: variables.merging(environment) { $1 },
            workingDirectory: directory.path, userID: caller.userID, timeout: timeout)
    }

    /// Runs a script that finds linkcond as `$LINKCOND`.
    func script(_ script: String, timeout: Duration = .programLimit) async throws -> ProcessResult {
        let program = try SandboxedRun.program()
        return try await runProcess(
            "sh", ["-c", script], environment: variables.merging(["LINKCOND": program]) { $1 },
            workingDirectory: directory.path, userID: caller.userID, timeout: timeout)
    }

    /// The report in the directory `report`, or in another.
    func report(_ name: String = "report") throws -> MatrixReport {
        try ReportDirectory.report(at: "\(directory.path)/\(name)")
    }

    /// A file of the report.
    func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(reportPath)/\(name)", encoding: .utf8)
    }

    /// What a cell printed.
    func log(of cell: CellReport) throws -> Data {
        let path = try #require(cell.log?.path)
        return try Data(contentsOf: URL(filePath: "\(reportPath)/\(path)"))
    }

    /// The environment of this process, but no CI engine that gives it a part of a matrix.
    private var variables: [String: String] {
        ProcessInfo.processInfo.environment.filter { name, _ in
            !["CI_NODE_INDEX", "JOB_COMPLETION_INDEX", "LINKCOND_SHARD"].contains(name)
        }
    }
}

extension MatrixReport {
    /// The cell with this ID.
    func cell(_ id: String) throws -> CellReport {
        try #require(cells.first { $0.id == id }, "there is no cell \(id)")
    }
}
