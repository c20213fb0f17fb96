import Verification

/// When a bottleneck that had no pause was done with each packet, those lost behind it included.
///
/// Theory of operation. While packets wait, the bottleneck serves one after the other. A packet that
/// found no room in front of it takes no time; one that is lost behind it takes the time of any
/// other. So time tells them apart: most arrivals show what a packet takes, and as many as fit between
/// two others were served between them, of the numbers that are missing there.
///
/// A link that pauses leaves no such gap: the packets before and after the pause waited together and
/// have neighbouring numbers. One that stays slower does, since while it is slow more packets find no
/// room. But then more bursts of packets seem to be lost than were on the idle link.
struct ServedPackets {
    /// What the missing packets are.
    enum Verdict {
        /// Those that took time were lost behind the bottleneck, as on the idle link.
        case counted
        /// More took time than the idle link loses, or the times differ more than the delay of the
        /// idle link: the bottleneck itself was slower at times.
        case contradicted
        /// The times differ as the delay does, too much to count anything.
        case uneven
    }

    let verdict: Verdict
    /// When each was served, in nanoseconds by the receiver's clock, a constant later. Of those that
    /// were lost, between those that arrived.
    let times: [Int64]
    /// The share of them that was lost.
    let lost: Double

    /// How much the times of packets may differ, as a share.
    private static let evenness = 0.1
    private static let fewest = 20
    /// How punctually the machines themselves see packets, in milliseconds.
    private static let punctuality = 0.05

    /// - Parameters:
    ///   - idle: What the link loses where nothing waits.
    ///   - jitter: The spread of the delay in milliseconds.
    init(_ train: ObservedTrain, idle: LossBursts, jitter: Double) {
        let steps = Step.all(of: train)
        // Most arrivals follow each other without a loss behind the bottleneck between them.
        let intervals = steps.map { $0.time }
        guard intervals.count >= Self.fewest, let time = Statistics.median(intervals), time > 0,
            let spread = Statistics.robustDeviation(intervals)
        else {
            (verdict, times, lost) = (.uneven, train.arrivalTimes, 0)
            return
        }
        guard spread < Self.evenness * time else {
            let isDelay = spread < 4e6 * (jitter + Self.punctuality)
            (verdict, times, lost) = (isDelay ? .uneven : .contradicted, train.arrivalTimes, 0)
            return
        }
        var served = steps.first.map { [$0.begin] } ?? []
        var bursts = 0
        for step in steps {
            let fitting = Int((step.time / time).rounded())
            let count = max(1, min(step.numbers, fitting))
            if count > 1 { bursts += 1 }
            let each = step.time / Double(count)
            for number in 1...count { served.append(step.begin + Int64(each * Double(number))) }
        }
        guard idle.allow(bursts: bursts, of: served.count) else {
            (verdict, times, lost) = (.contradicted, train.arrivalTimes, 0)
            return
        }
        (verdict, times) = (.counted, served)
        lost = 1 - Double(train.arrived) / Double(served.count)
    }

    /// From one arrival to the next.
    private struct Step {
        let begin: Int64
        /// In nanoseconds.
        let time: Double
        let numbers: Int

        static func all(of train: ObservedTrain) -> [Step] {
            let arrivals = train.seen.arrivals
            let places = train.seen.firsts.sorted {
                (arrivals.received[$0], $0) < (arrivals.received[$1], $1)
            }
            return zip(places, places.dropFirst()).map { one, next in
                let begin = arrivals.received[one]
                return Step(
                    begin: begin, time: Double(arrivals.received[next] - begin),
                    numbers: Int(arrivals.numbers[next]) - Int(arrivals.numbers[one]))
            }
        }
    }
}
