import LinkModel
import LinkUnits

/// Sends packets through the bottleneck: at a constant rate, by a delivery trace, or at once.
///
/// Times come from the schedule alone, in attoseconds: a packet starts when the previous one has
/// been sent, whenever the caller asks. Rounding down to attoseconds makes a busy period of 1,000
/// million packets less than a nanosecond short.
enum Transmitter: Sendable {
    case unlimited
    case rate(Bandwidth)
    case trace(TracePlayback)

    init(rate: Bandwidth?, trace: DeliveryTrace?, startingAt start: Duration) {
        if let trace {
            self = .trace(TracePlayback(trace, startingAt: start))
        } else if let rate {
            self = .rate(rate)
        } else {
            self = .unlimited
        }
    }

    /// The rate of the bottleneck, for a trace the mean; nil without a limit.
    var meanRate: Bandwidth? {
        switch self {
        case .unlimited: nil
        case .rate(let rate): rate
        case .trace(let playback): playback.trace.meanBandwidth
        }
    }

    /// Sends a packet from `start` on; returns when its last byte is sent.
    ///
    /// `isNext` means that another packet has just left: the two may share an opportunity of a
    /// trace.
    mutating func send(_ length: ByteCount, from start: Duration, isNext: Bool) -> Duration {
        switch self {
        case .unlimited:
            return start
        case .rate(let rate):
            return start + rate.exactSerializationDelay(of: length)
        case .trace(var playback):
            let end = playback.send(length, from: start, isNext: isNext)
            self = .trace(playback)
            return end
        }
    }
}

extension Bandwidth {
    private static let attosecondsPerByte: UInt128 = 8_000_000_000_000_000_000

    /// The serialization delay of `count` bytes, to the attosecond.
    fileprivate func exactSerializationDelay(of count: ByteCount) -> Duration {
        let attoseconds = UInt128(count.bytes) * Self.attosecondsPerByte / UInt128(bitsPerSecond)
        return Duration(attoseconds: Int128(clamping: attoseconds)).bounded
    }
}
