import LinkModel
import LinkUnits
import LinuxKernel
import Recording

/// What reports for people derive from a cell.
extension CellReport {
    /// Whether the command was started at least.
    var hasRun: Bool { status != .notRun && (status != .error || durationSeconds > 0) }

    /// How many times the baseline's duration it took; nil if there is no baseline to compare with,
    /// or if it was ended before its time.
    var baselineRatio: Double? {
        guard !isBaseline, hasRun, status != .timedOut, let baselineSeconds, baselineSeconds > 0
        else {
            return nil
        }
        return durationSeconds / baselineSeconds
    }

    /// The profile or the scenario: what the rows of a matrix are.
    var rowName: String { scenario ?? profile }

    /// Packets that did not come through, both ways; nil if nobody counted.
    var missingPackets: UInt64? {
        statistics.map {
            [$0.down.dropped, $0.down.lost, $0.up.dropped, $0.up.lost]
                .reduce(0) { $0.addingSaturated($1) }
        }
    }

    /// Why it did not pass, or that it did, in a few words.
    var verdict: String {
        switch status {
        case .passed where isFlaky: "passed on attempt \(earlierAttempts.count + 1)"
        case .passed: "passed"
        case .failed: problem ?? "failed"
        case .timedOut: problem ?? "timed out"
        case .error: problem ?? "could not be run"
        case .notRun: problem ?? "not run"
        }
    }
}

extension ExpectationResult {
    /// `duration: at most 3 x baseline, but it was 4.2 x baseline`.
    var sentence: String { "expected \(expected), found \(actual)" }
}

extension [String] {
    /// The words as a POSIX shell reads them back.
    var shellText: String { ShellWord.line(self) }
}
