import FoundationEssentials
import LinkModel
import LinkUnits
public import Recording

/// How an attempt at a cell ended, as reported by its process.
public struct CellOutcome: Codable, Sendable, Hashable {
    /// The command's exit code; nil if it did not run.
    public var exitCode: Int32?
    /// Whether it was ended for exceeding its time limit.
    public var isTimedOut = false
    /// Why it did not run; nil if it did.
    public var problem: String?
    /// The exit code of linkcond for the problem; nil if unknown.
    public var problemStatus: Int32?
    /// The traffic on the link.
    public var statistics: LinkStatistics?
    /// Notes for the user.
    public var notes: [String] = []

    /// Makes an empty outcome.
    public init() {}

    /// Decodes the output of `json`; nil if the process ended before writing it.
    init?(json: [UInt8]) {
        guard let outcome = try? JSONDecoder().decode(CellOutcome.self, from: Data(json)) else {
            return nil
        }
        self = outcome
    }

    /// The outcome as JSON.
    public func json() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }
}

extension CellReport {
    /// Adopts an outcome and judges it by the expectations.
    ///
    /// - Parameter baselineSeconds: How long the command ran without conditions.
    mutating func conclude(_ outcome: CellOutcome, of cell: Cell, baselineSeconds: Double?) {
        exitCode = outcome.exitCode
        notes = outcome.notes
        if let link = outcome.statistics {
            statistics = CellStatistics(link)
            samples = link.samples
            timeline = link.timeline
            durationSeconds = link.durationSeconds
            // The kernel data plane takes no seed.
            seed = link.seed
        }
        guard let exitCode = outcome.exitCode else {
            status = .error
            problem = outcome.problem ?? "the sandbox did not say how it ended"
            return
        }
        guard !outcome.isTimedOut else {
            status = .timedOut
            problem =
                "ran longer than \(cell.timeLimit?.unitText ?? "it may") and was ended"
            self.exitCode = nil
            return
        }
        expectations = cell.expectations.judge(
            Expectations.Findings(
                exitCode: exitCode, seconds: durationSeconds,
                transferred: statistics.map { ByteCount(bytes: $0.transferredBytes) },
                requests: statistics?.requests,
                constrained: outcome.statistics?.constrained,
                baselineSeconds: baselineSeconds))
        let exitExpectation = cell.expectations.exit ?? .zero
        let unmet = expectations.filter { !$0.isMet }
        if cell.expectations.exit == nil, !exitExpectation.isMet(by: exitCode) {
            status = .failed
            problem = SignalName.exitCodeText(exitCode)
        } else if unmet.isEmpty {
            status = .passed
            problem = nil
        } else {
            status = .failed
            problem = unmet.map { "\($0.actual); expected \($0.expected)" }
                .joined(separator: "; ")
        }
    }

    /// Fails a cell that passed with exit code 0 although its tests failed, as those of a command
    /// do whose code is lost in a pipe, or although nobody can know whether they did.
    mutating func expectNoFailures(in tests: CollectedTests) {
        guard status == .passed, exitCode == 0 else { return }
        let count = tests.suites.reduce(0) { $0 + $1.count(of: .failure) + $1.count(of: .error) }
        let failure = count > 0 ? "\(count) test\(count == 1 ? "" : "s") failed" : tests.loss
        guard let failure else { return }
        status = .failed
        problem = "\(failure), though the command ended with 0"
    }

    /// Starts another attempt: archives the previous one and clears the result.
    mutating func beginAgain() {
        earlierAttempts.append(AttemptReport(self))
        status = .notRun
        problem = nil
        exitCode = nil
        durationSeconds = 0
        log = nil
        files = nil
        tests = nil
        expectations = []
        statistics = nil
        samples = []
        timeline = nil
        notes = []
    }
}
