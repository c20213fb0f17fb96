/// The path of this host and every change of it.
///
///     for try await path in NetworkPathMonitor() { … }
///
/// The first path comes immediately, another after each change; a slow loop gets the newest. There
/// is no polling: the kernel reports changes. Each loop has its own thread, which ends with it.
/// Equivalent to Network.framework's `NWPathMonitor`.
public struct NetworkPathMonitor: AsyncSequence, Sendable {
    /// A path.
    public typealias Element = NetworkPath
    /// The error that can end the sequence, besides cancellation.
    public typealias Failure = NetworkPathError

    private let requirements: NetworkRequirements

    /// Watches the network namespace of the thread that starts the loop.
    ///
    /// - Parameter requirements: Limit the paths to these (`NetworkPath.limited(to:)`).
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

    /// Starts watching.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: PathFeed(requirements: requirements))
    }

    /// Iterates over the paths.
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
