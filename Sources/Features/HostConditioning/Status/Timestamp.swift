import FoundationEssentials

/// Points in time, as ISO 8601 in UTC.
public enum Timestamp {
    /// A moment in whole seconds since 1970.
    public static func text(_ secondsSince1970: Int64) -> String {
        Date(timeIntervalSince1970: Double(secondsSince1970)).formatted(.iso8601)
    }
}
