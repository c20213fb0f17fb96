import LinkModel
import LinuxKernel
import SystemPackage

/// The host sockets for the app's datagrams, limited in number.
final class DatagramOutlets {
    private let events: RelayEvents
    private let losses: LossTally
    private let budget: DescriptorBudget
    private var outlets: [DatagramOutlet.Use: DatagramOutlet] = [:] {
        didSet { budget.flows = outlets.count }
    }

    init(events: RelayEvents, budget: DescriptorBudget, losses: LossTally) {
        self.events = events
        self.budget = budget
        self.losses = losses
    }

    /// The existing outlet; nil if there is none.
    subscript(use: DatagramOutlet.Use) -> DatagramOutlet? { outlets[use] }

    /// The existing outlet or a new one. If there are too many, a new one replaces the one idle for
    /// longest.
    ///
    /// - Parameter server: The host's name server that a new outlet for DNS queries uses.
    func open(
        _ use: DatagramOutlet.Use, asking server: Endpoint? = nil, at now: Duration
    ) throws(Errno) -> DatagramOutlet {
        if let outlet = outlets[use] {
            outlet.lastUse = now
            return outlet
        }
        if outlets.count >= budget.mostFlows,
            let oldest = outlets.values.min(by: { $0.lastUse < $1.lastUse })
        {
            drop(oldest)
        }
        let outlet = DatagramOutlet(use, try Self.socket(use, server), asking: server, at: now)
        outlet.token = try events.watch(outlet.socket.descriptor, .level, for: .outlet(outlet))
        outlets[use] = outlet
        return outlet
    }

    private static func socket(
        _ use: DatagramOutlet.Use, _ server: Endpoint?
    ) throws(Errno) -> DatagramSocket {
        switch use {
        case .port(_, let isIPv6): try DatagramSocket(isIPv6: isIPv6)
        case .questions(_, let address): try DatagramSocket(connectedTo: server ?? address)
        case .echoes(_, let address): try DatagramSocket(echoTo: address)
        }
    }

    func drop(_ outlet: DatagramOutlet) {
        losses.add(outlet.socket.dropped, to: \.down.unread)
        events.forget(outlet.token)
        outlets[outlet.use] = nil
    }

    /// Drops outlets that have been idle for too long.
    func expire(at now: Duration) {
        for outlet in outlets.values where outlet.lastUse + outlet.use.idleLimit <= now {
            drop(outlet)
        }
    }

    func dropAll() {
        for outlet in outlets.values { drop(outlet) }
    }

    var isEmpty: Bool { outlets.isEmpty }
}
