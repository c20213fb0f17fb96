public import LinkModel
import LinkUnits

/// The output of `trace show --json`. The keys are a stable interface: see
/// `Profiles/schema/trace.schema.json`.
public struct TraceJSON: Encodable {
    let periodSeconds: Double
    let opportunities: Int
    let meanBitsPerSecond: UInt64
    let windowSeconds: Double
    let bitsPerSecond: [UInt64]
    let percentileBitsPerSecond: [String: UInt64]
    let silentRatio: Double
    let longestGapSeconds: Double
    let longestGapStartSeconds: Double

    /// Makes the object for a trace.
    public init(_ trace: DeliveryTrace) {
        let statistics = TraceStatistics(trace)
        periodSeconds = trace.period / .seconds(1)
        opportunities = trace.opportunityCount
        meanBitsPerSecond = trace.meanBandwidth.bitsPerSecond
        windowSeconds = statistics.window / .seconds(1)
        bitsPerSecond = statistics.rates
        percentileBitsPerSecond = Dictionary(
            uniqueKeysWithValues: TraceStatistics.percentiles.map {
                ("p\($0)", statistics.rate(percentile: $0))
            })
        silentRatio = Double(statistics.silence.partsPerBillion) / 1e9
        longestGapSeconds = statistics.longestGap / .seconds(1)
        longestGapStartSeconds = statistics.longestGapStart / .seconds(1)
    }
}
