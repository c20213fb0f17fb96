import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Recording

@Suite("Samples of a link", .tags(.unit))
struct SampleSeriesTests {
    /// A link over which so many packets of 1000 bytes have gone, each 20 ms after it came.
    private static func link(_ packets: UInt64, queued: UInt64 = 0) -> LinkCounters {
        var way = DirectionCounters(
            packets: packets, bytes: ByteCount(bytes: packets * 1000), dropped: packets / 10,
            lost: packets / 5, queuedPackets: queued, engine: EngineCounters())
        way.engine?.timeOnLink = .milliseconds(20 * packets)
        return LinkCounters(up: way, down: way)
    }

    private static func series(_ count: Int, packetsEach: Int = 10) -> SampleSeries {
        var series = SampleSeries(link(0))
        for number in 1...count {
            let time = Duration.milliseconds(100 * number)
            if time >= series.nextTime {
                series.append(link(UInt64(number * packetsEach)), at: time)
            }
        }
        return series
    }

    @Test func `a sample tells what happened since the one before`() {
        var series = SampleSeries(Self.link(0))
        series.append(Self.link(100, queued: 7), at: .milliseconds(100))
        series.append(Self.link(100), at: .milliseconds(300))
        let samples = series.samples
        #expect(samples.map(\.seconds) == [0.1, 0.3])
        #expect(samples.map(\.up.bitsPerSecond) == [8_000_000, 0])
        #expect(samples.map(\.up.delayMilliseconds) == [20, nil])
        #expect(samples.map(\.down.dropped) == [10, 0])
        #expect(samples.map(\.down.lost) == [20, 0])
        #expect(samples.map(\.down.queuedPackets) == [7, 0])
    }

    @Test func `who measures no delay says so`() {
        var first = Self.link(0)
        var second = Self.link(5)
        first.up.engine = nil
        second.up.engine = nil
        var series = SampleSeries(first)
        series.append(second, at: .milliseconds(100))
        #expect(series.samples[0].up.delayMilliseconds == nil)
        #expect(series.samples[0].down.delayMilliseconds == 20)
    }

    @Test(arguments: [1, 199, 200, 201, 400, 1000, 36_000])
    func `a long run has no more samples than a plot, and none of it is missing`(count: Int) {
        var series = Self.series(count)
        series.finish(Self.link(UInt64(count * 10)), at: .milliseconds(100 * count))
        let samples = series.samples
        #expect(samples.count <= SampleSeries.capacity)
        #expect(samples.count >= min(count, SampleSeries.capacity / 2 - 1))
        #expect(samples.map(\.up.lost).reduce(0, +) == UInt64(count * 10) / 5)
        #expect(samples.last?.seconds == Double(count) / 10)
        #expect(samples.map(\.seconds) == samples.map(\.seconds).sorted())
    }

    @Test func `the end of a run is part of the last sample if it is short`() {
        var series = Self.series(3)
        series.finish(Self.link(31), at: .milliseconds(301))
        #expect(series.samples.map(\.seconds) == [0.1, 0.2, 0.301])
        var longer = Self.series(3)
        longer.finish(Self.link(31), at: .milliseconds(370))
        #expect(longer.samples.map(\.seconds) == [0.1, 0.2, 0.3, 0.37])
        var short = SampleSeries(Self.link(0))
        short.finish(Self.link(1), at: .milliseconds(2))
        #expect(short.samples.map(\.seconds) == [0.002])
    }

    @Test func `a moment that has been seen is not seen again`() {
        var series = Self.series(2)
        series.append(Self.link(99), at: .milliseconds(200))
        series.finish(Self.link(99), at: .milliseconds(200))
        #expect(series.samples.map(\.seconds) == [0.1, 0.2])
    }
}
