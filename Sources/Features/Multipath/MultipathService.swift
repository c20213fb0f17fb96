import LinuxKernel
import Netlink
public import Scenarios
import SystemPackage

/// Keeps Multipath TCP as a mode wants it while interfaces come, go and change places.
///
/// Theory of operation. The kernel has a path manager: for each *endpoint*, an address of an
/// interface, it adds a path (a TCP connection, "subflow") to every connection, and tells the other
/// end which paths are reserves. This service looks at what interfaces there are (`rtnetlink`),
/// plans the endpoints (`MultipathPlan`), and tells the path manager what has changed. An endpoint
/// that is deleted closes its paths, which the other end hears of at once by one of the others, so
/// that a connection need not find out by timeouts; one that is added gives paths to connections
/// that began long ago. For `interactive` it also measures round trips by echoes (`EchoRounds`).
public final class MultipathService {
    private let mode: MultipathMode
    private let session: NetlinkSession
    private let manager: MultipathManager
    private let events: NetlinkEvents
    private var rounds: EchoRounds?
    /// Told what carries now, for people.
    private let report: (String) -> Void
    private var lastReport = ""

    /// Changes rarely come alone: an address, its routes, and rules that use them. What is done
    /// before the last of them fails for want of it.
    private static let settlingTime = Duration.milliseconds(20)
    /// So often it is waited for more.
    private static let settlingLimit = 10

    /// Sets up the calling thread's network namespace, over which it must have `CAP_NET_ADMIN`.
    ///
    /// - Parameter report: is told what carries, at first and after each change.
    public init(
        _ mode: MultipathMode, report: @escaping (String) -> Void = { _ in }
    ) throws(MultipathError) {
        self.mode = mode
        self.report = report
        rounds = mode == .interactive ? EchoRounds() : nil
        try MultipathSupport.require()
        do {
            session = try NetlinkSession()
            // Before the interfaces are looked at, so that no change is missed.
            events = try NetlinkEvents([.links, .addresses, .routes])
            manager = try MultipathManager()
            try manager.allow(paths: MultipathManager.limit)
            try update()
        } catch {
            throw .netlink(error)
        }
    }

    /// Lets connections that others open to the calling thread's network namespace have several
    /// paths.
    public static func welcomePaths() throws(MultipathError) {
        do {
            try MultipathManager().allow(paths: MultipathManager.limit)
        } catch {
            throw .netlink(error)
        }
    }

    /// Follows the interfaces from now on; returns only if the kernel refuses to tell of them.
    public func run() throws(MultipathError) {
        do {
            while true {
                let timeout = rounds?.turn()
                let ready = Readiness.wait(
                    for: [events.descriptor] + (rounds?.descriptors ?? []), timeout: timeout)
                let hasQuicker = rounds?.takeEchoes() ?? false
                if ready.contains(events.descriptor) {
                    try settle()
                    try update()
                } else if hasQuicker {
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
        rounds?.measure(interfaces)
        let wanted = MultipathPlan.endpoints(mode, interfaces, quickest: rounds?.quickest)
        for step in MultipathPlan.steps(from: try manager.endpoints(), to: wanted) {
            do {
                switch step {
                case .add(let endpoint): try manager.add(endpoint)
                case .setBackup(let endpoint): try manager.setBackup(of: endpoint)
                case .delete(let endpoint): try manager.delete(endpoint)
                }
            } catch {
                // The interface may have gone in between, of which an event will tell.
                report("\(error)")
            }
        }
        let text = MultipathPlan.text(wanted, interfaces)
        if text != lastReport { report(text) }
        lastReport = text
    }
}

extension MultipathPlan {
    /// What the endpoints mean, such as `wifi0 carries, cell0 is the reserve`.
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
