import LinuxKernel
import Netlink
import NetworkPath
import Recording
import SystemPackage

/// Looks from time to time what the command asks of the network over interfaces that are
/// constrained.
struct ConstrainedWatch {
    private let links: SandboxLinks
    private let beginning: Duration
    /// In the command's network namespace.
    private let session: NetlinkSession
    /// By the names of the interfaces.
    private var meters: [String: ConstrainedMeter] = [:]
    private var nextTime = ConstrainedWatch.interval

    private static let interval = Duration.milliseconds(100)

    /// Begins with the start of the command; nil if nobody counts what it asks.
    ///
    /// - Parameter session: in the command's network namespace; nil: not wanted.
    init?(_ links: SandboxLinks, since beginning: Duration, _ session: NetlinkSession?) {
        guard let session else { return nil }
        self.links = links
        self.beginning = beginning
        self.session = session
        for name in links.interfaces.map(\.name) {
            guard let requests = links.requests(over: name) else { return nil }
            meters[name] = ConstrainedMeter(isConstrained: isConstrained(name), requests: requests)
        }
    }

    /// Looks, if it is time, and says in how long it is time again.
    mutating func turn() -> Duration {
        let elapsed = KernelClock.monotonic - beginning
        guard elapsed >= nextTime else { return nextTime - elapsed }
        look(at: elapsed)
        nextTime = elapsed + Self.interval
        return Self.interval
    }

    /// Looks for the last time, and says what was seen; nil if no interface was constrained.
    mutating func finish() -> ConstrainedUse? {
        let elapsed = KernelClock.monotonic - beginning
        look(at: elapsed)
        let uses = meters.values.compactMap { $0.result(at: elapsed) }
        guard let longest = uses.map(\.seconds).max() else { return nil }
        return ConstrainedUse(
            seconds: longest, requests: uses.reduce(0) { $0 + $1.requests })
    }

    private mutating func look(at time: Duration) {
        for name in meters.keys {
            // To be looked at before the interface.
            guard let requests = links.requests(over: name) else { continue }
            let isConstrained = isConstrained(name)
            meters[name]?.look(isConstrained: isConstrained, requests: requests, at: time)
        }
    }

    private func isConstrained(_ name: String) -> Bool {
        guard let link = try? session.link(named: name) else { return false }
        return NetworkMark.effective(alias: link.aliasBytes)?.makesConstrained ?? false
    }
}
