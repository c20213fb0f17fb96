import LinkModel
import LinkUnits
import Recording
import Verification

extension DirectionAnalysis {
    /// Adds the loss behind the queue, and whether it comes in bursts.
    func addLoss(_ learned: inout LearnedDirection) {
        guard let steady = seen.steady, steady.seen.sent > 0 else {
            return learned.values.append(.hidden("loss", "not visible: no packet could be sent"))
        }
        let isLost = steady.seen.isLost
        let sent = isLost.count
        let runs = Statistics.runs(isLost)
        let overflows = steady.seen.arrivals.overflows
        // Packets with damaged headers do not arrive, either.
        let damaged = Int((Double(steady.seen.arrivals.damaged) * wholeOfDamage).rounded())
        let missing = max(0, runs.reduce(0, +) - steady.seen.arrivals.damaged - overflows)
        let lost = max(0, runs.reduce(0, +) - damaged - overflows)
        guard lost > 0 else {
            // What is not seen in n packets is rarer than 3.7 in n. (The 3 of the rule of three would
            // miss as often as all intervals of any loss together may.)
            let most = ProportionInterval(successes: 0, trials: Double(sent), error: Self.error)
                .high
            return learned.values.append(
                LearnedValue(
                    "loss", .measured, value: 0, low: 0, high: most,
                    how: "none of \(sent) packets was lost; 95%: below \(Rounding.percent(most))"))
        }
        let share = Double(lost) / Double(sent)
        let burst = Double(lost) / Double(max(1, runs.count))
        let (isBursty, bursts) = burstiness(runs, lost: lost, share: share)
        let worth = LossModel.independentShare(mean: share, burst: burst)
        let chance = ProportionInterval(
            successes: Double(lost) * worth, trials: Double(sent) * worth, error: Self.error)
        // How many headers were damaged is not known.
        let interval =
            damaged > 0
            ? (
                low: 0,
                high: ProportionInterval(
                    successes: Double(missing) * worth, trials: Double(sent) * worth,
                    error: Self.error
                ).high
            ) : (low: chance.low, high: chance.high)
        let kept = Ratio(Rounding.significant(share, digits: 3)) ?? .zero
        let how =
            "\(lost) of \(sent) packets below the bandwidth were lost; 95%: "
            + "\(Rounding.percent(interval.low)) to \(Rounding.percent(interval.high))"
        if seen.varying != nil {
            return learned.values.append(
                LearnedValue(
                    "loss", .bound, value: share, low: 0, high: interval.high,
                    how: "not visible: \(how), but the queue may overflow while the bandwidth is "
                        + "low"))
        }
        guard isBursty else {
            learned.conditions.loss = .random(kept)
            let alone = runs.count > 2 ? ", each by itself (\(bursts))" : ""
            return learned.values.append(
                LearnedValue(
                    "loss", .measured, text: kept.description, value: share, low: interval.low,
                    high: interval.high, how: how + alone))
        }
        let length = Rounding.significant(burst, digits: 2)
        learned.conditions.loss = .bursts(mean: kept, burst: length)
        learned.values.append(
            LearnedValue(
                "loss", .measured,
                text: "{ mean: \(kept), burst: \(LossModel.text(ofBurst: length)) }",
                value: share, low: interval.low, high: interval.high,
                how: "\(how); in \(runs.count) bursts (\(bursts))"))
    }

    /// Whether losses come in bursts, by the lengths of the runs of lost packets (Gilbert's model),
    /// and what is known of their length.
    private func burstiness(
        _ runs: [Int], lost: Int, share: Double
    ) -> (isBursty: Bool, text: String) {
        guard runs.count >= 3, lost >= runs.count else { return (false, "too few to tell bursts") }
        // Each lost packet ends its run with the same probability, one by the mean length.
        let ends = ProportionInterval(
            successes: Double(runs.count), trials: Double(max(lost, runs.count)), error: 0.01)
        let (low, high) = (1 / ends.high, 1 / max(1e-9, ends.low))
        let isBursty = low > 1.05 / (1 - min(0.99, share))
        let mean = Rounding.text(Double(lost) / Double(runs.count), digits: 2)
        return (
            isBursty,
            "\(mean) in a row; 99%: \(Rounding.text(low, digits: 2)) to "
                + "\(Rounding.text(high, digits: 2))"
        )
    }

    /// Adds reordering, duplicates and damage.
    func addRareEvents(_ learned: inout LearnedDirection) {
        guard let steady = seen.steady, steady.arrived > 0 else { return }
        let arrived = steady.arrived
        if let ratio = addShare(
            "duplicate", steady.seen.duplicates, of: arrived, "came twice", &learned)
        {
            learned.conditions.duplicate = ratio
        }
        let damaged = steady.seen.arrivals.damaged
        addDamage(damaged, of: arrived + damaged, &learned)
        if let ratio = addShare(
            "reorder", steady.seen.overtakers, of: arrived, "came before one sent earlier",
            &learned)
        {
            learned.conditions.reorder = Reordering(mean: ratio)
        }
    }

    /// How many packets are damaged for each that arrives so: of those whose headers are, most are
    /// dropped.
    private var wholeOfDamage: Double {
        guard let bytes = seen.steady?.train.packetBytes else { return 1 }
        let headers = (seen.isIPv6 ? InternetFamily.ipv6 : .ipv4).headerBytes
        return Double(bytes) / Double(max(1, bytes - headers))
    }

    private func addDamage(_ count: Int, of total: Int, _ learned: inout LearnedDirection) {
        guard
            addShare("corrupt", count, of: total, "came with other bytes", &learned) != nil,
            var value = learned.values.popLast(), let share = value.value,
            let ratio = Ratio(Rounding.significant(min(1, share * wholeOfDamage), digits: 3))
        else { return }
        learned.conditions.corrupt = ratio
        value.text = ratio.description
        value.value = share * wholeOfDamage
        value.high = value.high.map { min(1, $0 * wholeOfDamage) }
        value.how += "; with the packets whose headers were damaged, which do not arrive"
        learned.values.append(value)
    }

    private func addShare(
        _ field: String, _ count: Int, of total: Int, _ what: String,
        _ learned: inout LearnedDirection
    ) -> Ratio? {
        let count = min(count, total)
        let interval = ProportionInterval(
            successes: Double(count), trials: Double(total), error: Self.error)
        let value = Double(count) / Double(total)
        guard count > 0, let ratio = Ratio(Rounding.significant(value, digits: 3)) else {
            learned.values.append(
                LearnedValue(
                    field, .measured, value: 0, low: 0, high: interval.high,
                    how: "none of \(total) packets \(what); 95%: below "
                        + Rounding.percent(interval.high)))
            return nil
        }
        learned.values.append(
            LearnedValue(
                field, .measured, text: ratio.description, value: value, low: interval.low,
                high: interval.high,
                how: "\(count) of \(total) packets \(what); 95%: "
                    + "\(Rounding.percent(interval.low)) to \(Rounding.percent(interval.high))"))
        return ratio
    }
}

extension LossModel {
    /// What a packet of a sample is worth for the share that is lost: less than one where losses come
    /// in bursts. Few bursts cannot be told from single losses, but count as what they seem.
    static func independentShare(mean: Double, burst: Double) -> Double {
        guard let ratio = Ratio(mean), ratio < .one else { return 1 }
        return LossModel.bursts(mean: ratio, burst: max(1 / (1 - mean), burst)).independentShare
    }
}
