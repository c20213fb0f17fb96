/// What became of a cell or of a test.
public enum Change: String, Codable, Sendable, Hashable, CaseIterable {
    /// It fails now, and passed or had no result.
    case newlyFailing = "newly-failing"
    /// It has no result now, and had one.
    case newlyMissing = "newly-missing"
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
    /// Only the later report has it.
    case added
    /// Only the earlier report has it.
    case removed

    /// Compares the states; nil: it passes still, or never had a result.
    init?(from before: Tally.State?, to after: Tally.State?) {
        switch (before, after) {
        case (nil, nil), (.passed, .passed), (.missing, .missing), (nil, .missing): return nil
        case (.passed, .failed), (nil, .failed), (.missing, .failed): self = .newlyFailing
        case (_?, .missing): self = .newlyMissing
        case (.failed, .failed), (.flaky, .failed): self = .stillFailing
        case (.flaky, .flaky): self = .stillFlaky
        case (.passed, .flaky), (.failed, .flaky): self = .newlyFlaky
        case (.failed, .passed): self = .fixed
        case (.flaky, .passed): self = .steadier
        case (nil, _?), (.missing, _?): self = .added
        case (_?, nil): self = .removed
        }
    }
}
