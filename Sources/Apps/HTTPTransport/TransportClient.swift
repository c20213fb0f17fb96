import LinuxKernel

/// A client of HTTP with its own thread and its own connections, which later exchanges use again.
///
/// Theory of operation. This is a thin layer over libcurl's multi interface. libcurl knows
/// HTTP/1.1, HTTP/2, TLS, proxies and happy eyeballs between IPv6 and IPv4 (RFC 8305); it does not
/// follow redirects here, has no cookies and no cache. Above it are decisions: `ExchangeEvents` is
/// asked before a socket is opened and before a request is sent, so that a caller may race two
/// exchanges for one request, and let only one of them send it.
///
/// One thread runs all exchanges of a client and makes all calls of `ExchangeEvents`. Other threads
/// only put orders into a box and wake it. Name resolution uses the system's resolver, on threads
/// of libcurl, and the kernel's routes.
public final class TransportClient: Sendable {
    private let orders: OrderBox
    private let thread: KernelThread

    /// Starts the thread, in the network namespace of the calling thread.
    ///
    /// - Parameter connectionsPerHost: How many connections one host gets at the same time; other
    ///   exchanges wait.
    public init(connectionsPerHost: Int) throws(ExchangeFailure) {
        do {
            let orders = try OrderBox()
            thread = try KernelThread(named: "HTTP transport") {
                // TLS writes to connections that the server has closed.
                KernelThread.outliveBrokenPipes()
                TransportLoop(connectionsPerHost: connectionsPerHost)?.run(orders)
                orders.refuseAll()
                TransportLoop.leave()
            }
            self.orders = orders
        } catch {
            throw ExchangeFailure(.other, "\(error)")
        }
    }

    /// Cancels what still runs.
    deinit {
        orders.put(.finish)
        // The last reference may be one of its own thread's, which cannot wait for itself.
        let thread = thread
        Task { thread.join() }
    }

    /// Starts an exchange. It keeps the events until it has ended.
    public func start(
        _ request: ExchangeRequest, _ events: any ExchangeEvents
    ) -> RunningExchange {
        let number = orders.nextNumber()
        let brake = Brake()
        orders.put(.start(number, request, events, brake))
        return RunningExchange(number: number, orders: orders, brake: brake)
    }
}

/// An exchange of a `TransportClient`.
public struct RunningExchange: Sendable {
    fileprivate let number: Int
    fileprivate let orders: OrderBox
    fileprivate let brake: Brake

    /// Ends it with `ExchangeFailure.Kind.stopped`, unless it has ended.
    public func cancel() {
        brake.cancel()
        orders.put(.cancel(number))
    }

    /// Stops sending and receiving, without a time limit, or continues.
    public func setPaused(_ isPaused: Bool) {
        brake.setPaused(isPaused)
        orders.put(.pause(number, isPaused))
    }
}
