import LinkModel
import LinkUnits
import LinuxKernel
import Recording

/// Values that reports for people derive from a cell.
extension CellReport {
    /// Whether the command was at least started.
    public var hasRun: Bool {
        switch status {
        case .passed, .failed, .timedOut: true
        case .error: durationSeconds > 0
        case .notRun, .missing: false
        }
    }

    /// Its duration as a multiple of the baseline's; nil without a baseline, or if it was ended
    /// early.
    var baselineRatio: Double? {
        guard !isBaseline, hasRun, status != .timedOut, let baselineSeconds, baselineSeconds > 0
        else {
            return nil
        }
        return durationSeconds / baselineSeconds
    }

    /// The profile or scenario, which names a row of the matrix.
    var rowName: String { scenario ?? profile }

    /// Packets not delivered in either direction; nil if they were not counted.
    public var missingPackets: UInt64? {
        statistics.map {
            [$0.down.dropped, $0.down.lost, $0.up.dropped, $0.up.lost]
                .reduce(0) { $0.addingSaturated($1) }
        }
    }

    /// The result, with the reason if it did not pass, in a few words.
    var verdict: String {
        switch status {
        case .passed where isFlaky: "passed on attempt \(earlierAttempts.count + 1)"
        case .passed: "passed"
        case .failed: problem ?? "failed"
        case .timedOut: problem ?? "timed out"
        case .error: problem ?? "could not be run"
        case .notRun: problem ?? "not run"
        case .missing: problem ?? "missing"
        }
    }
}

extension MatrixReport {
    /// Whether failed tests of a cell are no failures: it may fail, or only its exit code counts.
    func tolerates(_ cell: CellReport) -> Bool {
        cell.status == .passed && (cell.exitCode != 0 || specification.trustsExitCode == true)
    }
}

extension ExpectationResult {
    /// `duration: at most 3 x baseline, but it was 4.2 x baseline`.
    var sentence: String { "expected \(expected), found \(actual)" }
}

extension [String] {
    /// The words, quoted for a POSIX shell.
    var shellText: String { ShellWord.line(self) }
}
