public import Dispatch
import NIOCore
import NIOPosix
import NetworkPath
import Synchronization

/// Accepts connections over TCP, TLS or UDP.
///
/// Theory of operation. As in `NWConnection`, the state changes on one event loop only. Over UDP,
/// all connections share the listener's socket: the first datagram of a peer makes a connection,
/// which gets all others of this peer (`DatagramFlows`).
///
/// A started listener lives until it is cancelled or fails; its connections live on.
public final class NWListener: Sendable, CustomDebugStringConvertible {
    /// How far a listener has come.
    public enum State: Equatable, Sendable {
        /// It has not been started.
        case setup
        /// It waits for another path, for this reason.
        case waiting(NWError)
        /// It accepts connections.
        case ready
        /// It has ended with an error.
        case failed(NWError)
        /// It was cancelled.
        case cancelled
    }

    /// No limit of the number of connections.
    public static let InfiniteConnectionLimit = Int(UInt32.max)

    /// How many connections wait for room in the limit; more are reset. Otherwise strangers could
    /// use up the app's descriptors.
    static let mostHeld = 128

    struct Status {
        var state = State.setup
        var queue: DispatchQueue?
        var deliveries: DispatchQueue?
        var stateHandler: (@Sendable (State) -> Void)?
        var connectionHandler: (@Sendable (NWConnection) -> Void)?
        var limit = NWListener.InfiniteConnectionLimit
        /// Accepted connections for which the limit had no room.
        var held: [NWConnection] = []
        var socket: (any Channel)?
        var isBinding = false
        var watch: SharedPathWatch.Number?
    }

    /// The protocols, and the networks that may be used.
    public let parameters: NWParameters
    let requestedPort: NWEndpoint.Port
    let loop: any EventLoop
    let status = Mutex(Status())

    /// Describes a listener at a port.
    public init(using parameters: NWParameters, on port: NWEndpoint.Port = .any) throws {
        self.parameters = parameters
        let own = parameters.requiredLocalEndpoint?.target?.port ?? .any
        requestedPort = port == .any ? own : port
        loop = MultiThreadedEventLoopGroup.singleton.next()
    }

    /// How far it has come.
    public var state: State { status.withLock { $0.state } }
    /// The queue of the handlers; nil before `start(queue:)`.
    public var queue: DispatchQueue? { status.withLock { $0.queue } }
    /// The port; nil as long as the system has not chosen one.
    public var port: NWEndpoint.Port? {
        let bound = status.withLock { $0.socket }?.localAddress?.port
        return bound.flatMap { NWEndpoint.Port(rawValue: UInt16(clamping: $0)) }
            ?? (requestedPort == .any ? nil : requestedPort)
    }

    /// Called with every new state.
    @preconcurrency public var stateUpdateHandler: (@Sendable (_ state: State) -> Void)? {
        get { status.withLock { $0.stateHandler } }
        set { status.withLock { $0.stateHandler = newValue } }
    }
    /// Called with every new connection, which the app starts or cancels.
    @preconcurrency public var newConnectionHandler:
        (@Sendable (_ connection: NWConnection) -> Void)?
    {
        get { status.withLock { $0.connectionHandler } }
        set { status.withLock { $0.connectionHandler = newValue } }
    }
    /// How many more connections are accepted. Each one counts down, unless there is no limit.
    public var newConnectionLimit: Int {
        get { status.withLock { $0.limit } }
        set {
            status.withLock { $0.limit = newValue }
            loop.execute { self.offer() }
        }
    }

    /// Begins to accept. The handlers are called on `queue`.
    public func start(queue: DispatchQueue) {
        let isFirst = status.withLock { status in
            guard status.queue == nil else { return false }
            status.queue = queue
            status.deliveries = DispatchQueue(label: "Network.NWListener", target: queue)
            return true
        }
        if isFirst { loop.execute { self.begin() } }
    }

    /// Ends accepting.
    public func cancel() { loop.execute { self.end(.cancelled) } }

    /// The port and the state.
    public var debugDescription: String {
        "[\(parameters) on \(port.map { "\($0)" } ?? "any port") \(state)]"
    }
}
