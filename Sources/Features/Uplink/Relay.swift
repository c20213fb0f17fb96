public import LinkModel
import LinuxKernel
public import SystemPackage

/// Connects a sandbox to the host's network without any privilege on the host.
///
/// Theory of operation. The app's packets arrive, through the conditioned link, in the network
/// namespace of the far side, whose kernel takes every address for its own (`RelayRules`). So a
/// TCP connection of the app ends in a socket of the far side's kernel, with windows that grow to
/// the link's bandwidth-delay product; a thread in the host's namespaces moves the bytes between
/// it and a socket of the host. The far side's sockets are opened by a process that has
/// privileges over that namespace, and handed over (`RelaySockets`).
///
/// What the app sees of establishing a connection is what it would see of the host's network
/// (`StreamRelay`). Each UDP port of the app has a port of the host, and each ICMP echo a socket
/// (`DatagramRelay`); answers, and all that IP says of failures, are sent to the app in the name of
/// who sent them. The gateway's address stands for the host's loopback, and on port 53 for the
/// host's name servers.
public final class Relay: Sendable {
    private let counters = RelayCounters()
    private let orders: RelayOrders
    private let thread: KernelThread
    private let tally = LossTally()

    /// Starts to relay on a thread of its own, which begins in the namespaces of the calling one.
    ///
    /// Raises the process's limit of open descriptors as far as it may.
    public init(
        _ sockets: RelaySockets, network: FarNetwork, scope: RelayScope = .everything,
        resolver: HostResolver = .system()
    ) throws(UplinkError) {
        let orders: RelayOrders
        do {
            orders = try RelayOrders()
        } catch {
            throw .system(attempt: "start the relay", error)
        }
        let loop = RelayLoop.Settings(
            sockets: sockets, network: network, scope: scope, resolver: resolver, losses: tally,
            orders: orders, counters: counters)
        do {
            thread = try KernelThread(named: "linkcond relay") {
                defer { orders.reportEnd() }
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

    /// What was lost on the way; all of it only after `stop()`.
    public var losses: UplinkLosses { tally.counted }

    /// Readable when the relay has ended.
    public var end: FileDescriptor { orders.end }

    /// How many connections were reset at the end, because the app's end of them had not come.
    public var resetConnections: Int { orders.resetConnections }

    /// How many connections were refused because the process has no descriptors for them.
    public var refusedConnections: Int { counters.refusedConnections }

    /// Ends, but not before all that the app had sent is with the hosts it was for, or `limit` has
    /// passed. The app has ended by then.
    public func finish(within limit: Duration) {
        orders.finish(within: limit)
    }

    /// Ends all connections and waits until they are closed. Whoever has not got all that there was
    /// to come sees a reset.
    public func stop() {
        orders.stop()
        thread.join()
    }
}
