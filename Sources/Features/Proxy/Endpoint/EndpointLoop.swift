import FoundationEssentials
import LinuxKernel
import ProxyControl
import ProxyProtocols
import Sandbox
import SystemPackage
import Uplink

/// The loop at the app's end of a link: takes orders from the proxy, and serves its listeners.
///
/// Theory of operation. The proxy opens listening sockets on the host and passes them on, since a
/// socket belongs to the network namespace in which it was made, wherever it is used. This loop
/// accepts what arrives there, connects to the target from its own network namespace, so that all
/// packets cross the link, and moves the data. To the target, clients are programs on the host. A
/// client is accepted before its target has answered, since only the kernel can refuse it; if the
/// target refuses, the client sees a reset.
final class EndpointLoop {
    private let channel: MessageChannel
    private let context: EndpointContext
    private let files = NameFiles()
    private var streams: [Int: StreamService] = [:]
    private var datagrams: [Int: DatagramService] = [:]
    private var reported: [Int: ListenerCounters] = [:]
    private var hasEnded = false
    private lazy var orders = OrderTarget(loop: self)

    private static let sweepInterval = Duration.milliseconds(500)
    private static let reportInterval = Duration.milliseconds(100)
    /// As many as fit into a message.
    private static let mostPerReport = 100
    private static let longestOrder = 128 << 10
    private static let host = "host.linkcond"

    /// Receives orders.
    private final class OrderTarget: EventTarget {
        unowned let loop: EndpointLoop

        init(loop: EndpointLoop) { self.loop = loop }

        func handle(_ event: EventQueue.Event, at now: Duration) { loop.receiveOrder(at: now) }
    }

    /// Makes one that takes its orders from a channel.
    ///
    /// - Parameter isBehindLink: Whether it is in the network of a sandbox.
    init(_ channel: MessageChannel, isBehindLink: Bool) throws(Errno) {
        self.channel = channel
        let addresses =
            isBehindLink ? files.current(at: .zero).addresses(of: Self.host) : []
        context = try EndpointContext(hostAddresses: addresses)
        _ = try context.events.watch(channel.descriptor, .level, for: orders)
    }

    /// Serves until the channel is closed.
    func run() {
        report(.ready)
        var nextSweep = Self.sweepInterval
        var nextReport = Duration.zero
        while !hasEnded {
            let wait = context.timeout(at: context.now, atMost: longestWait)
            guard let ready = try? context.events.wait(timeout: wait) else { return }
            let now = context.now
            for event in ready { context.events.target(of: event.token)?.handle(event, at: now) }
            while let action = context.timers.takeDue(at: now) { action(now) }
            for connection in context.takeQueued() { connection.continueTurn(at: now) }
            if now >= nextReport {
                reportCounters()
                nextReport = now + Self.reportInterval
            }
            guard now >= nextSweep else { continue }
            for service in streams.values { service.expire(at: now) }
            for service in datagrams.values { service.expire(at: now) }
            nextSweep = now + Self.sweepInterval
        }
    }

    private var longestWait: Duration? {
        if allCounters != reported { return Self.reportInterval }
        let isIdle =
            streams.values.allSatisfy { $0.connections.isEmpty }
            && datagrams.values.allSatisfy { $0.counters.open == 0 }
        return isIdle ? nil : Self.sweepInterval
    }

    // MARK: Orders

    private func receiveOrder(at now: Duration) {
        let message: MessageChannel.Message?
        do throws(Errno) {
            message = try channel.receive(atMost: Self.longestOrder)
        } catch {
            hasEnded = true
            return
        }
        guard let message,
            let order = try? JSONDecoder().decode(
                EndpointOrder.self, from: Data(message.bytes))
        else {
            hasEnded = true
            return
        }
        carryOut(order, message.files, at: now)
    }

    private func carryOut(_ order: EndpointOrder, _ files: [FileDescriptor], at now: Duration) {
        switch order {
        case .serve(let plan):
            // The message closes its own.
            serve(plan, files.compactMap { try? $0.duplicate() }, at: now)
        case .change(let plan):
            streams[plan.number]?.change(plan, at: now)
            datagrams[plan.number]?.change(plan)
        case .stopListening(let number):
            streams[number]?.stopListening()
            datagrams[number]?.stopListening()
        case .resetConnections(let number):
            streams[number]?.resetConnections()
            datagrams[number]?.endSessions()
        case .end(let number):
            streams[number]?.stopListening()
            streams[number]?.resetConnections()
            datagrams[number]?.stopListening()
            streams[number] = nil
            datagrams[number] = nil
            reported[number] = nil
            report(.ended(number))
        }
    }

    private func serve(_ plan: ServicePlan, _ sockets: [FileDescriptor], at now: Duration) {
        let note = { [weak self] (text: String) in
            guard let self else { return }
            self.report(.note(text))
        }
        guard case .forwardDatagrams = plan.kind else {
            let service =
                streams[plan.number] ?? StreamService(plan, context, files, note: note)
            service.change(plan, at: now)
            streams[plan.number] = service
            // A SOCKS listener comes with a socket for datagrams for each of its own.
            let half = plan.kind == .socks ? sockets.count / 2 : sockets.count
            service.listen(at: Array(sockets.prefix(half)))
            if half < sockets.count {
                service.associations = AssociationService(
                    service, sockets: Array(sockets.suffix(sockets.count - half)))
            }
            return
        }
        let service =
            datagrams[plan.number] ?? DatagramService(plan, context, files, note: note)
        service.change(plan)
        datagrams[plan.number] = service
        service.listen(at: sockets)
    }

    // MARK: Reports

    private var allCounters: [Int: ListenerCounters] {
        streams.mapValues(\.counters).merging(datagrams.mapValues(\.counters)) { $1 }
    }

    private func reportCounters() {
        let changed = allCounters.filter { reported[$0.key] != $0.value }
        guard !changed.isEmpty else { return }
        reported.merge(changed) { $1 }
        var rest = Array(changed)[...]
        while !rest.isEmpty {
            report(
                .counters(
                    Dictionary(
                        uniqueKeysWithValues: rest.prefix(Self.mostPerReport)
                            .map { ($0.key, $0.value) })))
            rest = rest.dropFirst(Self.mostPerReport)
        }
    }

    private func report(_ report: EndpointReport) { channel.send(json: report) }
}

/// The process at the app's end of a link.
public enum ProxyEndpoint {
    /// Serves the orders that arrive at standard input until the proxy closes it.
    public static func run() throws {
        KernelThread.outliveBrokenPipes()
        try FileDescriptor.standardInput.setCloseOnExec()
        try EndpointLoop(MessageChannel(adopting: .standardInput), isBehindLink: true).run()
    }
}
