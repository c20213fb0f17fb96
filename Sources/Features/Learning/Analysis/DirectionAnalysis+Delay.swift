import LinkModel
import LinkUnits
import Verification

extension DirectionAnalysis {
    /// A spread below that is the machines', in milliseconds.
    private static let machineSpread = 0.4

    /// Adds delay and jitter, and returns the delay in milliseconds; nil if nothing arrived.
    func delay(_ learned: inout LearnedDirection) -> Double? {
        let trains = seen.idle + [seen.steady].compactMap(\.self)
        let idle = seen.idle.flatMap(\.delays)
        guard !idle.isEmpty, let bytes = seen.idle.first?.train.packetBytes else {
            learned.values.append(.hidden("delay", "not visible: no packet arrived"))
            return nil
        }
        let fixed = serialization(bytes)
        let how = sharesClock ? "one way, by the clock that both ends have" : "half a round trip"
        if seen.varying != nil {
            let least = max(0, (trains.flatMap(\.delays).min() ?? 0) - fixed)
            let jitter = LearnedValue.hidden(
                "jitter", "not visible: packets wait for the varying bandwidth anyway")
            add(
                least, error: 0.5 + 1,
                "\(how); the shortest of \(idle.count), the others waited "
                    + "for the bandwidth", &learned)
            learned.values.append(jitter)
            return least
        }
        let spread = Statistics.robustDeviation(idle) ?? 0
        let low = Statistics.percentile(0.05, of: idle) ?? 0
        let isJittery =
            spread > Self.machineSpread
            && (Statistics.percentile(0.75, of: idle) ?? 0) - low > 2 * Self.machineSpread
        guard isJittery else {
            // A busy machine delays some, and none arrives early.
            let value = max(0, (Statistics.percentile(0.25, of: idle) ?? 0) - fixed)
            add(
                value, error: 0.3 + spread,
                "\(how); the lower quartile of \(idle.count) small "
                    + "packets, less their time on the wire", &learned)
            learned.values.append(
                LearnedValue(
                    "jitter", .notVisible, high: spread,
                    how: "none: the delay varies by \(Rounding.text(spread, digits: 2)) ms, as "
                        + "much as the machines themselves"))
            return value
        }
        return addJitter(trains, fixed: fixed, how, &learned)
    }

    private func add(
        _ value: Double, error: Double, _ how: String, _ learned: inout LearnedDirection
    ) {
        let delay = Rounding.duration(value)
        learned.conditions.delay = delay
        learned.values.append(
            LearnedValue(
                "delay", sharesClock ? .measured : .bound, text: delay.unitText, value: value,
                low: max(0, value - error), high: value + error,
                how: "\(how); ± \(Rounding.text(error, digits: 2)) ms"))
    }

    private func addJitter(
        _ trains: [ObservedTrain], fixed: Double, _ how: String,
        _ learned: inout LearnedDirection
    ) -> Double? {
        let delays = trains.flatMap(\.delays)
        guard let fit = JitterFit(delays, fixed: fixed) else { return nil }
        // Delays that follow each other closely are alike.
        let memory = max(0.1, fit.jitter.memory.milliseconds)
        let independent = max(
            2,
            trains.reduce(0.0) { total, train in
                let interval = train.train.interval.milliseconds
                return total + Double(train.arrived) * min(1, interval / memory)
            })
        let deviation = Statistics.standardDeviation(delays) ?? 0
        let error = Self.deviations * deviation / independent.squareRoot() + 0.3
        add(
            fit.delay, error: error,
            "\(how); the middle of \(delays.count) delays, worth "
                + "\(Int(independent)) independent ones", &learned)
        let amount = Rounding.duration(fit.jitter.amount.milliseconds)
        let jitterError =
            Self.deviations * fit.jitter.amount.milliseconds
            * (0.5 / independent).squareRoot() + 0.2
        learned.conditions.jitter = Jitter(amount: amount, distribution: fit.jitter.distribution)
        learned.values.append(
            LearnedValue(
                "jitter", .measured, text: amount.unitText,
                value: fit.jitter.amount.milliseconds,
                low: max(0, fit.jitter.amount.milliseconds - jitterError),
                high: fit.jitter.amount.milliseconds + jitterError,
                how: "the spread of these delays; ± \(Rounding.text(jitterError, digits: 2)) ms"))
        let isClear = fit.nextDifference > fit.difference + 0.5 / independent.squareRoot()
        learned.values.append(
            LearnedValue(
                "distribution", isClear ? .measured : .bound,
                text: fit.jitter.distribution.rawValue,
                how: "the nearest of the distributions; it differs by "
                    + "\(Rounding.percent(fit.difference)) at most, the next by "
                    + "\(Rounding.percent(fit.nextDifference))"
                    + (isClear ? "" : ", too little to be sure")))
        return fit.delay
    }
}
