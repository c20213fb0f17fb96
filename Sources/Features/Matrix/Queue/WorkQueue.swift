import FoundationEssentials
import LinkModel
import LinuxKernel
import SystemPackage

/// Shares the cells of a matrix with other workers, on this machine and others.
///
/// Theory of operation. A worker claims a cell by creating `claims/CELL.1`, which succeeds for one
/// worker only, on network file systems too. It counts in `workers/NAME` as long as it lives. Others
/// watch that file: if its content stays the same for the time of the lease, by their own clocks,
/// they may claim the worker's cells with the next number, `claims/CELL.2`. Nothing in `claims/` is
/// ever renamed or removed, so the claim with the highest number is the one that counts. A worker
/// that was stopped and wakes up finds that number, and discards what it has. Should it publish its
/// result at the same moment, then both are on disk under different names, and the later claim's
/// counts.
struct WorkQueue {
    /// What becomes of a cell.
    enum Fate: Sendable, Hashable {
        /// This worker runs it.
        case claimed
        /// Another worker runs it.
        case elsewhere
        /// Nobody runs it any more.
        case abandoned
        /// It has a result.
        case done
    }

    /// The name of this worker, unique among all machines.
    let worker: String
    /// How long to wait between two looks at what others do.
    let pause: Duration

    private let store: MatrixStore
    private let names: [String]
    private let lease: Duration
    /// The numbers of this worker's claims, by cell.
    private var claims: [Int: Int] = [:]
    /// The highest known claims, by name.
    private var highest: [String: Int] = [:]
    /// The claims of workers that are gone, by name.
    private var free: [String: Int] = [:]
    /// The results on disk, without those that cannot be used.
    private var results: Set<String> = []
    private var distrusted: Set<String> = []
    private var owners: [String: String] = [:]
    private var watch: WorkerWatch
    private var beats = 0
    private var lastBeat: ContinuousClock.Instant?
    private var lastList: ContinuousClock.Instant?

    static let claimsName = "claims"
    static let workersName = "workers"
    static let stopName = "stopped"

    /// Joins the workers of a matrix.
    ///
    /// - Parameter names: The base names of the cells' files, the same for all workers.
    init(_ store: MatrixStore, names: [String]) throws(MatrixError) {
        self.store = store
        self.names = names
        lease = .seconds(store.record.leaseSeconds ?? 0)
        pause = min(max(lease / 10, .milliseconds(100)), .seconds(2))
        watch = WorkerWatch(lease: lease)
        worker = Self.newName()
        try store.directory.createFirst("\(Self.workersName)/\(worker)", Self.beat(0))
        beat()
        try list()
    }

    private static func newName() -> String {
        let host = (try? SmallFile.read("/proc/sys/kernel/hostname")) ?? ""
        let plain = host.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return "\(plain.prefix(60))-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    // MARK: Claims

    /// Tries to get a cell.
    mutating func claim(_ index: Int) throws(MatrixError) -> Fate {
        let name = names[index]
        if hasResult(name) { return .done }
        let known = highest[name] ?? 0
        guard known == 0 || free[name] == known else { return .elsewhere }
        let number = known + 1
        guard
            try store.directory.createFirst("\(Self.claimsName)/\(name).\(number)", worker)
        else {
            // Most others have been claimed as well meanwhile.
            try list(atMostEvery: pause)
            highest[name] = max(highest[name] ?? 0, number)
            return hasResult(name) ? .done : .elsewhere
        }
        highest[name] = number
        // The worker before may have finished it at the last moment.
        if number > 1 {
            try list()
            if hasResult(name) { return .done }
        }
        claims[index] = number
        return .claimed
    }

    /// What was known of a cell when this worker joined; nil: that nobody has begun it.
    func known(_ index: Int) -> Fate? {
        if hasResult(names[index]) { return .done }
        return highest[names[index]] == nil ? nil : .elsewhere
    }

    /// The number of this worker's claim to a cell.
    func claimNumber(of index: Int) -> Int { claims[index] ?? 1 }

    /// The base name of a cell's files, which differs from claim to claim.
    func fileName(of index: Int) -> String {
        Self.fileName(names[index], claim: claimNumber(of: index))
    }

    private static func fileName(_ name: String, claim: Int) -> String {
        claim == 1 ? name : "\(name).claim-\(claim)"
    }

    /// Whether another worker has taken over a cell of this one.
    func isLost(_ index: Int) -> Bool {
        claims[index].map {
            store.directory.contents.has("\(Self.claimsName)/\(names[index]).\($0 + 1)")
        } ?? false
    }

    private func hasResult(_ name: String) -> Bool {
        (1...(highest[name] ?? 1)).contains { number in
            let file = Self.fileName(name, claim: number)
            return results.contains(file) && !distrusted.contains(file)
        }
    }

    /// The result of a cell that another worker ran.
    func result(of index: Int) -> CellRecord? {
        (1...(highest[names[index]] ?? 1)).reversed().lazy.compactMap { number in
            try? store.result(Self.fileName(names[index], claim: number))
        }.first
    }

    /// Has a cell run again whose result cannot be used.
    mutating func distrust(_ index: Int) {
        let name = names[index]
        for number in 1...(highest[name] ?? 1) {
            distrusted.insert(Self.fileName(name, claim: number))
        }
    }

    // MARK: Others

    /// What became of cells that other workers have.
    mutating func look(at indices: some Sequence<Int>) throws(MatrixError) -> [Int: Fate] {
        try list()
        watch.begin(at: .now)
        var fates: [Int: Fate] = [:]
        for index in indices {
            let name = names[index]
            fates[index] = hasResult(name) ? .done : isHeld(name) ? .elsewhere : .abandoned
            if fates[index] == .abandoned { free[name] = highest[name] }
        }
        return fates
    }

    private mutating func isHeld(_ name: String) -> Bool {
        guard let number = highest[name] else { return false }
        let claim = "\(name).\(number)"
        if owners[claim] == nil {
            let text = store.directory.text(of: "\(Self.claimsName)/\(claim)") ?? ""
            // One that dies between creating and writing it leaves an empty claim.
            if !text.isEmpty { owners[claim] = text }
        }
        guard let owner = owners[claim] else { return watch.isAlive(claim, content: "") }
        guard owner != worker else { return false }
        let content = store.directory.text(of: "\(Self.workersName)/\(owner)") ?? ""
        return !content.hasSuffix(Self.leftSuffix) && watch.isAlive(owner, content: content)
    }

    /// Reads which cells are claimed, and which are done.
    private mutating func list(atMostEvery interval: Duration = .zero) throws(MatrixError) {
        if let lastList, ContinuousClock.now - lastList < interval { return }
        lastList = .now
        for claim in try store.directory.names(in: Self.claimsName) {
            guard let dot = claim.lastIndex(of: "."),
                let number = Int(claim[claim.index(after: dot)...]), number > 0
            else { continue }
            let name = String(claim[..<dot])
            highest[name] = max(highest[name] ?? 0, number)
        }
        let files = try store.directory.names(in: CellRecord.directoryName)
        results = Set(
            files.filter { $0.hasSuffix(StoredCells.suffix) && !$0.hasPrefix(".") }
                .map { String($0.dropLast(StoredCells.suffix.count)) })
    }

    // MARK: Life

    private static let leftSuffix = " left   \n"

    /// Always equally long, because it is overwritten in place.
    private static func beat(_ number: Int, isLeaving: Bool = false) -> String {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, 12 - digits.count))
        return zeros + digits + (isLeaving ? leftSuffix : " working\n")
    }

    /// Shows others that this worker lives, if it is time. Returns whether it was silent for so long
    /// that others may have taken over its cells.
    @discardableResult
    mutating func beat() -> Bool {
        let now = ContinuousClock.now
        let silence = lastBeat.map { now - $0 } ?? .zero
        guard lastBeat == nil || silence >= lease / 5 else { return false }
        beats += 1
        // If it fails, others take over, which this worker notices.
        try? store.directory.overwrite("\(Self.workersName)/\(worker)", Self.beat(beats))
        lastBeat = now
        return silence >= lease
    }

    /// Gives the cells that have no result to other workers at once.
    func leave() {
        try? store.directory.overwrite(
            "\(Self.workersName)/\(worker)", Self.beat(beats, isLeaving: true))
    }

    /// Has all workers end, since a cell failed.
    func stopAll(_ cell: String) {
        _ = try? store.directory.createFirst(Self.stopName, cell)
    }

    /// Whether a worker had all of them end.
    var isStopped: Bool { store.directory.contents.has(Self.stopName) }
}
