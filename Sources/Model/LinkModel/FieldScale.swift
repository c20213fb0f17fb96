/// How the values of a field are ordered, for a search between two of them.
public enum FieldScale: String, Sendable, Hashable, Codable {
    /// Bits per second.
    case bandwidth
    /// A time.
    case duration
    /// A share from 0 to 100 %.
    case share
    /// Packets, bytes, or a time.
    case queue
    /// A number of bytes.
    case bytes
}
