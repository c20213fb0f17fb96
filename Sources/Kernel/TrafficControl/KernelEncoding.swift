import LinkUnits

/// How the kernel's traffic control encodes quantities. Only here do bare numbers represent them.
enum KernelEncoding {
    /// One scheduler tick (`/proc/net/psched`, the same on every kernel since 2.6.31).
    static let nanosecondsPerTick: UInt64 = 64

    /// Scheduler ticks, rounded down and capped at the largest value that fits.
    static func ticks(_ duration: Duration) -> UInt32 {
        UInt32(clamping: duration.wholeNanoseconds / nanosecondsPerTick)
    }

    /// The duration of scheduler ticks.
    static func duration(ticks: UInt32) -> Duration {
        .nanoseconds(Int64(UInt64(ticks) * nanosecondsPerTick))
    }

    /// A probability as a fraction of 2^32 - 1.
    static func probability(_ ratio: Ratio) -> UInt32 {
        let scaled = UInt64(ratio.partsPerBillion) * UInt64(UInt32.max)
        return UInt32((scaled + 500_000_000) / 1_000_000_000)
    }

    /// The probability of a fraction of 2^32 - 1.
    static func ratio(probability: UInt32) -> Ratio {
        let scaled = UInt64(probability) * 1_000_000_000 + UInt64(UInt32.max) / 2
        return Ratio(knownPartsPerBillion: UInt32(scaled / UInt64(UInt32.max)))
    }

    /// Whole bytes per second, rounded to the nearest and at least one.
    static func bytesPerSecond(_ bandwidth: Bandwidth) -> UInt64 {
        max(1, bandwidth.bitsPerSecond / 8 + (bandwidth.bitsPerSecond % 8 >= 4 ? 1 : 0))
    }

    /// The bandwidth of bytes per second; nil for zero, which means no limit.
    static func bandwidth(bytesPerSecond: UInt64) -> Bandwidth? {
        let (bits, isBeyondAllMeasure) = bytesPerSecond.multipliedReportingOverflow(by: 8)
        return Bandwidth(bitsPerSecond: isBeyondAllMeasure ? .max : bits)
    }

    /// The 32-bit field of a rate, and the 64-bit attribute where the field overflows.
    static func rate(_ bandwidth: Bandwidth?) -> (field: UInt32, wide: UInt64?) {
        let bytes = bandwidth.map(bytesPerSecond) ?? 0
        return bytes < UInt64(UInt32.max)
            ? (UInt32(bytes), nil) : (UInt32.max, bytes)
    }
}

extension Bandwidth {
    /// The rate that the kernel keeps, in whole bytes per second; tc truncates any other.
    var keptTcText: String {
        let bytes = KernelEncoding.bytesPerSecond(self)
        return (KernelEncoding.bandwidth(bytesPerSecond: bytes) ?? self).tcText
    }
}
