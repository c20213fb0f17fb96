import LinkModel
import LinkTesting
import LinkUnits

@testable import Verification

/// A link on paper: what probes would have seen of it.
struct SimulatedLink {
    var conditions: LinkConditions
    var generator: SeededGenerator

    init(_ conditions: LinkConditions, seed: UInt64 = 1) {
        self.conditions = conditions.withExplicitLoss
        generator = SeededGenerator(seed: seed)
    }

    private mutating func chance() -> Double { Double.random(in: 0..<1, using: &generator) }

    /// What comes of a plan.
    mutating func report(_ plan: ProbePlan) -> ProbeReport {
        var report = ProbeReport()
        for (index, flow) in plan.flows.enumerated() {
            report.sent[index] = flow.count
            report.offered[index] = flow.segments.last.map { 1 / $0.interval.seconds }
            report.arrivals[index] = arrivals(of: flow)
        }
        for (index, transfer) in plan.transfers.enumerated() {
            let bandwidth = transfer.direction.conditions(of: conditions).bandwidth
            let rate = Double(bandwidth?.bitsPerSecond ?? 0) / 8 * 1448 / 1500
            var result = ProbeReport.Transfer()
            result.times = (0..<1000).map { transfer.window.seconds * Double($0) / 1000 }
            result.totals = result.times.map { $0 * rate }
            report.transfers[index] = result
        }
        for (index, connects) in plan.connects.enumerated() {
            let extra = connects.port == 53 ? conditions.dnsDelay ?? .zero : .zero
            report.connects[index] = Array(
                repeating: conditions.roundTripTime + extra, count: connects.count)
        }
        return report
    }

    private mutating func arrivals(of flow: ProbePlan.Flow) -> ProbeReport.Arrivals {
        let way = flow.direction.conditions(of: conditions)
        let bytes = flow.packetBytes
        let extra = flow.port == 53 ? conditions.dnsDelay?.seconds ?? 0 : 0
        let wire = way.serialization(ofBytes: bytes).seconds
        var free = 0.0
        var latest = 0.0
        var isBad = false
        var sinceOvertaking = 0
        var packets: [(number: Int, sent: Double, arrived: Double)] = []
        var result = ProbeReport.Arrivals()
        for (number, sent) in sendingTimes(of: flow).enumerated() {
            if wire > 0, let limit = way.queuePackets, free - sent > wire * Double(limit) {
                continue
            }
            free = max(free, sent) + wire
            if isLost(way.loss, &isBad) { continue }
            if way.corrupt > .zero, chance() < way.corrupt.value {
                if chance() > 42 / Double(bytes) { result.damaged += 1 }
                continue
            }
            var arrived = free + way.delay.seconds + extra
            if let jitter = way.jitter { arrived = max(free, arrived + deviation(jitter)) }
            if let reorder = way.reorder, sinceOvertaking >= reorder.gap - 1,
                chance() < reorder.mean.value
            {
                arrived = free
                sinceOvertaking = 0
            } else {
                arrived = max(arrived, latest)
                latest = arrived
                sinceOvertaking += 1
            }
            packets.append((number, sent, arrived))
            if way.duplicate > .zero, chance() < way.duplicate.value {
                packets.append((number, sent, arrived))
            }
        }
        // Sorting keeps the order of what arrives at once only with the number.
        packets.sort { ($0.arrived, $0.number) < ($1.arrived, $1.number) }
        result.numbers = packets.map { UInt32($0.number) }
        result.sent = packets.map { Int64($0.sent * 1e9) }
        result.received = packets.map { Int64($0.arrived * 1e9) }
        return result
    }

    private func sendingTimes(of flow: ProbePlan.Flow) -> [Double] {
        var time = flow.start.seconds
        return flow.segments.flatMap { segment in
            (0..<segment.count).map { _ in
                defer { time += segment.interval.seconds }
                return time
            }
        }
    }

    private mutating func isLost(_ loss: LossModel, _ isBad: inout Bool) -> Bool {
        guard let (p, r) = loss.gilbertTransitions else { return chance() < loss.mean.value }
        isBad = isBad ? chance() >= r.value : chance() < p.value
        return isBad
    }

    private mutating func deviation(_ jitter: Jitter) -> Double {
        switch jitter.distribution {
        case .uniform: jitter.amount.seconds * (2 * chance() - 1)
        default: jitter.amount.seconds * NormalDistribution.quantile(max(1e-9, chance()))
        }
    }
}
