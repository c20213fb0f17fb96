import FoundationEssentials

/// Timestamps in ISO 8601, UTC.
public enum Timestamp {
    /// The text for whole seconds since 1970.
    public static func text(_ secondsSince1970: Int64) -> String {
        Date(timeIntervalSince1970: Double(secondsSince1970)).formatted(.iso8601)
    }
}
