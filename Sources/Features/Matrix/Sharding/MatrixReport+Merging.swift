import LinkModel

extension MatrixReport {
    /// Merges the reports of several parts.
    ///
    /// The baseline, which every part has, is the first part's. A planned cell that no part has is
    /// missing, which counts as a failure. File paths stay the same; a caller that moves files
    /// passes `rename`.
    ///
    /// - Parameter rename: The new path of a file of the part with this number.
    public static func merging(
        _ parts: [MatrixReport], rename: (String, Int) -> String
    ) throws(MatrixError) -> MatrixReport {
        guard var merged = parts.first else {
            throw MatrixError(.usage, "there is no report to merge; name directories")
        }
        var cells: [CellReport] = []
        var origins: [String: (part: Int, position: Int)] = [:]
        for (number, part) in parts.enumerated() {
            guard part.command == merged.command else {
                throw MatrixError(
                    .usage,
                    "the reports are of different commands: \(words(merged.command)) and "
                        + "\(words(part.command))")
            }
            guard part.matrixDigest == merged.matrixDigest else {
                let difference = MatrixDifference(
                    ("report 1", merged.specification),
                    ("report \(number + 1)", part.specification))
                throw MatrixError(
                    .usage,
                    "the reports are of different matrices: \(difference); merge parts of the same")
            }
            for cell in part.cells {
                if let other = origins[cell.id] {
                    // Not run in this part, but perhaps in another.
                    guard !cell.isBaseline, cell.status != .notRun else { continue }
                    guard cells[other.position].status == .notRun else {
                        throw MatrixError(
                            .usage,
                            "\(cell.id) is in report \(other.part + 1) and in report \(number + 1); "
                                + "merge reports of different parts")
                    }
                    cells[other.position] = cell.renamingFiles { rename($0, number) }
                    continue
                }
                origins[cell.id] = (number, cells.count)
                cells.append(cell.renamingFiles { rename($0, number) })
            }
        }
        let planned = planned(of: parts, merged.specification)
        let missing = planned.filter { origins[$0.id] == nil }
        for cell in missing { cells.append(merged.reportMissing(cell, among: cells)) }
        let order = Dictionary(
            planned.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        cells.sort { (order[$0.id] ?? .max, $0.id) < (order[$1.id] ?? .max, $1.id) }
        merged = MatrixReport(
            command: merged.command, specification: merged.specification,
            startedAt: parts.map(\.startedAt).min() ?? merged.startedAt,
            durationSeconds: parts.map(\.durationSeconds).max() ?? 0,
            isFinished: parts.allSatisfy(\.isFinished) && missing.isEmpty,
            machine: merged.machine, planned: planned,
            notes: unique(parts.flatMap(\.notes)), cells: cells)
        return merged
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

    /// A planned cell without a result. Only the machines that run cells know their conditions.
    private func reportMissing(_ cell: Cell, among cells: [CellReport]) -> CellReport {
        let conditions = cells.first { $0.profile == cell.profile }?.conditions
        var report = CellReport(
            id: cell.id, profile: cell.profile, repetition: cell.repetition,
            isBaseline: cell.isBaseline,
            conditions: conditions ?? ConditionSummary(down: "unknown", up: "unknown"),
            seed: cell.seed,
            reproduce: specification.reproduction(of: cell, seed: cell.seed, command))
        report.scenario = cell.scenario?.name
        report.status = .missing
        report.problem = "no report has its result; --rerun-failed runs it"
        return report
    }

    private static func unique(_ notes: [String]) -> [String] {
        var seen: Set<String> = []
        return notes.filter { seen.insert($0).inserted }
    }

    private static func words(_ command: [String]) -> String { command.joined(separator: " ") }
}

extension CellReport {
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
