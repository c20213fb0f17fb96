import LinkTesting
import Matrix
import Testing

@testable import Bisection

@Suite("The sentence about a step", .tags(.unit)) struct StepSentenceTests {
    private static func report(
        from: String, to: String, trials: Int, passes: @escaping (Double) -> Bool
    ) throws -> BisectionReport {
        let range = try SearchedRange(
            from: from, to: to, of: VariedQuantity(named: "delay"), precision: 0.05)
        let command = SimulatedCommand { passes($0) ? 1 : 0 }
        let request = BisectionRequest(
            command: ["true"], profile: "LTE", scenario: nil, quantity: "delay", from: from,
            to: to, precision: 0.05, outageAtSeconds: nil,
            rule: try SuccessRule(measure: nil, limit: nil), timeLimitSeconds: nil,
            network: CellNetwork(), seed: 1)
        return BisectionReport(
            request, range, command.search(at: range.places, mostRuns: trials, seed: 1), [],
            earlyEnd: nil, seconds: 1, reproduction: { _, _ in nil })
    }

    @Test(arguments: [7, 8, 12, 30, 80])
    func `only values that were run pass or fail`(trials: Int) throws {
        for isReversed in [false, true] {
            let ends = isReversed ? ("500 ms", "10 ms") : ("10 ms", "500 ms")
            let report = try Self.report(from: ends.0, to: ends.1, trials: trials) {
                isReversed ? $0 > 0.4 : $0 < 0.6
            }
            let match = try #require(
                report.sentence.firstMatch(of: /passes at (.+?) and fails at (.+?ms)/))
            let passing = report.points.filter { $0.passed > 0 }.map(\.value.text)
            let failing = report.points.filter { $0.failed > 0 }.map(\.value.text)
            #expect(passing.contains(String(match.1)), "\(report.sentence)")
            #expect(failing.contains(String(match.2)), "\(report.sentence)")
        }
    }
}
