/// The path of this host, and every other one that it becomes.
///
///     for try await path in NetworkPathMonitor() { … }
///
/// The first path comes at once, each further one when something has changed; a loop that is slow
/// gets the newest. Nothing is polled: the kernel tells of changes. Each loop has a thread of its
/// own, which ends with it. Equivalent to Network.framework's `NWPathMonitor`.
public struct NetworkPathMonitor: AsyncSequence, Sendable {
    /// What is told: a path.
    public typealias Element = NetworkPath
    /// What may end it, beside cancellation.
    public typealias Failure = NetworkPathError

    private let requirements: NetworkRequirements

    /// Watches the network namespace of the thread on which the loop begins.
    ///
    /// - Parameter requirements: tell the paths that are limited to these
    ///   (`NetworkPath.limited(to:)`).
    public init(requirements: NetworkRequirements = .none) {
        self.requirements = requirements
    }

    /// Watches interfaces of one kind, as `NWPathMonitor(requiredInterfaceType:)` does.
    public init(requiredInterfaceType kind: NetworkInterface.Kind) {
        self.init(requirements: NetworkRequirements(requiredInterfaceKinds: [kind]))
    }

    /// Watches interfaces of all kinds but these, as `NWPathMonitor(prohibitedInterfaceTypes:)`
    /// does.
    public init(prohibitedInterfaceTypes kinds: Set<NetworkInterface.Kind>) {
        self.init(requirements: NetworkRequirements(prohibitedInterfaceKinds: kinds))
    }

    /// Begins to watch.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: PathFeed(requirements: requirements))
    }

    /// The paths, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let feed: PathFeed

        /// The next path; nil once the task is cancelled.
        public mutating func next() async throws(NetworkPathError) -> NetworkPath? {
            try await feed.next()
        }

        /// The next path; nil once the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkPathError) -> NetworkPath? {
            try await feed.next()
        }
    }
}
