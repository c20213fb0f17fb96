public import LinkModel
import LinuxKernel
public import SystemPackage

/// Connects a sandbox to the host's network without any privileges on the host.
///
/// Theory of operation. The app's packets arrive, through the conditioned link, in the far side's
/// network namespace, whose kernel treats every address as local (`RelayRules`). So the app's TCP
/// connections end in sockets of the far side's kernel, whose windows grow to the link's
/// bandwidth-delay product. A thread in the host's namespaces moves bytes between these and host
/// sockets. A process with privileges over the far side's namespace opens its sockets and passes
/// them on (`RelaySockets`).
///
/// While a connection is established, the app sees what it would see on the host's network
/// (`StreamRelay`). Each UDP port of the app has a host port, and each ICMP echo a socket
/// (`DatagramRelay`); answers and IP errors reach the app in the name of their senders. The
/// gateway's address represents the host's loopback, and on port 53 the host's name servers.
public final class Relay: Sendable {
    private let orders: RelayOrders
    private let thread: KernelThread
    private let tally = LossTally()
    private let foreign = ForeignProtocols()

    /// Starts relaying on its own thread, which begins in the namespaces of the calling thread.
    ///
    /// Raises the process's limit of open file descriptors as far as allowed.
    public init(
        _ sockets: RelaySockets, network: FarNetwork, scope: RelayScope = .everything,
        resolver: HostResolver = HostResolver(following: "/etc/resolv.conf")
    ) throws(UplinkError) {
        let orders: RelayOrders
        do {
            orders = try RelayOrders()
        } catch {
            throw .system(attempt: "start the relay", error)
        }
        let loop = RelayLoop.Settings(
            sockets: sockets, network: network, scope: scope, resolver: resolver, losses: tally,
            foreign: foreign, orders: orders)
        do {
            thread = try KernelThread(named: "linkcond relay") {
                defer { orders.reportEnd() }
                KernelThread.outliveBrokenPipes()
                try? RelayLoop(loop).run()
            }
        } catch {
            throw .system(attempt: "start the relay", error.errno)
        }
        self.orders = orders
    }

    deinit {
        stop()
    }

    /// The losses; complete only after `stop()`.
    public var losses: UplinkLosses { tally.counted }

    /// Notes for the user about what the relay could not carry.
    public var notes: [String] { (losses.note.map { [$0] } ?? []) + foreign.notes }

    /// Readable when the relay has ended.
    public var end: FileDescriptor { orders.end }

    /// How many connections were reset at the end because the app had not closed them.
    public var resetConnections: Int { orders.resetConnections }

    /// How many connections were refused for lack of file descriptors.
    public var refusedConnections: Int { orders.refusedConnections }

    /// Stops once everything that the app has sent is delivered, or after `limit`. The app must
    /// have ended.
    public func finish(within limit: Duration) {
        orders.finish(within: limit)
    }

    /// Closes all connections and waits for it. Peers that have not received everything see a
    /// reset.
    public func stop() {
        orders.stop()
        thread.join()
    }
}
