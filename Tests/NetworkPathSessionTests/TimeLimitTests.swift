import Foundation
import Testing

@testable import NetworkPathSession

@Suite("Time limits of NetworkSession") struct TimeLimitTests {
    @Test(
        arguments: [
            (0.001, 1), (0.5, 1), (1, 1), (1.5, 2), (0, 60), (-1, 60), (.nan, 60),
            (-.infinity, 60),
        ] as [(TimeInterval, TimeInterval)]
    ) func `requests count whole seconds`(_ limit: TimeInterval, _ counted: TimeInterval) {
        #expect(TimeLimit.wholeSeconds(limit) == counted)
    }

    @Test(
        arguments: [
            (0.25, .milliseconds(250)), (0, .seconds(604_800)), (-1, .seconds(604_800)),
            (.nan, .seconds(604_800)),
        ] as [(TimeInterval, Duration)]
    ) func `resources count parts of them`(_ limit: TimeInterval, _ counted: Duration) {
        #expect(TimeLimit.ofResource(limit) == counted)
    }

    @Test(arguments: [
        "inf", "1.7976931348623157e308", "1e18", "nan", "-1", "-inf", "0",
    ]) func `no number is beyond a session`(_ limit: String) async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                for name in resource request own; do
                    $probe data $url/file $name=\(limit) style=async,delegate
                done
                $probe download "$url/file?size=200000&cut=150000" own=\(limit)
                """)
        #expect(result.reports.map(\.outcome) == Array(repeating: "ok", count: 6) + ["-1005"])
        #expect(result.reports.last?.canResume == true)
    }

    @Test func `part of a second is not none`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                $probe data "$url/file?size=200000&hold=yes" request=0.5
                $probe data "$url/file?size=200000&hold=yes" own=0.5
                """)
        #expect(result.reports.map(\.outcome) == ["-1001", "-1001"])
        #expect(result.reports.allSatisfy { $0.seconds >= 0.5 })
    }
}
