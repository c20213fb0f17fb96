import Evidence
import LinuxKernel

/// Looks at a link from time to time while the command runs.
struct LinkSampler {
    private let plane: LinkPlane
    private let beginning: Duration
    /// Nil: not wanted.
    private var series: SampleSeries?

    init(_ plane: LinkPlane, since beginning: Duration, isWanted: Bool) {
        self.plane = plane
        self.beginning = beginning
        series = isWanted ? plane.snapshot.map { SampleSeries($0) } : nil
    }

    /// Looks, if it is time, and says in how long it is time again; nil: never.
    mutating func turn() -> Duration? {
        guard let next = series?.nextTime else { return nil }
        let elapsed = KernelClock.monotonic - beginning
        guard elapsed >= next else { return next - elapsed }
        if let snapshot = plane.snapshot { series?.append(snapshot, at: elapsed) }
        return series?.interval
    }

    /// Looks for the last time, and says what was seen.
    mutating func finish() -> [LinkSample] {
        guard series != nil, let snapshot = plane.snapshot else { return [] }
        series?.finish(snapshot, at: KernelClock.monotonic - beginning)
        return series?.samples ?? []
    }
}
