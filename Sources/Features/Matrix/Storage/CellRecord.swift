import FoundationEssentials
import LinkModel

/// The result of a finished cell, as it stands in `cells/` from then on.
struct CellRecord: Codable, Sendable, Hashable {
    private(set) var format = MatrixRecord.currentFormat
    /// That of the matrix.
    let digest: String
    /// How many workers had begun it, including this one: of several results the highest counts.
    let claim: Int
    /// Where it ran.
    let machine: MatrixReport.Machine
    /// The kind of machine, whose baseline it is compared with.
    let machineKind: String
    /// When its last attempt began.
    let startedAt: Date
    /// The result; its baseline is found when a report is made.
    let cell: CellReport
    /// Whether the cell was to run once more when this was written; nil: no.
    private let awaitsRepeat: Bool?

    static let directoryName = "cells"
    /// Larger than any result.
    static let sizeLimit = 64 << 20

    init(
        _ cell: CellReport, digest: String, claim: Int, machine: MatrixReport.Machine,
        machineKind: String, startedAt: Date, awaitsRepeat: Bool = false
    ) {
        self.digest = digest
        self.claim = claim
        self.machine = machine
        self.machineKind = machineKind
        self.startedAt = startedAt
        self.cell = cell
        self.awaitsRepeat = awaitsRepeat ? true : nil
    }

    /// Whether the cell needs not run again if the matrix goes on.
    var isLast: Bool { awaitsRepeat != true }

    /// Decodes a file's content.
    init(json: [UInt8], path: String, digest: String) throws(MatrixError) {
        guard let record = try? MatrixJSON.decode(CellRecord.self, from: json) else {
            let format = try? MatrixJSON.decode(FormatNumber.self, from: json).format
            throw MatrixError(.badFile, FormatNumber.problem(of: path, format: format))
        }
        self = record
        guard format == MatrixRecord.currentFormat else {
            throw MatrixError(.badFile, FormatNumber.problem(of: path, format: format))
        }
        guard self.digest == digest else {
            throw MatrixError(.badFile, "\(path): is of another matrix")
        }
        let times = [cell.durationSeconds, startedAt.timeIntervalSince1970]
        guard cell.hasResult, times.allSatisfy((0...MatrixReport.longestSeconds).contains) else {
            throw MatrixError(.badFile, FormatNumber.problem(of: path, format: nil))
        }
    }

    /// Whether this result counts instead of another of the same cell.
    func replaces(_ other: CellRecord) -> Bool {
        // Each kind of machine has its own baseline: a good one must not hide a bad one.
        if cell.isBaseline, machineKind != other.machineKind {
            guard cell.isFailure == other.cell.isFailure else { return cell.isFailure }
            return (startedAt, machineKind) < (other.startedAt, other.machineKind)
        }
        return (claim, startedAt) > (other.claim, other.startedAt)
    }
}
