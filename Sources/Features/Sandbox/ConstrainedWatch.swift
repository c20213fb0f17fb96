import LinuxKernel
import NetworkPath
import Recording

/// Periodically reads the command's network use over constrained interfaces.
struct ConstrainedWatch {
    private let links: SandboxLinks
    private let beginning: Duration
    /// By interface name.
    private var meters: [String: ConstrainedMeter] = [:]
    private var nextTime = ConstrainedWatch.interval

    private static let interval = Duration.milliseconds(100)

    /// Begins with the start of the command; nil if its network use is not wanted or not counted.
    init?(_ links: SandboxLinks, since beginning: Duration, isWanted: Bool) {
        guard isWanted else { return nil }
        self.links = links
        self.beginning = beginning
        for name in links.interfaces.map(\.name) {
            guard let requests = links.requestPackets(over: name) else { return nil }
            meters[name] = ConstrainedMeter(isConstrained: isConstrained(name), requests: requests)
        }
    }

    /// Takes a sample if due and returns the time until the next.
    mutating func turn() -> Duration {
        let elapsed = KernelClock.monotonic - beginning
        guard elapsed >= nextTime else { return nextTime - elapsed }
        look(at: elapsed)
        nextTime = elapsed + Self.interval
        return Self.interval
    }

    /// Takes the last sample and returns the result; nil if no interface was constrained.
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
            // Must be read before the interface.
            guard let requests = links.requestPackets(over: name) else { continue }
            let isConstrained = isConstrained(name)
            meters[name]?.look(isConstrained: isConstrained, requests: requests, at: time)
        }
    }

    private func isConstrained(_ name: String) -> Bool {
        links.effectiveMark(of: name)?.makesConstrained ?? false
    }
}
