/// Why an engine does not condition any more what it did.
public enum EngineEnd: String, Sendable, Hashable {
    /// It stood still, and was killed for that.
    case standstill
    /// Its guardian was killed.
    case guardian
    /// What took packets to it was taken away: nft was killed.
    case hooks
}
