import LinuxKernel

/// What a cell left in files, as far as reports for people show it.
struct CellAttachments: Sendable, Hashable {
    /// Of the last attempt; nil if there is none, or it cannot be read.
    var log: LogExcerpt?
    /// Of the attempts before, in their order.
    var earlierLogs: [LogExcerpt?] = []
    var tests = CollectedTests()

    /// How much of all logs a report shows.
    private static let totalBytes = 4 * 1024 * 1024

    init() {}

    /// Reads what belongs to a cell from the directory of the report.
    ///
    /// - Parameters:
    ///   - cells: how many cells share the room in a report.
    ///   - pattern: which files of the cell are JUnit files; see `CollectedTests`.
    ///   - room: how many bytes of JUnit files are still taken in.
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
