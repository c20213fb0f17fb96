import FoundationEssentials
import LinkModel

extension MatrixReport {
    /// Merges the reports of several parts, and of reruns: of each cell, the newest result counts.
    ///
    /// A planned cell that no part has is missing, which counts as a failure. File paths stay the
    /// same; a caller that moves files passes `rename`.
    ///
    /// - Parameters:
    ///   - names: What errors call the parts; by default `report 1` and so on.
    ///   - rename: The new path of a file of the part with this number.
    public static func merging(
        _ parts: [MatrixReport], names: [String]? = nil, rename: (String, Int) -> String
    ) throws(MatrixError) -> MatrixReport {
        guard let first = parts.first else {
            throw MatrixError(.usage, "there is no report to merge; name directories")
        }
        let names = names ?? parts.indices.map { "report \($0 + 1)" }
        var results: [String: PartResult] = [:]
        let startedAt = parts.map(\.startedAt).min() ?? first.startedAt
        for (number, part) in parts.enumerated().sorted(by: Self.isEarlier) {
            try part.expectSameMatrix(as: first, names[number], names[0])
            for cell in part.cells {
                var cell = cell.renamingFiles { rename($0, number) }
                cell.startedSeconds += part.startedAt.timeIntervalSince(startedAt)
                let result = PartResult(cell: cell, shard: part.shard)
                if let other = results[cell.id], !result.replaces(other) { continue }
                results[cell.id] = result
            }
        }
        let planned = planned(of: parts, first.specification)
        var cells = results.values.map(\.cell)
        let conditions = Dictionary(
            cells.map { ($0.profile, $0.conditions) }, uniquingKeysWith: { first, _ in first })
        for cell in planned where results[cell.id] == nil {
            cells.append(
                first.specification.reportMissing(
                    cell, first.command, conditions[cell.profile]))
        }
        let order = Dictionary(
            planned.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        cells.sort { (order[$0.id] ?? .max, $0.id) < (order[$1.id] ?? .max, $1.id) }
        return MatrixReport(
            command: first.command, specification: first.specification, startedAt: startedAt,
            durationSeconds: parts.map(\.durationSeconds).max() ?? 0,
            isFinished: cells.allSatisfy(\.hasResult), machine: first.machine, planned: planned,
            notes: unique(parts.flatMap(\.notes)), cells: cells)
    }

    private static func isEarlier(
        _ one: (offset: Int, element: MatrixReport), _ other: (offset: Int, element: MatrixReport)
    ) -> Bool {
        (one.element.startedAt, one.offset) < (other.element.startedAt, other.offset)
    }

    /// Checks that this is a part of the same matrix as `other`.
    private func expectSameMatrix(
        as other: MatrixReport, _ name: String, _ otherName: String
    ) throws(MatrixError) {
        guard command == other.command else {
            throw MatrixError(
                .usage,
                "the reports are of different commands: \(Self.words(other.command)) and "
                    + "\(Self.words(command))")
        }
        guard matrixDigest == other.matrixDigest else {
            let difference = MatrixDifference(
                (otherName, other.specification), (name, specification))
            throw MatrixError(
                .usage,
                "the reports are of different matrices: \(difference); merge parts of the same")
        }
    }

    /// The digest, also of a report of an older version.
    private var matrixDigest: String { digest ?? specification.digest(of: command) }

    /// The cells that the parts had to run together, in the order of the specification.
    private static func planned(
        of parts: [MatrixReport], _ specification: MatrixSpecification
    ) -> [Cell] {
        let all = parts.flatMap(\.plannedCells)
        let cells = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return specification.cells.compactMap { cells[$0.id] }
    }

    private static func unique(_ notes: [String]) -> [String] {
        var seen: Set<String> = []
        return notes.filter { seen.insert($0).inserted }
    }

    private static func words(_ command: [String]) -> String { command.joined(separator: " ") }
}

extension MatrixSpecification {
    /// A planned cell without a result. Only the machines that run cells know their conditions.
    func reportMissing(
        _ cell: Cell, _ command: [String], _ conditions: ConditionSummary?
    ) -> CellReport {
        var report = CellReport(
            id: cell.id, profile: cell.profile, repetition: cell.repetition,
            isBaseline: cell.isBaseline,
            conditions: conditions ?? ConditionSummary(down: "unknown", up: "unknown"),
            seed: cell.seed, reproduce: reproduction(of: cell, seed: cell.seed, command))
        report.scenario = cell.scenario?.name
        report.status = .missing
        report.problem = "no report has its result; --rerun-failed runs it"
        return report
    }
}

/// The result of a cell in a part.
private struct PartResult {
    let cell: CellReport
    let shard: Shard?

    /// Whether this result counts instead of another of the same cell.
    func replaces(_ other: PartResult) -> Bool {
        guard cell.hasResult, other.cell.hasResult else { return cell.hasResult }
        // Every part runs its own baseline: that of one must not hide that another's failed.
        if cell.isBaseline, let shard, let otherShard = other.shard, shard != otherShard {
            return cell.isFailure && !other.cell.isFailure
        }
        return cell.startedSeconds > other.cell.startedSeconds
    }
}

extension CellReport {
    /// Whether the cell ran to its end, whatever that was.
    var hasResult: Bool { status != .notRun && status != .missing }

    fileprivate func renamingFiles(_ rename: (String) -> String) -> CellReport {
        var cell = self
        cell.log?.path = rename(log?.path ?? "")
        cell.files = files.map(rename)
        for index in cell.earlierAttempts.indices {
            if let path = cell.earlierAttempts[index].log?.path {
                cell.earlierAttempts[index].log?.path = rename(path)
            }
            cell.earlierAttempts[index].files = earlierAttempts[index].files.map(rename)
        }
        return cell
    }
}
