/// Which cells run once more, by themselves, if the machine was too busy for them.
public enum UnfaithfulRetry: String, Codable, Sendable, Hashable, CaseIterable {
    /// Those that did not pass: the reason may be the machine.
    case failed
    /// All, since those that passed may have missed what the profile would have shown.
    case all
    /// None.
    case never

    /// Whether it holds for a cell.
    func includes(passed: Bool) -> Bool {
        switch self {
        case .failed: !passed
        case .all: true
        case .never: false
        }
    }
}
