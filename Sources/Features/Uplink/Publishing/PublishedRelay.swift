public import LinkModel
public import LinuxKernel
import Synchronization
import SystemPackage

/// Carries connections and datagrams of the host's clients to servers of the app, through the link.
///
/// Theory of operation. A thread on the far side accepts what arrives at the host's sockets
/// (`PublishedSockets`), connects to the app from the far side's address for the host, and moves
/// the data. To the app's servers, clients are `host.linkcond`. A client is accepted before the
/// server has answered, since only the kernel can refuse it; if the server refuses, the client sees
/// a reset.
public final class PublishedRelay: Sendable {
    /// How a server is reached over one of the app's interfaces.
    public struct Way: Sendable, Hashable {
        /// The app's address.
        public var app: IPAddress
        /// The far side's address on the same network.
        public var gateway: IPAddress

        /// Names both ends.
        public init(app: IPAddress, gateway: IPAddress) {
            self.app = app
            self.gateway = gateway
        }
    }

    /// What the relay's thread shares with others.
    final class State: Sendable {
        private let current: Mutex<[Way]>

        init(_ ways: [Way]) { current = Mutex(ways) }

        /// The ways to the app, the first to be tried first.
        var ways: [Way] {
            get { current.withLock(\.self) }
            set { current.withLock { $0 = newValue } }
        }
    }

    private let sockets: PublishedSockets
    private let orders: RelayOrders
    private let state: State
    private let thread: KernelThread

    /// Starts on its own thread in the calling thread's network namespace, the far side.
    ///
    /// - Parameter onRefusal: Called in the relay's thread when the app refuses a connection to
    ///   this port.
    public init(
        _ sockets: PublishedSockets, ways: [Way],
        onRefusal: @escaping @Sendable (ServerPort) -> Void = { _ in }
    ) throws(UplinkError) {
        let state = State(ways)
        let orders: RelayOrders
        do {
            orders = try RelayOrders()
        } catch {
            throw .system(attempt: "publish ports", error)
        }
        do {
            thread = try KernelThread(named: "published ports") {
                defer { orders.reportEnd() }
                KernelThread.outliveBrokenPipes()
                try? PublishedLoop(sockets, state, orders, onRefusal).run()
            }
        } catch {
            throw .system(attempt: "publish ports", error.errno)
        }
        (self.sockets, self.state, self.orders) = (sockets, state, orders)
    }

    deinit {
        orders.stop()
        thread.join()
    }

    /// Uses these ways for new connections.
    public func follow(_ ways: [Way]) { state.ways = ways }

    /// Refuses new connections. Existing ones continue.
    public func stopListening() { sockets.stopListening() }

    /// How many connections were refused for lack of file descriptors.
    public var refusedConnections: Int { orders.refusedConnections }

    /// Ends once everything that the app has sent was passed to the host's kernel, or after
    /// `limit`. The app must have ended.
    public func finish(within limit: Duration) {
        orders.finish(within: limit)
        thread.join()
    }
}
