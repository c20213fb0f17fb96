import Evidence
import LinuxKernel

/// Looks at the links from time to time while the command runs.
struct LinkSampler {
    private let links: SandboxLinks
    private let beginning: Duration
    /// By the names of the interfaces; none if samples are not wanted.
    private var series: [String: SampleSeries] = [:]
    /// All links together; nil: not wanted.
    private var total: SampleSeries?

    init(_ links: SandboxLinks, since beginning: Duration, isWanted: Bool) {
        self.links = links
        self.beginning = beginning
        guard isWanted else { return }
        let first = snapshots()
        series = first.mapValues { SampleSeries($0) }
        total = Self.sum(first).map { SampleSeries($0) }
    }

    /// Looks, if it is time, and says in how long it is time again; nil: never.
    mutating func turn() -> Duration? {
        guard let next = total?.nextTime else { return nil }
        let elapsed = KernelClock.monotonic - beginning
        guard elapsed >= next else { return next - elapsed }
        let current = snapshots()
        for (name, snapshot) in current { series[name]?.append(snapshot, at: elapsed) }
        if let sum = Self.sum(current) { total?.append(sum, at: elapsed) }
        return total?.interval
    }

    /// Looks for the last time, and says what was seen: of each interface, and of all together.
    mutating func finish() -> (interfaces: [String: [LinkSample]], total: [LinkSample]) {
        let elapsed = KernelClock.monotonic - beginning
        let current = snapshots()
        for (name, snapshot) in current { series[name]?.finish(snapshot, at: elapsed) }
        if let sum = Self.sum(current) { total?.finish(sum, at: elapsed) }
        return (series.mapValues(\.samples), total?.samples ?? [])
    }

    private func snapshots() -> [String: LinkSnapshot] {
        var snapshots: [String: LinkSnapshot] = [:]
        for interface in links.interfaces {
            snapshots[interface.name] = links.snapshot(of: interface.name)
        }
        return snapshots
    }

    private static func sum(_ snapshots: [String: LinkSnapshot]) -> LinkSnapshot? {
        snapshots.values.dropFirst().reduce(snapshots.values.first) { sum, next in
            sum.map { $0 + next }
        }
    }
}
