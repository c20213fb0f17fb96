extension NetworkSession {
    /// How the connections of a session use several networks at the same time. Equivalent to
    /// `URLSessionConfiguration.MultipathServiceType`.
    ///
    /// All but `none` make Multipath TCP sockets where the kernel has them, and try the next
    /// network 250 ms after the one before. Which interfaces the kernel adds to a connection, and
    /// how it distributes data, is a setting of the host (`ip mptcp`, or `linkcond run
    /// --multipath`), so the other types differ only there. A task that may not use every available
    /// network uses one network, without Multipath TCP.
    public enum MultipathServiceType: String, Hashable, Sendable, CaseIterable {
        /// One network.
        case none
        /// Another network takes over when the first fails.
        case handover
        /// The network with the shortest delay.
        case interactive
        /// The bandwidth of all networks.
        case aggregate
    }
}
