public import Dispatch
import Glibc
import NIOCore
import NIOPosix
import NetworkPath
import Synchronization

/// A connection to another end, over TCP, TLS or UDP.
///
/// Theory of operation. The state changes on one event loop of swift-nio only, so events and calls
/// of the app follow one another; the mutex lets other threads read it. Handlers of the app are
/// called on its queue, one after the other. `NWConnection+Connecting` finds a permitted interface
/// and connects, `NWConnection+Network` judges new paths, `NWConnection+Content` sends and
/// receives. Nothing is read from the kernel that the app has not asked for, so that the other end
/// is slowed down as the protocol intends.
///
/// A started connection lives until it is cancelled or fails.
public final class NWConnection: Sendable, CustomDebugStringConvertible {
    struct Status {
        var state = State.setup
        var queue: DispatchQueue?
        /// Handlers run one after the other, even if the queue is concurrent.
        var deliveries: DispatchQueue?
        var handlers = Handlers()
        var transport: (any Transport)?
        /// The connection attempts under way.
        var dial: Dial?
        /// The state of the network for which the latest attempts were made.
        var dialledPath: NetworkPath?
        /// The registration for changes of the network.
        var watch: SharedPathWatch.Number?
        var path: NWPath?
        /// The interface of the connection; nil within this host.
        var interface: NetworkInterface?
        var outlook = InterfaceRules.Outlook()
        var inbox: Inbox
        var outbox = Outbox()
    }

    struct Handlers {
        var state: (@Sendable (State) -> Void)?
        var viability: (@Sendable (Bool) -> Void)?
        var betterPath: (@Sendable (Bool) -> Void)?
        var path: (@Sendable (NWPath) -> Void)?
    }

    /// The other end.
    public let endpoint: NWEndpoint
    /// The protocols, and the networks that may be used.
    public let parameters: NWParameters
    let loop: any EventLoop
    let status: Mutex<Status>
    /// Whether a listener has accepted it.
    let isAccepted: Bool

    /// Describes a connection to an endpoint; `start(queue:)` makes it.
    public init(to: NWEndpoint, using: NWParameters) {
        (endpoint, parameters, isAccepted) = (to, using, false)
        loop = MultiThreadedEventLoopGroup.singleton.next()
        status = Mutex(Status(inbox: Inbox(isDatagram: using.defaultProtocolStack.isDatagram)))
    }

    /// Describes a connection to a host; `start(queue:)` makes it.
    public convenience init(host: NWEndpoint.Host, port: NWEndpoint.Port, using: NWParameters) {
        self.init(to: .hostPort(host: host, port: port), using: using)
    }

    /// A connection that a listener has accepted.
    init(accepted transport: any Transport, on loop: any EventLoop, _ parameters: NWParameters) {
        endpoint = transport.remoteAddress.flatMap { NWEndpoint($0) } ?? .unix(path: "")
        (self.parameters, self.loop, isAccepted) = (parameters, loop, true)
        var status = Status(
            inbox: Inbox(isDatagram: parameters.defaultProtocolStack.isDatagram))
        status.transport = transport
        self.status = Mutex(status)
    }

    /// How far it has come.
    public var state: State { status.withLock { $0.state } }
    /// The queue of the handlers; nil before `start(queue:)`.
    public var queue: DispatchQueue? { status.withLock { $0.queue } }
    /// The path of the connection, or the one that it waits for.
    public var currentPath: NWPath? { status.withLock { $0.path } }

    /// Called with every new state.
    @preconcurrency public var stateUpdateHandler: (@Sendable (_ state: State) -> Void)? {
        get { status.withLock { $0.handlers.state } }
        set { status.withLock { $0.handlers.state = newValue } }
    }
    /// Called when the connection is ready, and when its network goes and comes back.
    @preconcurrency public var viabilityUpdateHandler: (@Sendable (_ isViable: Bool) -> Void)? {
        get { status.withLock { $0.handlers.viability } }
        set { status.withLock { $0.handlers.viability = newValue } }
    }
    /// Called when a new connection would use a better network, and when not any more.
    @preconcurrency public var betterPathUpdateHandler:
        (@Sendable (_ betterPathAvailable: Bool) -> Void)?
    {
        get { status.withLock { $0.handlers.betterPath } }
        set { status.withLock { $0.handlers.betterPath = newValue } }
    }
    /// Called with every new path.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { status.withLock { $0.handlers.path } }
        set { status.withLock { $0.handlers.path = newValue } }
    }

    /// Connects. The handlers are called on `queue`.
    public func start(queue: DispatchQueue) {
        let isFirst = status.withLock { status in
            guard status.queue == nil else { return false }
            status.queue = queue
            status.deliveries = DispatchQueue(label: "Network.NWConnection", target: queue)
            return true
        }
        if isFirst { loop.execute { self.begin() } }
    }

    /// Tries again to connect, if the connection waits.
    public func restart() {
        loop.execute {
            if case .waiting = self.state { self.connect() }
        }
    }

    /// Ends the connection after what has been handed over was sent.
    public func cancel() { loop.execute { self.end(.cancelled) { $0.close() } } }

    /// Ends the connection at once; the other end of TCP sees a reset.
    public func forceCancel() { loop.execute { self.end(.cancelled) { $0.reset() } } }

    /// Gives the current endpoint up. The connection waits for another path.
    public func cancelCurrentEndpoint() {
        loop.execute {
            switch self.state {
            case .preparing, .ready:
                self.withdraw()?.close()
                self.enter(.waiting(.posix(.ECONNABORTED)))
            case .setup, .waiting, .failed, .cancelled: break
            }
        }
    }

    /// What is known of a protocol of the connection; nil if it does not use it.
    public func metadata(definition: NWProtocolDefinition) -> (any NWProtocolMetadata)? {
        let stack = parameters.defaultProtocolStack
        switch definition {
        case NWProtocolTLS.definition where stack.isSecure: return NWProtocolTLS.Metadata()
        case NWProtocolUDP.definition where stack.isDatagram: return NWProtocolUDP.Metadata()
        case NWProtocolTCP.definition where !stack.isDatagram: return NWProtocolTCP.Metadata()
        default: return nil
        }
    }

    /// The largest content of one datagram; zero for a stream.
    public var maximumDatagramSize: Int {
        guard parameters.defaultProtocolStack.isDatagram else { return 0 }
        // The length fields of IP and UDP leave no more.
        if case .hostPort(.ipv6, _) = endpoint { return 65_527 }
        return 65_507
    }

    /// The endpoint and the state.
    public var debugDescription: String { "[\(endpoint) \(parameters) \(state)]" }
}
