import LinkModel
import LinuxKernel
import Recording

/// Periodically samples the links while the command runs.
struct LinkSampler {
    private let links: SandboxLinks
    private let beginning: Duration
    /// By interface name; empty if samples are not requested.
    private var series: [String: SampleSeries] = [:]
    /// All links together; nil: not requested.
    private var total: SampleSeries?

    init(_ links: SandboxLinks, since beginning: Duration, isWanted: Bool) {
        self.links = links
        self.beginning = beginning
        guard isWanted else { return }
        let first = counters()
        series = first.mapValues { SampleSeries($0) }
        total = Self.sum(first).map { SampleSeries($0) }
    }

    /// Takes a sample if due and returns the time until the next; nil: never.
    mutating func turn() -> Duration? {
        guard let next = total?.nextTime else { return nil }
        let elapsed = KernelClock.monotonic - beginning
        guard elapsed >= next else { return next - elapsed }
        let current = counters()
        for (name, counters) in current { series[name]?.append(counters, at: elapsed) }
        if let sum = Self.sum(current) { total?.append(sum, at: elapsed) }
        return total?.interval
    }

    /// Takes the last sample and returns the samples of each interface and of all together.
    mutating func finish() -> (interfaces: [String: [LinkSample]], total: [LinkSample]) {
        guard total != nil else { return ([:], []) }
        let elapsed = KernelClock.monotonic - beginning
        let current = counters()
        for (name, counters) in current { series[name]?.finish(counters, at: elapsed) }
        if let sum = Self.sum(current) { total?.finish(sum, at: elapsed) }
        return (series.mapValues(\.samples), total?.samples ?? [])
    }

    private func counters() -> [String: LinkCounters] {
        var counters: [String: LinkCounters] = [:]
        for interface in links.interfaces {
            counters[interface.name] = links.counters(of: interface.name)
        }
        return counters
    }

    private static func sum(_ counters: [String: LinkCounters]) -> LinkCounters? {
        counters.values.dropFirst().reduce(counters.values.first) { sum, next in
            sum.map { $0 + next }
        }
    }
}
