import Bus
import Glibc
import LinuxKernel
import Netlink
import SystemPackage

/// `linkcond-bus follow`: keeps NetworkManager's metered flags in line with the overrides of this
/// network namespace, as long as there are any.
///
/// The kernel stores the overrides and reports their removal, however it happens. One such process
/// serves a network namespace. Through its socket, others ask whether it has applied what they have
/// just set.
struct FollowCommand {
    /// The socket's name.
    static let socket = "linkcond-metered"
    /// What the process reports when it serves.
    static let ready = "ready"
    /// What it reports if another process serves already.
    static let taken = "taken"

    private enum Token: UInt64 {
        case bus, kernel, clients, signals
    }

    func run() throws {
        DetachedProgram.keepReportFromChildren()
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        guard let service = try Self.openService() else {
            return DetachedProgram.report(Self.taken)
        }
        guard let client = NetworkManagerClient() else {
            return DetachedProgram.report("there is no system bus")
        }
        try client.listen()
        let changes = try NetlinkEvents([.links])
        let events = try EventQueue()
        for (descriptor, token) in [
            (client.bus.descriptor, Token.bus), (changes.descriptor, .kernel),
            (service.descriptor, .clients), (signals.descriptor, .signals),
        ] {
            try events.watch(descriptor, token: token.rawValue, .level)
        }
        try follow(client, changes, service, signals, events)
    }

    /// The socket; nil if another process owns it.
    private static func openService() throws -> ServiceSocket? {
        do {
            return try NamespaceService.listen(socket)
        } catch Errno.addressInUse {
            return nil
        }
    }

    private func follow(
        _ client: NetworkManagerClient, _ changes: NetlinkEvents,
        _ service: borrowing ServiceSocket,
        _ signals: SignalDescriptor, _ events: borrowing EventQueue
    ) throws {
        var keeper = MeteredKeeper(client)
        defer { keeper.release() }
        var wishes = try MeteredWishes.current()
        var (problems, isNeeded) = keeper.settle(wishes)
        DetachedProgram.report(problems.first ?? Self.ready)
        var isDue = false
        while isNeeded {
            // Signals that arrived during a call to NetworkManager no longer make the descriptor
            // readable.
            isDue = try Self.hasSignals(client.bus) || isDue
            let patience = keeper.hasCheckpoints ? MeteredKeeper.renewal : nil
            let ready = try events.wait(timeout: isDue ? .zero : patience)
            for event in ready {
                switch Token(rawValue: event.token) {
                case .signals: return
                case .kernel: _ = try? changes.next(within: .zero)
                case .clients, .bus, nil: break
                }
            }
            isDue = try Self.hasSignals(client.bus) || isDue
            isDue = keeper.renew() || isDue
            let clients = Self.clients(service)
            // This fails if the kernel was too busy with changes; the next round tries again.
            let newWishes = try? MeteredWishes.current()
            if isDue || newWishes != wishes || !clients.isEmpty, let newWishes {
                (wishes, isDue) = (newWishes, false)
                (problems, isNeeded) = keeper.settle(wishes)
            } else {
                isDue = newWishes == nil
            }
            for client in clients {
                client.send([0] + (problems.first ?? "").utf8)
                client.close()
            }
        }
    }

    /// Takes all messages from the bus; returns whether there were any.
    private static func hasSignals(_ bus: BusConnection) throws -> Bool {
        var found = false
        while let message = try bus.next() { found = found || message.kind == .signal }
        return found
    }

    private static func clients(_ service: borrowing ServiceSocket) -> [MessageChannel] {
        var clients: [MessageChannel] = []
        while let client = service.accept() {
            if client.peer?.isTrusted == true { clients.append(client) } else { client.close() }
        }
        return clients
    }
}
