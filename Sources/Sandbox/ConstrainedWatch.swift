import Evidence
import LinuxKernel
import Netlink
import NetworkPath
import SystemPackage

/// Looks from time to time what the command asks of the network while its path is constrained.
struct ConstrainedWatch {
    private let plane: LinkPlane
    private let beginning: Duration
    /// In the command's network namespace.
    private let session: NetlinkSession
    private var meter: ConstrainedMeter
    private var nextTime = ConstrainedWatch.interval

    private static let interval = Duration.milliseconds(100)

    /// Begins with the start of the command; nil if nobody counts what it asks.
    ///
    /// - Parameter session: in the command's network namespace; nil: not wanted.
    init?(_ plane: LinkPlane, since beginning: Duration, _ session: NetlinkSession?) {
        guard let session, let requests = plane.requests else { return nil }
        self.plane = plane
        self.beginning = beginning
        self.session = session
        meter = ConstrainedMeter(isConstrained: Self.isConstrained(session), requests: requests)
    }

    /// Looks, if it is time, and says in how long it is time again.
    mutating func turn() -> Duration {
        let elapsed = KernelClock.monotonic - beginning
        guard elapsed >= nextTime else { return nextTime - elapsed }
        look(at: elapsed)
        nextTime = elapsed + Self.interval
        return Self.interval
    }

    /// Looks for the last time, and says what was seen.
    mutating func finish() -> ConstrainedUse? {
        let elapsed = KernelClock.monotonic - beginning
        look(at: elapsed)
        return meter.result(at: elapsed)
    }

    private mutating func look(at time: Duration) {
        guard let requests = plane.requests else { return }
        meter.look(isConstrained: Self.isConstrained(session), requests: requests, at: time)
    }

    private static func isConstrained(_ session: NetlinkSession) -> Bool {
        guard let link = try? session.link(named: SandboxNetwork.app.name) else { return false }
        return NetworkMark.effective(alias: link.aliasBytes)?.makesConstrained ?? false
    }
}
