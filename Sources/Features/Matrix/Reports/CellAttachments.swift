import LinuxKernel

/// The contents of a cell's files, as far as reports for people show them.
struct CellAttachments: Sendable, Hashable {
    /// The log of the last attempt; nil if there is none or it cannot be read.
    var log: LogExcerpt?
    /// The logs of earlier attempts, in order.
    var earlierLogs: [LogExcerpt?] = []
    var tests = CollectedTests()

    /// The total size of all logs shown in a report.
    private static let totalBytes = 4 * 1024 * 1024

    init() {}

    /// Reads a cell's files from the report's directory.
    ///
    /// - Parameters:
    ///   - cells: How many cells share the space in a report.
    ///   - pattern: Which files of the cell are JUnit files; see `CollectedTests`.
    ///   - room: How many more bytes of JUnit files are accepted.
    init(
        of cell: CellReport, in directory: ContainedDirectory, cells: Int, pattern: String?,
        room: inout Int
    ) {
        let share = min(max(Self.totalBytes / max(1, cells), 4 * 1024), 512 * 1024)
        log = cell.log.flatMap { LogExcerpt($0.path, in: directory, limit: share) }
        earlierLogs = cell.earlierAttempts.map { attempt in
            attempt.log.flatMap {
                LogExcerpt($0.path, in: directory, limit: min(share, 32 * 1024))
            }
        }
        if let files = cell.files {
            tests = CollectedTests(in: files, of: directory, pattern: pattern, room: &room)
        }
    }
}
