import FoundationEssentials

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
    init(of cell: CellReport, in directory: String, cells: Int, pattern: String?) {
        let share = min(max(Self.totalBytes / max(1, cells), 4 * 1024), 512 * 1024)
        log = Self.read(cell.log, in: directory, limit: share)
        earlierLogs = cell.earlierAttempts.map {
            Self.read($0.log, in: directory, limit: min(share, 32 * 1024))
        }
        if let files = cell.files, Self.isInside(files) {
            tests = CollectedTests(in: "\(directory)/\(files)", called: files, pattern: pattern)
        }
    }

    private static func read(_ log: LogFile?, in directory: String, limit: Int) -> LogExcerpt? {
        guard let log, isInside(log.path) else { return nil }
        return LogExcerpt(path: "\(directory)/\(log.path)", limit: limit)
    }

    /// A report may come from elsewhere, and names no files outside its directory.
    private static func isInside(_ path: String) -> Bool {
        !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
    }
}
