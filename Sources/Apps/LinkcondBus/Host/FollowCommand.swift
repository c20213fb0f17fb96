import Bus
import Glibc
import LinuxKernel
import Netlink
import SystemPackage

/// `linkcond-bus follow`: keeps NetworkManager's metered flags as the overrides of this network
/// namespace want them, as long as there are any.
///
/// The overrides themselves are in the kernel, and so is the word that one was cleared, whoever
/// cleared it and however it ended. One such process serves a network namespace: it has a socket
/// by which others ask whether it has done what they have just set.
struct FollowCommand {
    /// The socket's name.
    static let socket = "linkcond-metered"
    /// What the process reports once it serves.
    static let ready = "ready"
    /// What it reports if another one does.
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

    /// The socket; nil if another process has it.
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
            // What came while NetworkManager was asked no descriptor tells of any more.
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
            // The kernel may have been too busy with changes to tell: the next round asks again.
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

    /// Takes what the bus has to tell; whether there was anything.
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
