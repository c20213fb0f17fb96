import LinuxKernel
import Netlink
public import Scenarios
import SystemPackage

/// Keeps Multipath TCP in the requested mode while interfaces appear, vanish and change order.
///
/// Theory of operation. The kernel has a path manager: for each *endpoint*, an address of an
/// interface, it adds a TCP connection ("subflow") to every Multipath TCP connection, and tells the
/// peer which subflows are backups. This service reads the interfaces (`rtnetlink`), plans the
/// endpoints (`MultipathPlan`), and sends the changes to the path manager. Deleting an endpoint
/// closes its subflows; the peer learns this at once over another one, so the connection does not
/// wait for timeouts. Adding one gives subflows to existing connections as well. It also measures
/// RTTs with echoes (`EchoRounds`), for `interactive` and to notice that the preferred interface
/// silently drops everything: then new connections start elsewhere (`BypassRoute`).
public final class MultipathService {
    private let mode: MultipathMode
    private let session: NetlinkSession
    private let manager: MultipathManager
    private let events: NetlinkEvents
    private var rounds = EchoRounds()
    private var verdict = EchoRounds.Verdict()
    private var bypass: BypassRoute?
    /// Called with a description of the current endpoints, for people.
    private let report: (String) -> Void
    private var lastReport = ""

    /// Changes come in groups: an address, its routes, and rules that use them. Acting before the
    /// last of them would fail.
    private static let settlingTime = Duration.milliseconds(20)
    /// The most times to wait for further changes.
    private static let settlingLimit = 10

    /// Sets up the calling thread's network namespace, in which it needs `CAP_NET_ADMIN`.
    ///
    /// - Parameter report: Called with the current endpoints, initially and after each change.
    public init(
        _ mode: MultipathMode, report: @escaping (String) -> Void = { _ in }
    ) throws(MultipathError) {
        self.mode = mode
        self.report = report
        try MultipathSupport.require()
        ReceiveWindow.widen()
        do {
            session = try NetlinkSession()
            // Subscribed before the interfaces are read, so that no change is missed.
            events = try NetlinkEvents([.links, .addresses, .routes])
            manager = try MultipathManager()
            try manager.allow(paths: MultipathManager.limit)
            // They may be there already.
            _ = try session.execute(BypassRoute.rules)
            try update()
        } catch {
            throw .netlink(error)
        }
    }

    /// Lets incoming connections to the calling thread's network namespace have several subflows.
    public static func welcomePaths() throws(MultipathError) {
        ReceiveWindow.widen()
        do {
            try MultipathManager().allow(paths: MultipathManager.limit)
        } catch {
            throw .netlink(error)
        }
    }

    /// Follows the interfaces from now on; returns only if the kernel stops reporting them.
    public func run() throws(MultipathError) {
        do {
            while true {
                let timeout = rounds.turn()
                let ready = Readiness.wait(
                    for: [events.descriptor] + rounds.descriptors, timeout: timeout)
                let former = verdict
                verdict = rounds.takeEchoes()
                if ready.contains(events.descriptor) {
                    try settle()
                    try update()
                } else if verdict != former {
                    try update()
                }
            }
        } catch {
            throw .netlink(error)
        }
    }

    private func settle() throws(NetlinkError) {
        _ = try events.next(within: .zero)
        for _ in 0..<Self.settlingLimit {
            if try events.next(within: Self.settlingTime).isEmpty { return }
        }
    }

    private func update() throws(NetlinkError) {
        let interfaces = try MultipathPlan.interfaces(session)
        rounds.measure(interfaces)
        try follow(BypassRoute(interfaces, verdict))
        let wanted = MultipathPlan.endpoints(mode, interfaces, quickest: verdict.quickest)
        for step in MultipathPlan.steps(from: try manager.endpoints(), to: wanted) {
            do {
                switch step {
                case .add(let endpoint): try manager.add(endpoint)
                case .setBackup(let endpoint): try manager.setBackup(of: endpoint)
                case .delete(let endpoint): try manager.delete(endpoint)
                }
            } catch {
                // The interface may have vanished in the meantime; an event will follow.
                report("\(error)")
            }
        }
        var text = MultipathPlan.text(wanted, interfaces)
        if let other = interfaces.first(where: { $0.index == bypass?.interface }) {
            text += "; \(interfaces[0].name) is silent, so connections start on \(other.name)"
        }
        if text != lastReport { report(text) }
        lastReport = text
    }

    private func follow(_ bypass: BypassRoute?) throws(NetlinkError) {
        guard bypass != self.bypass else { return }
        // What vanished with its interface cannot be removed any more.
        _ = try session.execute((self.bypass?.end ?? []) + (bypass?.begin ?? []))
        self.bypass = bypass
    }
}

extension MultipathPlan {
    /// The endpoints for people, such as `wifi0 carries, cell0 is the reserve`.
    static func text(_ endpoints: [MultipathEndpoint], _ interfaces: [Interface]) -> String {
        func names(isBackup: Bool) -> [String] {
            interfaces.filter { interface in
                endpoints.contains { $0.interface == interface.index && $0.isBackup == isBackup }
            }.map(\.name)
        }
        let (carriers, reserves) = (names(isBackup: false), names(isBackup: true))
        guard !carriers.isEmpty else { return "Multipath TCP: no interface leads out" }
        let list = { (names: [String]) in names.joined(separator: " and ") }
        return "Multipath TCP: \(list(carriers)) \(carriers.count == 1 ? "carries" : "carry")"
            + (reserves.isEmpty
                ? "" : ", \(list(reserves)) \(reserves.count == 1 ? "is" : "are") in reserve")
    }
}
