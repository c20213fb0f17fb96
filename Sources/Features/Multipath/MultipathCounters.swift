public import LinuxKernel

/// The kernel's Multipath TCP counters of a network namespace. Equivalent to `nstat -as
/// 'MPTcpExt*'`.
public struct MultipathCounters: Sendable, Hashable {
    /// Outgoing connections whose peer supports it.
    public let connections: UInt64
    /// Outgoing connections whose peer does not.
    public let plainConnections: UInt64
    /// Subflows added by this side to such connections.
    public let furtherPaths: UInt64

    /// Reads the counters of the calling thread's network namespace.
    public init() throws(KernelError) {
        self.init(netstat: try SmallFile.read("/proc/thread-self/net/netstat"))
    }

    /// Parses `/proc/net/netstat`: a line with names and one with numbers. Missing counters are
    /// zero.
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
