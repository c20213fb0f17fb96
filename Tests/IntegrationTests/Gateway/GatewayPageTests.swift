import Foundation
import LinkTesting
import Testing

/// The page of a gateway in headless Chromium.
@Suite(
    "The gateway's page in a browser", .requiresDataPlane, .tags(.anyKernel),
    .enabled(if: hasGatewayPrograms))
struct GatewayPageTests {
    /// What `gateway_page.py` found.
    private struct Findings: Decodable {
        struct Device: Decodable {
            var now: String
            var alert: String
            var hasForm: Bool
        }

        var schedule: Device
        var limit: Device
        var last: Device
        var articles: Int
        var tooWide: Double
        /// The rules of axe-core that the page breaks.
        var axe: [String]
        var requests: [String]
        var complaints: [String]
    }

    /// As many have conditions at a time.
    private static let most = 100

    @Test(.enabled(if: hasPrograms("chromium"), "chromium is not installed"))
    func `it shows a schedule, a time limit, and that there are too many devices`() async throws {
        let lab = try GatewayLab(devices: 3)
        let file = try lab.write(
            """
            default: 3G
            profiles: [LTE, Edge]
            devices:
              device1:
                schedule:
                  - { from: "00:00", until: "00:00", profile: LTE }
            """, to: "gateway.yaml")
        try lab.start("--page-admin --file \(file)")
        for number in 1...2 { try lab.join(number) }
        let result = try await runProcess(
            "sh",
            [
                "-c", "exec \(lab.devices[0].entering) python3 \"$@\"", "sh",
                "gateway_page.py".absoluteFixture, "\(Self.most - 2)", lab.joining(3),
            ],
            environment: try Axe.environment(), timeout: .seconds(300))
        try #require(
            result.exitCode == 0,
            "\(result.standardError)\(result.standardOutput.suffix(2000))\(lab.log)")
        let found = try JSONDecoder().decode(
            Findings.self, from: Data(result.standardOutput.utf8))
        #expect(found.schedule.now == "apple/LTE, by the schedule, until 00:00")
        #expect(!found.schedule.hasForm && found.limit.hasForm)
        #expect(found.limit.now == "apple/Edge, for 10 min")
        #expect(found.limit.alert == "")
        #expect(found.last.now == "apple/3G")
        #expect(found.last.alert.contains("100"), "\(found.last)")
        #expect(found.articles == Self.most + 1)
        #expect(found.axe == [] && found.tooWide <= 0)
        // Chromium tries encryption before it asks without.
        #expect(
            found.requests.allSatisfy { $0.contains(/^https?:\/\/linkcond.box\//) },
            "\(found.requests)")
        #expect(found.complaints == [])
    }
}
