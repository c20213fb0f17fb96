import LinkUnits
import SystemPackage

/// Notes about the whole matrix for the reader of a report.
enum MatrixNotes {
    /// Notes that the machine did not keep up, if so.
    ///
    /// - Parameter jobs: How many cells ran at once in the end.
    static func business(_ cells: [CellReport], jobs: Int) -> String? {
        let late = cells.filter { $0.statistics?.isFaithful == false }
        guard !late.isEmpty else { return nil }
        let names = late.prefix(5).map(\.id).joined(separator: ", ")
        let rest = late.count > 5 ? " and \(late.count - 5) more" : ""
        let remedy =
            jobs > 1 ? "; run fewer at once with --jobs \(max(1, jobs / 2))" : ""
        return "this machine was too busy for exact results in \(late.count) of "
            + "\(cells.count) cells (\(names)\(rest))\(remedy)"
    }

    /// Notes that logs are incomplete, if so; the usual reason is a full disk.
    static func logs(_ failures: [String: Errno]) -> String? {
        guard let (_, errno) = failures.first else { return nil }
        return "\(failures.count) logs are not complete: \(errno)"
    }

    /// Notes that results are not on disk, if so.
    static func losses(_ count: Int, _ error: MatrixError?) -> String? {
        error.map { "the results of \(count) cells are not kept for --resume: \($0)" }
    }

    /// Notes that cells had run before the matrix was resumed, if so.
    static func earlier(_ count: Int, of all: Int) -> String? {
        count == 0 ? nil : "resumed: \(count) of \(all) cells had run before"
    }

    /// Notes which results of before could not be used.
    static func damages(_ stored: StoredCells?) -> [String] {
        (stored?.damages ?? []).map { "\($0.problem); its cell ran again" }
    }
}

extension MatrixSpecification {
    /// The command line that runs a single cell.
    package func reproduction(of cell: Cell, seed: UInt64?, _ command: [String]) -> [String] {
        var words: [String] = []
        // Variables that `linkcond run` does not set, for commands that rely on them.
        let own = ["LINKCOND_CELL": cell.id, "LINKCOND_OUTPUT": "."].filter { name, _ in
            command.contains { $0.contains(name) }
        }
        let variables = environment.merging(own) { $1 }
        if !variables.isEmpty {
            words = ["env"] + variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        }
        words += ["linkcond", "run"]
        words +=
            cell.scenario.map { ["--scenario", $0.source] } ?? [
                cell.variant?.profile ?? cell.profile
            ]
        words += network.arguments(for: cell)
        if let seed { words += ["--seed", "\(seed)"] }
        if let limit = cell.timeLimit { words += ["--timeout", limit.tcText] }
        return words + ["--"] + command
    }
}
