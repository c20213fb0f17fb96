public import LinuxKernel

/// What the kernel has counted of Multipath TCP in a network namespace. Equivalent to
/// `nstat -as 'MPTcpExt*'`.
public struct MultipathCounters: Sendable, Hashable {
    /// Connections that were opened from here, with an other end that speaks it as well.
    public let connections: UInt64
    /// Connections that were opened from here, with one that does not.
    public let plainConnections: UInt64
    /// Paths that were added from here to such connections.
    public let furtherPaths: UInt64

    /// Asks for the counters of the calling thread's network namespace.
    public init() throws(KernelError) {
        self.init(netstat: try SmallFile.read("/proc/thread-self/net/netstat"))
    }

    /// Reads the text of `/proc/net/netstat`: a line with names, and one with numbers. What is not
    /// there is zero.
    init(netstat text: String) {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("MPTcpExt:") }
            .map { $0.split(separator: " ").dropFirst() }
        let pairs = lines.count == 2 ? Array(zip(lines[0], lines[1])) : []
        let value = { (name: Substring) -> UInt64 in
            pairs.first { $0.0 == name }.flatMap { UInt64($0.1) } ?? 0
        }
        connections = value("MPCapableSYNACKRX")
        plainConnections = value("MPCapableFallbackSYNACK")
        furtherPaths = value("MPJoinSynAckRx")
    }
}
