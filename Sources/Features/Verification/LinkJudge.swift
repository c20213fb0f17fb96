public import LinkModel
import LinkUnits

/// Compares what two probes saw with what the conditions of a link promise.
///
/// Theory of operation. A verification has three parts that know nothing of each other: the plan
/// (`ProbePlan`: which packets are sent when), the probes (`Probe`: two programs, at either end of
/// the link, which carry out the plan and note what arrives), and the judge, a pure function.
///
/// Sender and receiver share the clock of the machine, and so each way is measured by itself; the
/// probes talk through files (`Rendezvous`), since the link may lose everything. Each way sees,
/// one after the other: few small packets on an idle line (delay, jitter), many small packets
/// below the bandwidth (loss and what is like it), and an overload (bandwidth, queue). Where TCP
/// can use the bandwidth, a bulk transfer gives a second opinion.
///
/// The tolerance of a check is the sum of what chance may do and what the instrument may be wrong
/// by (`Effort`). Chance is given `Statistics.errorProbability` for each check.
public struct LinkJudge {
    let link: LinkConditions
    let plan: ProbePlan
    let report: ProbeReport
    let effort: Effort

    /// Prepares to judge what both probes saw.
    public init(
        _ conditions: LinkConditions, plan: ProbePlan, report: ProbeReport, effort: Effort
    ) {
        link = conditions.withExplicitLoss
        self.plan = plan
        self.report = report
        self.effort = effort
    }

    /// All checks, first those of the way up.
    public var checks: [Check] {
        Direction.allCases.flatMap { direction in
            delays(direction) + sequence(direction) + saturation(direction)
                + transfers(direction) + (direction == .up ? dns : [])
        }.map(excuse)
    }

    /// What arrived of the flow for `purpose`, and what was sent.
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

    /// Whether chance alone may have let none of `sent` packets through.
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
    /// The share of a sample that is worth as much as independent packets are for the mean.
    ///
    /// In the Gilbert model neighbours are correlated by 1 - p - r, and those further apart by its
    /// powers.
    var independentShare: Double {
        guard let (p, r) = gilbertTransitions else { return 1 }
        let correlation = max(0, 1 - p.value - r.value)
        return (1 - correlation) / (1 + correlation)
    }
}

/// A flow, and what arrived of it.
struct SeenFlow {
    let flow: ProbePlan.Flow
    let sent: Int
    let arrivals: ProbeReport.Arrivals
    /// How many packets per second of its last segment were sent.
    let offered: Double?
    /// The share of the time of its last segment in which the machine kept the sender waiting.
    let heldUp: Double
    /// By how many milliseconds the machine was late to send each fourth packet, or more. What
    /// emulates the link is woken no earlier.
    let lateness: Double
    let obstacle: String?
    /// The places in `arrivals` at which a packet arrived for the first time, in that order.
    let firsts: [Int]

    init(
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
    var delays: [Double] { firsts.map(delay) }

    /// The one-way delay of the packet that arrived at `place`, in milliseconds.
    func delay(_ place: Int) -> Double {
        Double(arrivals.received[place] - arrivals.sent[place]) / 1e6
    }

    /// From one packet to the next, as planned.
    var interval: Duration { flow.segments.last?.interval ?? .zero }

    /// For each number, whether the packet did not arrive.
    var isLost: [Bool] {
        var lost = [Bool](repeating: true, count: sent)
        for place in firsts { lost[Int(arrivals.numbers[place])] = false }
        return lost
    }

    /// How many packets arrived before one that was sent earlier.
    var overtakers: Int {
        var earliestBehind = UInt32.max
        var count = 0
        for place in firsts.reversed() {
            let number = arrivals.numbers[place]
            if number > earliestBehind { count += 1 }
            earliestBehind = min(earliestBehind, number)
        }
        return count
    }

    /// How many packets arrived again.
    var duplicates: Int {
        arrivals.numbers.count { $0 < sent } - firsts.count
    }
}
