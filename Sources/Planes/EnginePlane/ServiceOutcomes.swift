import DataPlane

/// The outcomes of the last change requests, so that a repeated request is not carried out again.
struct ServiceOutcomes {
    enum Outcome {
        /// Conditions were applied; the reply lists all that exist.
        case applied
        case removed([ConditionedInterface])
        case failed(EngineError)
    }

    private var kept: [(id: UInt64, outcome: Outcome)] = []
    /// Each client sends one request at a time.
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
