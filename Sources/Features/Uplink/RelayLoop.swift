import LinkModel
import LinuxKernel
import SystemPackage

/// The relay's thread: waits for events and passes them to the relays of TCP and of datagrams.
final class RelayLoop {
    /// The loop's settings.
    struct Settings: Sendable {
        var sockets: RelaySockets
        var network: FarNetwork
        var scope: RelayScope
        var resolver: HostResolver
        /// The tally of losses.
        var losses: LossTally
        /// The tally of packets of other protocols.
        var foreign: ForeignProtocols
        /// Orders from other threads.
        var orders: RelayOrders
    }

    private let settings: Settings
    private let events: RelayEvents
    private let streams: StreamRelay
    private let datagrams: DatagramRelay
    private let answer: ([UInt8], IPAddress) -> Void
    private let start = ContinuousClock.now
    private var packet = [UInt8](repeating: 0, count: 65_536)
    private var alertWait = AlertWait()

    private static let sweepInterval = Duration.seconds(1)
    /// How often to check whether everything is delivered.
    private static let settlingInterval = Duration.milliseconds(5)
    /// File descriptors kept free for the rest of the process, and for the pumps' conduit.
    private static let reservedDescriptors = 10
    /// How many requests are handled before other work gets its turn.
    private static let turn = 64
    /// So much data at once is no message that the other end answers at once.
    private static let longestMessage: UInt64 = 4096

    init(_ settings: Settings) throws(Errno) {
        self.settings = settings
        let sockets = settings.sockets
        let descriptors =
            try DescriptorLimit.raise() - DescriptorLimit.inUse - Self.reservedDescriptors
        let budget = DescriptorBudget(total: descriptors)
        let events = try RelayEvents()
        self.events = events
        let host = HostMapping(settings.network, settings.resolver)
        let losses = settings.losses
        let answer = { (packet: [UInt8], address: IPAddress) in
            let family = address.isIPv6 ? sockets.ipv6 : sockets.ipv4
            if family?.send(packet, to: address) == false { losses.add(to: \.down.unsent) }
        }
        self.answer = answer
        let paths = sockets.multipath.map { MultipathPorts($0, events: events) }
        streams = StreamRelay(
            events: events, host: host, paths: paths, budget: budget, orders: settings.orders,
            answer: answer)
        datagrams = DatagramRelay(
            host: host, outlets: DatagramOutlets(events: events, budget: budget, losses: losses),
            losses: losses, foreign: settings.foreign,
            trains: AppTrains(sockets.trains, on: settings.network), answer: answer)
        // Orders are checked after every wait: one event is enough.
        _ = try events.watch(settings.orders.descriptor, .edge, for: .orders)
        _ = try events.watch(sockets.tap.descriptor, .level, for: .requests)
        for family in [sockets.ipv4, sockets.ipv6].compactMap({ $0 }) {
            _ = try events.watch(family.listener.descriptor, .level, for: .accept(family))
            _ = try events.watch(family.datagrams.descriptor, .level, for: .datagrams(family))
        }
    }

    /// Relays until told to stop.
    func run() {
        var nextSweep = Self.sweepInterval
        while let events = try? wait() {
            let now = ContinuousClock.now - start
            let isAppQuiet = !events.contains(where: isFromApp)
            // Their socket buffers are small and must not wait until other work is done.
            for event in events { receiveDatagrams(event, at: now) }
            for event in events { handle(event, at: now) }
            datagrams.continueQueued(at: now)
            streams.continueQueued(at: now)
            if let patience = settings.orders.patience,
                patience == .zero || isAppQuiet && streams.isSettled && !datagrams.hasQueuedFromApp
            {
                break
            }
            if now >= nextSweep {
                streams.expire(at: now)
                datagrams.expire(at: now)
                nextSweep = now + Self.sweepInterval
            }
        }
        settings.orders.countResets(streams.end())
        datagrams.close()
        settings.losses.add(settings.sockets.unreadPackets, to: \.up.unread)
    }

    private func wait() throws(Errno) -> [EventQueue.Event] {
        // Packets of a link come later than anybody would stay awake for.
        let isMessage = (1...Self.longestMessage).contains(streams.takeCount())
        return try alertWait.wait(
            timeout: timeout, mayStayAwake: settings.network.isDirect && isMessage,
            events.wait(timeout:))
    }

    private var timeout: Duration? {
        if streams.hasQueued || datagrams.hasQueued { return .zero }
        // Data in flight causes events, but its acknowledgement by hosts does not.
        if let patience = settings.orders.patience {
            return streams.isSettled ? .zero : min(patience, Self.settlingInterval)
        }
        return streams.hasDeadlines || datagrams.hasDeadlines ? Self.sweepInterval : nil
    }

    /// Whether the event is from the app, on a socket that receives all its traffic.
    private func isFromApp(_ event: EventQueue.Event) -> Bool {
        switch events.target(of: event.token) {
        case .requests, .accept, .acceptMultipath, .datagrams: true
        case .orders, .stream, .outlet, nil: false
        }
    }

    private func handle(_ event: EventQueue.Event, at now: Duration) {
        switch events.target(of: event.token) {
        case .orders: break
        case .requests: receiveRequests(at: now)
        case .accept(let family): streams.accept(from: family.listener, at: now)
        case .acceptMultipath(let port): streams.accept(from: port.listener, at: now)
        case .stream(let connection): streams.handle(event, connection, at: now)
        case .datagrams, .outlet, nil: break
        }
    }

    private func receiveDatagrams(_ event: EventQueue.Event, at now: Duration) {
        switch events.target(of: event.token) {
        case .datagrams(let family): datagrams.receive(from: family)
        case .outlet(let outlet): datagrams.receive(by: outlet, at: now)
        default: break
        }
    }

    private func receiveRequests(at now: Duration) {
        let (network, scope) = (settings.network, settings.scope)
        for _ in 0..<Self.turn {
            guard let (count, isUnfinished) = try? settings.sockets.tap.receive(into: &packet)
            else { return }
            let bytes = Array(packet.prefix(count))
            guard let request = RequestPacket(bytes, isUnfinished: isUnfinished) else {
                refuse(bytes, at: now)
                continue
            }
            let destination = request.destination.address
            switch request.kind {
            case .connection, .multipathConnection, .path:
                guard network.relays(trafficTo: destination, scope) else { continue }
                streams.handle(request, at: now)
            case .echo:
                // The kernel answers those to the gateways.
                guard !network.isGateway(destination), scope != .transport,
                    network.relays(trafficTo: destination, scope)
                else { continue }
                datagrams.handle(request, at: now)
            }
        }
    }

    /// Answers a packet of a protocol that the relay does not carry as its destination would that
    /// does not know the protocol.
    private func refuse(_ bytes: [UInt8], at now: Duration) {
        guard let packet = ForeignPacket(bytes),
            settings.network.relays(trafficTo: packet.destination, settings.scope),
            settings.foreign.count(packet, at: now)
        else { return }
        answer(packet.refusal, packet.source)
    }
}
