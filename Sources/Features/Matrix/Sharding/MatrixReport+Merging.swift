import LinkModel

extension MatrixReport {
    /// Merges the reports of several parts.
    ///
    /// The baseline, which every part has, is the first part's. File paths stay the same; a caller
    /// that moves files passes `rename`.
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
        let order = merged.specification.order
        cells.sort { (order[$0.id] ?? .max, $0.id) < (order[$1.id] ?? .max, $1.id) }
        merged = MatrixReport(
            command: merged.command, specification: merged.specification,
            startedAt: parts.map(\.startedAt).min() ?? merged.startedAt,
            durationSeconds: parts.map(\.durationSeconds).max() ?? 0,
            isFinished: parts.allSatisfy(\.isFinished), machine: merged.machine,
            notes: unique(parts.flatMap(\.notes) + missing(order, in: cells)), cells: cells)
        return merged
    }

    /// Notes which cells no part has run.
    private static func missing(_ order: [String: Int], in cells: [CellReport]) -> [String] {
        let missing = Set(order.keys).subtracting(cells.map(\.id))
        guard !missing.isEmpty else { return [] }
        let names = missing.sorted { (order[$0] ?? 0) < (order[$1] ?? 0) }
        return ["no report has the cells \(names.joined(separator: ", "))"]
    }

    private static func unique(_ notes: [String]) -> [String] {
        var seen: Set<String> = []
        return notes.filter { seen.insert($0).inserted }
    }

    private static func words(_ command: [String]) -> String { command.joined(separator: " ") }
}

extension MatrixSpecification {
    /// The position of each cell.
    fileprivate var order: [String: Int] {
        Dictionary(
            cells.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
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
