public import Dispatch
import NetworkPath
import Synchronization

/// Watches the network and tells of every change.
public final class NWPathMonitor: Sendable {
    private struct State {
        var handler: (@Sendable (NWPath) -> Void)?
        var path: NWPath?
        var queue: DispatchQueue?
        /// Handlers run one after the other, even if the queue is concurrent.
        var deliveries: DispatchQueue?
        var loop: Task<Void, Never>?
        var isCancelled = false
    }

    private let requirements: NetworkRequirements
    private let state = Mutex(State())

    /// Watches the interfaces that the system uses.
    public init() { requirements = .none }

    /// Watches interfaces of one kind.
    public init(requiredInterfaceType: NWInterface.InterfaceType) {
        requirements = NetworkRequirements(requiredInterfaceKinds: [requiredInterfaceType.kind])
    }

    /// Watches interfaces of all kinds but these.
    public init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        requirements = NetworkRequirements(
            prohibitedInterfaceKinds: Set(prohibitedInterfaceTypes.map(\.kind)))
    }

    deinit { state.withLock { $0.loop }?.cancel() }

    /// Called on the queue of `start(queue:)` with the first path and with every new one.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { state.withLock { $0.handler } }
        set {
            let deliveries = state.withLock { state in
                defer { state.handler = newValue }
                // A path that nobody has seen is not lost.
                return state.handler == nil && state.path != nil ? state.deliveries : nil
            }
            deliveries?.async { [weak self] in self?.tell() }
        }
    }

    /// The latest path. Before the first one is told, it is read from the kernel.
    public var currentPath: NWPath {
        state.withLock { $0.path }
            ?? NWPath(
                ((try? NetworkPath.current()) ?? NetworkPath(interfaces: []))
                    .limited(to: requirements))
    }

    /// The queue of the handler; nil before `start(queue:)`.
    public var queue: DispatchQueue? { state.withLock { $0.queue } }

    /// Begins to watch. A monitor starts once, and not after `cancel()`.
    public func start(queue: DispatchQueue) {
        let paths = NetworkPathMonitor(requirements: requirements)
        let deliveries = DispatchQueue(label: "Network.NWPathMonitor", target: queue)
        state.withLock { state in
            guard state.queue == nil, !state.isCancelled else { return }
            (state.queue, state.deliveries) = (queue, deliveries)
            state.loop = Task { [weak self] in
                do {
                    for try await path in paths { self?.take(NWPath(path), on: deliveries) }
                } catch {
                    // The network cannot be read: there is none for this app.
                    self?.take(NWPath(NetworkPath(interfaces: [])), on: deliveries)
                }
            }
        }
    }

    /// Ends watching. The handler is not called any more.
    public func cancel() {
        let loop = state.withLock { state in
            (state.isCancelled, state.handler) = (true, nil)
            return state.loop.take()
        }
        loop?.cancel()
    }

    private func take(_ path: NWPath, on deliveries: DispatchQueue) {
        // Different states of the kernel may look the same to an app.
        let isNew = state.withLock { state in
            defer { state.path = path }
            return state.path != path
        }
        guard isNew else { return }
        deliveries.async { [weak self] in self?.tell() }
    }

    /// Calls the handler with the latest path.
    private func tell() {
        let (handler, path) = state.withLock { ($0.handler, $0.path) }
        if let path { handler?(path) }
    }
}

extension NWPathMonitor: AsyncSequence {
    /// A path.
    public typealias Element = NWPath
    /// The sequence does not fail.
    public typealias Failure = Never

    /// Watches for one loop. It ends when the task of the loop is cancelled.
    public func makeAsyncIterator() -> Iterator {
        Iterator(paths: NetworkPathMonitor(requirements: requirements).makeAsyncIterator())
    }

    /// Iterates over the paths.
    public struct Iterator: AsyncIteratorProtocol {
        private var paths: NetworkPathMonitor.Iterator
        private var last: NWPath?

        fileprivate init(paths: NetworkPathMonitor.Iterator) { self.paths = paths }

        /// The next path; nil once the task is cancelled.
        public mutating func next() async -> NWPath? {
            while let path = try? await paths.next().map({ NWPath($0) }) {
                guard path == last else {
                    last = path
                    return path
                }
            }
            return nil
        }

        /// The next path; nil once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> NWPath? {
            await next()
        }
    }
}
