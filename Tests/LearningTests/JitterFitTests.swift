import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Learning
@testable import Verification

@Suite("The jitter that gives such delays", .tags(.unit))
struct JitterFitTests {
    @Test(arguments: Jitter.Distribution.allCases)
    func `distribution, delay and amount come back`(distribution: Jitter.Distribution) throws {
        let deviates = try #require(DelayExpectation.deviates[distribution])
        let fit = try #require(JitterFit(deviates.map { 100 + 10 * $0 + 0.5 }, fixed: 0.5))
        #expect(fit.jitter.distribution == distribution)
        #expect(abs(fit.delay - 100) < 0.1)
        #expect(abs(fit.jitter.amount.milliseconds - 10) < 0.1)
        #expect(fit.difference < fit.nextDifference)
    }

    @Test
    func `delays that jitter would make negative are zero, which is undone`() throws {
        let deviates = try #require(DelayExpectation.deviates[.normal])
        let fit = try #require(JitterFit(deviates.map { max(0, 25 + 28 * $0) + 1 }, fixed: 1))
        #expect(fit.jitter.distribution == .normal)
        #expect(abs(fit.delay - 25) < 1)
        #expect(abs(fit.jitter.amount.milliseconds - 28) < 1)
    }
}
