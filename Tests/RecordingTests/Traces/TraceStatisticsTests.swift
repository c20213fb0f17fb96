import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Recording
import Testing

@Suite("What a delivery trace is like", .tags(.unit))
struct TraceStatisticsTests {
    @Test func `a trace of a year does not take the memory of one`() throws {
        let trace = try DeliveryTrace(parsing: "31536000000\n")
        let statistics = TraceStatistics(trace)
        #expect(statistics.rates.count <= 1_000_000 && statistics.rates.count > 500_000)
        #expect(statistics.window == .milliseconds(31_600))
        #expect(statistics.longestGap == trace.period)
        #expect(statistics.silence > .percent(99))
    }

    @Test func `rates are those of stretches of 100 ms`() throws {
        let trace = try DeliveryTrace(parsing: "0\n99\n100\n350\n400\n")
        let statistics = TraceStatistics(trace)
        #expect(statistics.rates == [240_000, 120_000, 0, 240_000])
        #expect(statistics.silence == Ratio.percent(25))
        #expect(statistics.rate(percentile: 0) == 0)
        #expect(statistics.rate(percentile: 25) == 0)
        #expect(statistics.rate(percentile: 50) == 120_000)
        #expect(statistics.rate(percentile: 100) == 240_000)
        #expect(statistics.longestGap == .milliseconds(250))
        #expect(statistics.longestGapStart == .milliseconds(100))
    }

    @Test func `a last stretch that is shorter has the rate of its length`() throws {
        let statistics = TraceStatistics(try DeliveryTrace(parsing: "30\n130\n150\n"))
        #expect(statistics.rates == [120_000, 480_000])
    }

    @Test func `the pause before the first opportunity counts, since a trace begins again`() throws
    {
        let statistics = TraceStatistics(try DeliveryTrace(parsing: "900\n1000\n"))
        #expect(statistics.longestGap == .milliseconds(900))
        #expect(statistics.longestGapStart == .zero)
    }

    @Test func `a trace is written as it is read`() throws {
        let text = "0\n2\n2\n17\n"
        #expect(try DeliveryTrace(parsing: text).text == text)
    }
}
