import FoundationEssentials
import LinkModel
import LinuxKernel

/// The results on disk of a matrix that is not finished, or shared by several workers.
struct StoredCells: Sendable {
    /// A result that cannot be used.
    struct Damage: Sendable, Hashable {
        /// The name of its file, without `.json`.
        let name: String
        /// Why, in a sentence that begins with its path.
        let problem: String
    }

    private(set) var damages: [Damage] = []
    private var results: [String: CellRecord] = [:]
    /// Those of each kind of machine.
    private var baselines: [Baseline: CellRecord] = [:]
    /// When the matrix began, to which times in reports are relative.
    private let startedAt: Date

    private struct Baseline: Hashable {
        let id: String
        let machineKind: String
    }

    /// Reads all results of a matrix.
    ///
    /// - Parameter path: What messages call the directory.
    init(of record: MatrixRecord, in directory: ContainedDirectory, path: String) {
        startedAt = record.startedAt
        let planned = Set(record.planned.map(\.id))
        let all = (try? directory.names(in: CellRecord.directoryName)) ?? []
        for file in all.sorted() where file.hasSuffix(Self.suffix) && !file.hasPrefix(".") {
            let name = String(file.dropLast(Self.suffix.count))
            do {
                let result = try Self.read(name, of: record, in: directory, path: path)
                guard planned.contains(result.cell.id) else {
                    throw MatrixError(
                        .badFile, "\(Self.path(name, in: path)): is of a cell that nobody planned")
                }
                add(result)
            } catch {
                damages.append(Damage(name: name, problem: "\(error)"))
            }
        }
    }

    static let suffix = ".json"

    static func path(_ name: String, in directory: String) -> String {
        "\(directory)/\(CellRecord.directoryName)/\(name)\(suffix)"
    }

    /// Reads one result.
    static func read(
        _ name: String, of record: MatrixRecord, in directory: ContainedDirectory, path: String
    ) throws(MatrixError) -> CellRecord {
        let file = Self.path(name, in: path)
        let bytes: [UInt8]
        do {
            bytes = try directory.read(
                "\(CellRecord.directoryName)/\(name)\(suffix)", limit: CellRecord.sizeLimit)
        } catch {
            throw MatrixError(.cannotRead, "\(file): \(error)")
        }
        return try CellRecord(json: bytes, path: file, digest: record.digest)
    }

    private mutating func add(_ result: CellRecord) {
        let id = result.cell.id
        if results[id].map(result.replaces) != false { results[id] = result }
        guard result.cell.isBaseline else { return }
        let key = Baseline(id: id, machineKind: result.machineKind)
        if baselines[key].map(result.replaces) != false { baselines[key] = result }
    }

    /// The result of a cell that counts; nil if there is none.
    subscript(id: String) -> CellRecord? { results[id] }

    /// The result of a cell on a kind of machine: of other cells than those of the baseline, those
    /// of any.
    func result(of cell: Cell, on machineKind: String) -> CellRecord? {
        guard cell.isBaseline else { return results[cell.id] }
        return baselines[Baseline(id: cell.id, machineKind: machineKind)]
    }

    /// Whether another kind of machine ran the baseline.
    func hasBaseline(elsewhereThan machineKind: String) -> Bool {
        baselines.keys.contains { $0.machineKind != machineKind }
    }

    /// How long the command takes without conditions on a kind of machine: the median.
    func baselineSeconds(on machineKind: String) -> Double? {
        baselines.filter { $0.key.machineKind == machineKind && $0.value.cell.status == .passed }
            .map(\.value.cell.durationSeconds).median
    }

    /// A result as reports have it.
    func report(_ record: CellRecord) -> CellReport {
        var cell = record.cell
        cell.startedSeconds = max(0, record.startedAt.timeIntervalSince(startedAt))
        cell.baselineSeconds = baselineSeconds(on: record.machineKind)
        return cell
    }
}

extension MatrixReport {
    /// The report of what is on disk of a matrix; what has no result is missing.
    init(_ record: MatrixRecord, _ stored: StoredCells) {
        let own = record.ownCells
        let done = own.compactMap { stored[$0.id] }
        let results = Dictionary(
            done.map { ($0.cell.id, stored.report($0)) }, uniquingKeysWith: { first, _ in first })
        let conditions = Dictionary(
            done.map { ($0.cell.profile, $0.cell.conditions) },
            uniquingKeysWith: { first, _ in first })
        let cells = own.map { cell in
            results[cell.id]
                ?? record.specification.reportMissing(
                    cell, record.command, conditions[cell.profile])
        }
        let machine = done.first?.machine ?? .current(jobs: record.jobs ?? 1)
        self.init(
            command: record.command, specification: record.specification,
            startedAt: record.startedAt,
            durationSeconds: cells.map { $0.startedSeconds + $0.durationSeconds }.max() ?? 0,
            isFinished: done.count(where: \.isLast) == own.count, machine: machine,
            shard: record.shard,
            planned: record.plannedCells,
            notes: [MatrixNotes.business(cells, jobs: machine.jobs)].compactMap(\.self)
                + stored.damages.map { "left out: \($0.problem)" },
            cells: cells)
    }
}
