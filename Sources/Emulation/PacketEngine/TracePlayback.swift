import LinkModel
import LinkUnits

/// Plays a delivery trace from `start` in a loop.
struct TracePlayback: Sendable {
    let trace: DeliveryTrace
    private let start: Duration
    /// How many delivery opportunities have passed since the start, over all laps.
    private var passed: UInt64 = 0
    /// The unused bytes of the last opportunity.
    private var bytesLeft: UInt64 = 0

    init(_ trace: DeliveryTrace, startingAt start: Duration) {
        self.trace = trace
        self.start = start
    }

    /// Sends a packet from `time` on; returns the time of the opportunity that takes its last byte.
    /// A packet larger than an opportunity uses several, small ones share one.
    ///
    /// Without `isNext` the queue was empty: then only later opportunities count, since the rest of
    /// this one is lost.
    mutating func send(_ length: ByteCount, from time: Duration, isNext: Bool) -> Duration {
        if !isNext {
            passed = max(passed, opportunities(until: time))
            bytesLeft = 0
        }
        if length.bytes > bytesLeft {
            let size = DeliveryTrace.opportunity.bytes
            let missing = length.bytes - bytesLeft
            let used = (missing - 1) / size + 1
            passed += used
            bytesLeft = used * size - missing
        } else {
            bytesLeft -= length.bytes
        }
        return passed == 0 ? time : moment(of: passed - 1)
    }

    /// The time of the opportunity with this number, counted from 0.
    private func moment(of number: UInt64) -> Duration {
        let (lap, index) = number.quotientAndRemainder(
            dividingBy: UInt64(trace.milliseconds.count))
        let milliseconds =
            UInt128(lap) * UInt128(trace.periodMilliseconds)
            + UInt128(trace.milliseconds[Int(index)])
        return start + Duration.milliseconds(Int64(clamping: milliseconds)).bounded
    }

    /// The number of opportunities up to and including `time`.
    private func opportunities(until time: Duration) -> UInt64 {
        let (seconds, attoseconds) = (time - start).bounded.components
        let milliseconds = UInt64(seconds) * 1000 + UInt64(attoseconds) / 1_000_000_000_000_000
        let (lap, rest) = milliseconds.quotientAndRemainder(dividingBy: trace.periodMilliseconds)
        return lap * UInt64(trace.milliseconds.count) + UInt64(trace.opportunities(until: rest))
    }
}

extension DeliveryTrace {
    /// The number of opportunities of one lap up to and including `moment`.
    fileprivate func opportunities(until moment: UInt64) -> Int {
        var low = 0
        var high = milliseconds.count
        while low < high {
            let middle = (low + high) / 2
            if milliseconds[middle] <= moment { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
