import LinkModel
import LinuxKernel
import SystemPackage

/// The thread of published ports: waits for events and passes them to the relays.
final class PublishedLoop {
    /// The targets of its events.
    enum Target {
        case orders
        case clients(PublishedSockets.Streams)
        case stream(PublishedStreams.Connection)
        case datagrams(PublishedSockets.Datagrams)
        case flow(PublishedDatagrams.Flow)
    }

    private let orders: RelayOrders
    private let events: TargetedEvents<Target>
    private let streams: PublishedStreams
    private let datagrams: PublishedDatagrams
    private let start = ContinuousClock.now

    private static let sweepInterval = Duration.seconds(1)
    /// How often to check whether everything is delivered.
    private static let settlingInterval = Duration.milliseconds(5)
    /// File descriptors kept free for the rest of the process.
    private static let reservedDescriptors = 32

    init(
        _ sockets: PublishedSockets, _ state: PublishedRelay.State, _ orders: RelayOrders,
        _ onRefusal: @escaping (ServerPort) -> Void
    ) throws(Errno) {
        self.orders = orders
        let events = try TargetedEvents<Target>()
        self.events = events
        // The command inherits the limit, so it is not raised.
        let descriptors =
            DescriptorLimit.current - DescriptorLimit.inUse - Self.reservedDescriptors
        let flows = max(4, descriptors / 4)
        streams = PublishedStreams(
            events: events, state: state, orders: orders, limit: max(4, (descriptors - flows) / 2),
            onRefusal: onRefusal)
        datagrams = PublishedDatagrams(events: events, state: state, limit: flows)
        _ = try events.watch(orders.descriptor, .edge, for: .orders)
        for entry in sockets.streams {
            _ = try events.watch(entry.listener.descriptor, .edge, for: .clients(entry))
        }
        for entry in sockets.datagrams {
            _ = try events.watch(entry.socket.descriptor, .level, for: .datagrams(entry))
        }
    }

    /// Relays until told to stop.
    func run() {
        var nextSweep = Self.sweepInterval
        while let ready = try? events.wait(timeout: timeout) {
            let now = ContinuousClock.now - start
            for event in ready { handle(event, at: now) }
            streams.continueQueued(at: now)
            if let patience = orders.patience, patience == .zero || streams.isSettled { break }
            guard now >= nextSweep else { continue }
            streams.expire(at: now)
            datagrams.expire(at: now)
            nextSweep = now + Self.sweepInterval
        }
        streams.end()
    }

    private var timeout: Duration? {
        if streams.hasQueued { return .zero }
        if let patience = orders.patience { return min(patience, Self.settlingInterval) }
        return streams.hasDeadlines || datagrams.hasDeadlines ? Self.sweepInterval : nil
    }

    private func handle(_ event: EventQueue.Event, at now: Duration) {
        switch events.target(of: event.token) {
        case .clients(let entry): streams.accept(from: entry, at: now)
        case .stream(let connection): streams.handle(connection, at: now)
        case .datagrams(let entry): datagrams.receive(from: entry, at: now)
        case .flow(let flow): datagrams.receive(by: flow, at: now)
        case .orders, nil: break
        }
    }
}
