/// Why an engine has stopped conditioning.
public enum EngineEnd: String, Sendable, Hashable {
    /// It hung, and was killed for that.
    case standstill
    /// Its guardian was killed.
    case guardian
    /// The nft process that held its hooks was killed.
    case hooks
}
