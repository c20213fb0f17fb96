public import LinkModel
import LinkUnits

/// Compares what two probes saw with what the conditions of a link promise.
///
/// Theory of operation. A verification has three independent parts: the plan (`ProbePlan`: which
/// packets are sent when), the probes (`Probe`: two programs, one at each end of the link, which
/// execute the plan and record what arrives), and the judge, a pure function.
///
/// Sender and receiver share the machine's clock, so each direction is measured separately. The
/// probes communicate through files (`Rendezvous`), since the link may lose everything. Each
/// direction is tested in sequence with a few small packets on an idle link (delay, jitter), many
/// small packets below the bandwidth (loss and similar effects), and an overload (bandwidth,
/// queue). If TCP can use the bandwidth, a bulk transfer gives a second opinion.
///
/// The tolerance of a check is the effect of chance plus the instrument's error (`Effort`). Chance
/// has a probability of `Statistics.errorProbability` for each check.
public struct LinkJudge {
    let link: LinkConditions
    let plan: ProbePlan
    let report: ProbeReport
    let effort: Effort
    let tolerance: LatenessTolerance

    /// Prepares to judge the reports of both probes.
    ///
    /// - Parameter tolerance: How late packets may be; what failed beyond it is not judged.
    public init(
        _ conditions: LinkConditions, plan: ProbePlan, report: ProbeReport, effort: Effort,
        tolerance: LatenessTolerance = .standard
    ) {
        link = conditions.withExplicitLoss
        self.plan = plan
        self.report = report
        self.effort = effort
        self.tolerance = tolerance
    }

    /// All checks, those of the up direction first.
    public var checks: [Check] {
        Direction.allCases.flatMap { direction in
            delays(direction) + sequence(direction) + saturation(direction)
                + transfers(direction) + (direction == .up ? dns : [])
        }.map(excuse)
    }

    /// The flows for `purpose`: what was sent and what arrived.
    func seen(_ purpose: ProbePlan.Purpose, _ direction: Direction) -> [SeenFlow] {
        plan.flows.indices.compactMap { index in
            let flow = plan.flows[index]
            guard flow.purpose == purpose, flow.direction == direction else { return nil }
            return SeenFlow(
                flow: flow, sent: report.sent[index] ?? 0,
                arrivals: report.arrivals[index] ?? .init(),
                offered: report.offered[index], heldUp: report.heldUp[index] ?? 0,
                lateness: report.lateness[index] ?? 0,
                obstacle: report.obstacles[index])
        }
    }

    /// Whether chance alone may have lost all `sent` packets.
    func mayAllBeLost(_ sent: Int, _ conditions: DirectionConditions) -> Bool {
        let independent = conditions.loss.independentShare
        var probability = 1.0
        for _ in 0..<Int(Double(sent) * independent) where probability > 0 {
            probability *= conditions.loss.mean.value
        }
        return probability > Statistics.errorProbability
    }
}

extension LossModel {
    /// The size of an independent sample with the same precision of the mean, as a share of this
    /// sample.
    ///
    /// In the Gilbert model the correlation of neighbours is 1 - p - r; that of more distant
    /// packets is a power of it.
    package var independentShare: Double {
        guard let (p, r) = gilbertTransitions else { return 1 }
        let correlation = max(0, 1 - p.value - r.value)
        return (1 - correlation) / (1 + correlation)
    }
}

/// A flow and its arrivals.
package struct SeenFlow {
    package let flow: ProbePlan.Flow
    package let sent: Int
    package let arrivals: ProbeReport.Arrivals
    /// The packets per second actually sent in its last segment.
    let offered: Double?
    /// The share of its last segment's time in which the machine delayed the sender.
    let heldUp: Double
    /// The lateness in milliseconds that every fourth packet reached or exceeded when sent. The
    /// emulation of the link is woken no earlier.
    let lateness: Double
    let obstacle: String?
    /// The indices in `arrivals` of first copies, in order of arrival.
    package let firsts: [Int]

    package init(
        flow: ProbePlan.Flow, sent: Int, arrivals: ProbeReport.Arrivals,
        offered: Double? = nil, heldUp: Double = 0, lateness: Double = 0,
        obstacle: String? = nil
    ) {
        self.flow = flow
        self.sent = sent
        self.arrivals = arrivals
        self.offered = offered
        self.heldUp = heldUp
        self.lateness = lateness
        self.obstacle = obstacle
        var seen: Set<UInt32> = []
        firsts = arrivals.numbers.indices.filter { place in
            let number = arrivals.numbers[place]
            return number < sent && seen.insert(number).inserted
        }
    }

    /// The one-way delay of each packet, in milliseconds.
    package var delays: [Double] { firsts.map(delay) }

    /// The one-way delay of the packet at index `place` of `arrivals`, in milliseconds.
    package func delay(_ place: Int) -> Double {
        Double(arrivals.received[place] - arrivals.sent[place]) / 1e6
    }

    /// The planned interval between packets.
    var interval: Duration { flow.segments.last?.interval ?? .zero }

    /// For each packet number, whether the packet is missing.
    package var isLost: [Bool] {
        var lost = [Bool](repeating: true, count: sent)
        for place in firsts { lost[Int(arrivals.numbers[place])] = false }
        return lost
    }

    /// How many packets arrived before one sent earlier.
    package var overtakers: Int {
        var earliestBehind = UInt32.max
        var count = 0
        for place in firsts.reversed() {
            let number = arrivals.numbers[place]
            if number > earliestBehind { count += 1 }
            earliestBehind = min(earliestBehind, number)
        }
        return count
    }

    /// How many packets arrived more than once.
    package var duplicates: Int {
        arrivals.numbers.count { $0 < sent } - firsts.count
    }
}
