import LinkUnits

extension Scenario {
    /// How long all passes take; nil if the timeline never ends.
    ///
    /// Without a repetition: until the last event is over, with random times as late as possible.
    public var length: Duration? {
        if let repetition { return repetition.count.map { repetition.period * $0 } }
        var latest = Duration.zero
        for entry in entries {
            let time: Duration
            switch entry.schedule {
            case .atEnd: continue
            case .once(let at, let spread): time = at + spread
            case .every(_, _, nil): return nil
            case .every(let period, let from, let until?):
                time = from + period * ((until - from).wholePeriods(of: period))
            }
            latest = max(latest, time + (entry.length ?? .zero) + entry.ramp)
        }
        return latest
    }
}

extension Duration {
    /// How many whole periods fit into it.
    func wholePeriods(of period: Duration) -> Int {
        Int(clamping: wholeNanoseconds / max(1, period.wholeNanoseconds))
    }
}
