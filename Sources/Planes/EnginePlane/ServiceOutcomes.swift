import DataPlane

/// What became of the last requests that changed something, so that one that is sent again is not
/// done again.
struct ServiceOutcomes {
    enum Outcome {
        /// Conditions stand; the answer is all that there are.
        case applied
        case removed([ConditionedInterface])
        case failed(EngineError)
    }

    private var kept: [(id: UInt64, outcome: Outcome)] = []
    /// Each caller sends one request at a time.
    private static let most = 64

    subscript(id: UInt64) -> Outcome? {
        get { kept.first { $0.id == id }?.outcome }
        set {
            kept.removeAll { $0.id == id }
            if let newValue { kept.append((id, newValue)) }
            if kept.count > Self.most { kept.removeFirst() }
        }
    }
}
