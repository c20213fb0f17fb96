/// What became of the command's TCP connections with Multipath TCP.
public struct MultipathStatistics: Codable, Sendable, Hashable {
    /// How they used the interfaces: `handover`, `interactive` or `aggregate`.
    public var mode: String
    /// Connections with an other end that spoke it as well.
    public var connections: UInt64
    /// Connections with one that did not, which had one path.
    public var plainConnections: UInt64
    /// Paths that connections got beside their first ones.
    public var furtherPaths: UInt64

    /// Gathers what was counted.
    public init(
        mode: String, connections: UInt64, plainConnections: UInt64, furtherPaths: UInt64
    ) {
        self.mode = mode
        self.connections = connections
        self.plainConnections = plainConnections
        self.furtherPaths = furtherPaths
    }
}
