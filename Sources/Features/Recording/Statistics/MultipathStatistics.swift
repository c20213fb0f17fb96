/// The command's use of Multipath TCP.
public struct MultipathStatistics: Codable, Sendable, Hashable {
    /// The mode: `handover`, `interactive` or `aggregate`.
    public var mode: String
    /// Connections whose peer supported it.
    public var connections: UInt64
    /// Connections whose peer did not, which had a single path.
    public var plainConnections: UInt64
    /// Subflows added to connections after their first.
    public var furtherPaths: UInt64

    /// Makes statistics.
    public init(
        mode: String, connections: UInt64, plainConnections: UInt64, furtherPaths: UInt64
    ) {
        self.mode = mode
        self.connections = connections
        self.plainConnections = plainConnections
        self.furtherPaths = furtherPaths
    }
}
