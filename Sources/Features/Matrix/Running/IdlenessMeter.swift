import LinuxKernel

/// Measures which part of the processors' time nobody uses.
struct IdlenessMeter {
    /// Nil where they may be idle since a control group is not allowed more of them.
    private let processors: Processors?
    private var last: (time: ContinuousClock.Instant, idle: Duration)?

    /// In a shorter time, the kernel's ticks say too little.
    private static let leastTime = Duration.milliseconds(500)

    /// Begins now.
    init() {
        let all = Processors()
        processors = all.flatMap { ProcessorQuota.usable(of: $0.count) < $0.count ? nil : $0 }
        last = processors?.idleTime.map { (.now, $0) }
    }

    /// The idle part since the last time that this was known; nil: unknown yet.
    mutating func share() -> Double? {
        let now = ContinuousClock.now
        guard let processors, let last, now - last.time >= Self.leastTime,
            let idle = processors.idleTime
        else { return nil }
        self.last = (now, idle)
        return (idle - last.idle) / ((now - last.time) * processors.count)
    }
}
