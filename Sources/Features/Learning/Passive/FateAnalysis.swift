import Explanation
import LinkModel
import LinkUnits
import Recording
import Verification

/// The conditions of a link from a capture of linkcond's own, which says of each packet what the
/// link did to it.
struct FateAnalysis {
    private struct Way {
        var packets = 0
        /// Behind the queue.
        var passed = 0
        var lost = 0
        var runs = 0
        var isInRun = false
        var copies = 0
        var corrupted = 0
        var managed = 0
        var oversized = 0
        var largest = 0
        var bits = 0.0
        var seconds = 0.0
        var rates = ValueSample()
        var delays = ValueSample()
        /// When the packets in the queue leave it.
        var departures: [Duration] = []
        var first = 0
        var full = ValueSample()
        var mostWaiting = 0
    }

    private var up = Way()
    private var down = Way()
    private static let mostWaiting = 100_000
    /// One packet says nothing of others, and may be what a damaged capture makes of it.
    private static let leastPackets = 2

    mutating func take(_ packet: CapturedPacket, length: Int) {
        if packet.direction == .up {
            Self.take(packet, length, &up)
        } else if packet.direction == .down {
            Self.take(packet, length, &down)
        }
    }

    private static func take(_ packet: CapturedPacket, _ length: Int, _ way: inout Way) {
        let fate = packet.fate
        guard !fate.isCopy else {
            way.copies += 1
            return
        }
        way.packets += 1
        while way.first < way.departures.count, way.departures[way.first] <= packet.sent {
            way.first += 1
        }
        if way.first > 1024, way.first * 2 > way.departures.count {
            way.departures.removeFirst(way.first)
            way.first = 0
        }
        let waiting = way.departures.count - way.first
        switch fate.drop {
        case .queueFull: return way.full.add(Double(waiting))
        case .managed:
            way.managed += 1
            return
        case .oversized:
            way.oversized += 1
            return
        case .stopped, .disconnected: return
        case .lost, .corrupted, nil: break
        }
        way.passed += 1
        if fate.drop == .lost {
            way.lost += 1
            if !way.isInRun { way.runs += 1 }
        }
        way.isInRun = fate.drop == .lost
        if fate.drop == .corrupted { way.corrupted += 1 }
        guard fate.drop == nil else { return }
        way.largest = max(way.largest, length)
        let (queueing, transmission) = (fate.queueing ?? .zero, fate.transmission ?? .zero)
        way.delays.add((fate.delay - queueing - transmission) / .milliseconds(1))
        if transmission > .microseconds(5) {
            way.bits += Double(length * 8)
            way.seconds += transmission / .seconds(1)
            way.rates.add(Double(length * 8) / (transmission / .seconds(1)))
        }
        if waiting < mostWaiting { way.departures.append(packet.sent + queueing + transmission) }
        way.mostWaiting = max(way.mostWaiting, waiting)
    }

    // MARK: Result

    func learned(_ direction: Direction) -> LearnedDirection {
        let way = direction == .up ? up : down
        var learned = LearnedDirection()
        guard way.packets > 0 else {
            learned.values.append(.hidden("bandwidth", "not visible: no packet went this way"))
            return learned
        }
        addBandwidth(way, &learned)
        addDelay(way, &learned)
        addLoss(way, &learned)
        addQueue(way, &learned)
        addShare("duplicate", way.copies, way, &learned) { $0.duplicate = $1 }
        addShare("corrupt", way.corrupted, way, &learned) { $0.corrupt = $1 }
        if way.oversized > 0, LinkMTU.range.contains(way.largest) {
            learned.values.append(
                LearnedValue(
                    "mtu", .notVisible, low: Double(way.largest),
                    how: "\(way.oversized) packets were too large; \(way.largest) bytes passed"))
        }
        return learned
    }

    private static let tooFew = "not visible: one packet is too few"

    private func addBandwidth(_ way: Way, _ learned: inout LearnedDirection) {
        guard way.seconds > 0 else {
            return learned.values.append(
                .hidden("bandwidth", "not limited, as far as the capture says"))
        }
        guard way.rates.count >= Self.leastPackets else {
            return learned.values.append(.hidden("bandwidth", Self.tooFew))
        }
        let mean = way.bits / way.seconds
        let low = Statistics.percentile(0.1, of: way.rates.values) ?? mean
        let high = Statistics.percentile(0.9, of: way.rates.values) ?? mean
        // One damaged packet may weigh more than all others.
        let rate =
            (low * 0.9...max(low, high) * 1.1).contains(mean)
            ? mean : Statistics.median(way.rates.values) ?? mean
        guard high < low * 1.2 else {
            return learned.values.append(
                LearnedValue(
                    "bandwidth", .notVisible, value: rate, low: low, high: high,
                    how: "it varies; use the trace that the link played"))
        }
        let bandwidth = Rounding.bandwidth(rate)
        learned.conditions.bandwidth = bandwidth
        learned.values.append(
            LearnedValue(
                "bandwidth", .measured, text: bandwidth.description, value: rate,
                low: rate * 0.995, high: rate * 1.005,
                how: "from the time that \(way.rates.count) packets were on the wire, as the "
                    + "capture says"))
    }

    private func addDelay(_ way: Way, _ learned: inout LearnedDirection) {
        let delays = way.delays.values
        guard let median = Statistics.median(delays) else {
            return learned.values.append(.hidden("delay", "not visible: no packet arrived"))
        }
        guard delays.count >= Self.leastPackets else {
            return learned.values.append(.hidden("delay", Self.tooFew))
        }
        let spread = Statistics.robustDeviation(delays) ?? 0
        let how = "from \(way.delays.count) packets, less their waiting and their time on the wire"
        if spread > 0.1, let fit = JitterFit(delays, fixed: 0) {
            learned.conditions.delay = Rounding.duration(fit.delay)
            let amount = Rounding.duration(fit.jitter.amount.milliseconds)
            learned.conditions.jitter = Jitter(
                amount: amount, distribution: fit.jitter.distribution)
            learned.values.append(
                LearnedValue(
                    "delay", .bound, text: learned.conditions.delay.unitText, value: fit.delay,
                    how: "\(how); the middle, as it varies"))
            learned.values.append(
                LearnedValue(
                    "jitter", .bound, text: amount.unitText,
                    value: fit.jitter.amount.milliseconds,
                    how: "the spread of these delays, nearest to \(fit.jitter.distribution)"))
            return
        }
        let delay = Rounding.duration(median)
        learned.conditions.delay = delay
        learned.values.append(
            LearnedValue(
                "delay", .measured, text: delay.unitText, value: median,
                low: max(0, median - 0.2), high: median + 0.2, how: how))
    }

    private func addLoss(_ way: Way, _ learned: inout LearnedDirection) {
        guard way.passed > 0 else { return }
        guard way.passed >= Self.leastPackets || way.lost == 0 else {
            return learned.values.append(.hidden("loss", Self.tooFew))
        }
        let share = Double(way.lost) / Double(way.passed)
        let burst = Double(way.lost) / Double(max(1, way.runs))
        let isBursty = way.runs >= 3 && burst > 1.3 / (1 - min(0.9, share))
        let model =
            isBursty
            ? LossModel.bursts(
                mean: Ratio(Rounding.significant(share, digits: 3)) ?? .zero,
                burst: Rounding.significant(burst, digits: 2))
            : .random(Ratio(Rounding.significant(share, digits: 3)) ?? .zero)
        let worth = LossModel.independentShare(mean: share, burst: burst)
        let interval = ProportionInterval(
            successes: Double(way.lost) * worth, trials: Double(way.passed) * worth,
            error: DirectionAnalysis.error)
        learned.conditions.loss = model
        let text =
            isBursty
            ? "{ mean: \(model.mean), burst: \(LossModel.text(ofBurst: model.meanLossBurst)) }"
            : model.mean.description
        learned.values.append(
            LearnedValue(
                "loss", .measured, text: way.lost > 0 ? text : nil, value: share,
                low: interval.low, high: interval.high,
                how: "\(way.lost) of \(way.passed) packets were lost behind the queue; 95%: "
                    + "\(Rounding.percent(interval.low)) to \(Rounding.percent(interval.high))"))
    }

    private func addQueue(_ way: Way, _ learned: inout LearnedDirection) {
        if way.managed > 0 {
            learned.conditions.aqm = .codel
            learned.values.append(
                LearnedValue(
                    "aqm", .bound, text: QueueManagement.codel.rawValue,
                    how: "an AQM dropped \(way.managed) packets; which one is not told here"))
        }
        guard let full = Statistics.median(way.full.values), full >= 1 else {
            return learned.values.append(
                LearnedValue(
                    "queue", .bound, low: Double(way.mostWaiting),
                    how: "not visible: it did not overflow; \(way.mostWaiting) packets waited at "
                        + "most"))
        }
        learned.conditions.queue = .packets(Int(full))
        learned.values.append(
            LearnedValue(
                "queue", .measured, text: "\(Int(full)) packets", value: full, low: full - 1,
                high: full + 1,
                how: "so many waited when \(way.full.count) others found it full"))
    }

    private func addShare(
        _ field: String, _ count: Int, _ way: Way, _ learned: inout LearnedDirection,
        _ set: (inout DirectionConditions, Ratio) -> Void
    ) {
        guard way.passed > 0, count > 0, count <= way.passed else { return }
        let share = Double(count) / Double(way.passed)
        guard let ratio = Ratio(Rounding.significant(share, digits: 3)) else { return }
        let interval = ProportionInterval(
            successes: Double(count), trials: Double(way.passed), error: DirectionAnalysis.error)
        set(&learned.conditions, ratio)
        learned.values.append(
            LearnedValue(
                field, .measured, text: ratio.description, value: share, low: interval.low,
                high: interval.high, how: "\(count) of \(way.passed) packets"))
    }
}
