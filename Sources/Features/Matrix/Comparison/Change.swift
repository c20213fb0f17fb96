/// What became of a cell or of a test.
public enum Change: String, Codable, Sendable, Hashable, CaseIterable {
    /// It fails now, and passed or had no result.
    case newlyFailing = "newly-failing"
    /// It has no result now, and had one.
    case newlyMissing = "newly-missing"
    /// It is skipped now, and was not.
    case newlySkipped = "newly-skipped"
    /// It always passed or always failed, and now does both.
    case newlyFlaky = "newly-flaky"
    /// It failed, and passes now.
    case fixed
    /// It was flaky, and passes now; with more repetitions it may fail again.
    case steadier
    /// It fails still; or it was flaky, and fails now.
    case stillFailing = "still-failing"
    /// It is flaky still.
    case stillFlaky = "still-flaky"
    /// Only the later report has a result of it.
    case added
    /// Only the earlier report has it.
    case removed

    /// Compares what is known of all repetitions; nil: it passes still, or never had a result.
    init?(from before: Tally, to after: Tally) {
        let isLost = before.missing == 0 && after.missing > 0
        if isLost, before.state != nil, after.state == .passed {
            self = .newlyMissing
        } else {
            self.init(from: before.state, to: after.state)
        }
    }

    /// Compares the states; nil: it passes still, or never had a result.
    init?(from before: Tally.State?, to after: Tally.State?) {
        switch (before, after) {
        case (nil, nil), (.passed, .passed): return nil
        case (nil, .missing), (nil, .skipped): return nil
        case (.missing, .missing), (.missing, .skipped): return nil
        case (.skipped, .missing), (.skipped, .skipped): return nil
        case (nil, .failed), (.passed, .failed), (.missing, .failed), (.skipped, .failed):
            self = .newlyFailing
        case (_?, .missing): self = .newlyMissing
        case (_?, .skipped): self = .newlySkipped
        case (.failed, .failed), (.flaky, .failed): self = .stillFailing
        case (.flaky, .flaky): self = .stillFlaky
        case (.passed, .flaky), (.failed, .flaky): self = .newlyFlaky
        case (.failed, .passed): self = .fixed
        case (.flaky, .passed): self = .steadier
        case (nil, _?), (.missing, _?), (.skipped, _?): self = .added
        case (_?, nil): self = .removed
        }
    }
}
