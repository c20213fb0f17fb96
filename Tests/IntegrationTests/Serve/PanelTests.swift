import Foundation
import LinkTesting
import Testing

/// The panel in headless Chromium: between two namespaces, over the packet engine.
///
/// `LINKCOND_SCREENSHOTS=DIR` keeps what it looked like, wide, on a phone and dark.
@Suite(
    "The panel in a browser", .serialized, .requiresEngineHooks, .tags(.measure, .anyKernel))
struct PanelTests {
    /// What `panel.py` found.
    private struct Findings: Decodable {
        struct Look: Decodable {
            /// The rules of axe-core that the page breaks.
            var axe: [String]
            /// How many pixels the page is wider than the window.
            var tooWide: Double
        }
        var address: String
        var connection: String
        var playCommand: String
        var playheadMoved: Bool
        var stopped: Bool
        var searched: [String]
        var profile: String
        var command: String
        var dragged: String
        var number: String
        var reached: Bool
        var throughput: [Double]
        var plotMoved: Bool
        var verdict: Bool
        var delay: Bool
        var keyboard: Bool
        var countdown: Bool
        var looks: [String: Look]
        var override: Bool
        var awake: Bool
        var conflict: [String]
        var runEnded: String
        var lost: String
        var feedEnded: Bool
        var back: Bool
        var engineKilled: Bool
        var problem: String
        var gone: String
        var goneLook: Look
        var requests: [String]
        var complaints: [String]
    }

    @Test(.enabled(if: hasPrograms("chromium", "iperf3"), "chromium or iperf3 is not installed"))
    func `a user sees the link, changes it, and is told what goes wrong`() async throws {
        let found = try await TestNetwork.with { network in
            let pictures = ProcessInfo.processInfo.environment["LINKCOND_SCREENSHOTS"]
            let environment = try Axe.environment().merging(
                ["LINKCOND_BINARY": TestNetwork.program()]) { $1 }
            let result = try await runProcess(
                "ip",
                ["netns", "exec", network.app, "python3", "panel.py".absoluteFixture]
                    + [network.app, network.server] + [pictures].compactMap(\.self),
                environment: environment, timeout: .seconds(240))
            try #require(
                result.exitCode == 0, "\(result.standardError)\(result.standardOutput.suffix(2000))"
            )
            return try JSONDecoder().decode(Findings.self, from: Data(result.standardOutput.utf8))
        }
        // The token is not left in the address.
        #expect(found.address == "/")
        #expect(found.connection == "live")
        #expect(found.playCommand == "sudo linkcond play Elevator -i cell0=eth0")
        #expect(found.playheadMoved && found.stopped)
        #expect(found.searched.contains("apple/LTE") && !found.searched.contains("apple/3G"))
        #expect(found.profile == "apple/LTE")
        #expect(found.command == "sudo linkcond apply apple/LTE -i eth0 --replace")

        #expect(found.dragged.hasPrefix("apple/LTE, up.bandwidth="))
        #expect(found.dragged.hasSuffix(found.number))
        #expect(found.reached, "\(found.throughput)")
        #expect(found.plotMoved && found.verdict && found.delay)
        #expect(found.keyboard && found.countdown)
        #expect(found.override)

        for (name, look) in found.looks.merging(["gone": found.goneLook], uniquingKeysWith: { $1 })
        {
            #expect(look.axe == [], "\(name)")
            #expect(look.tooWide <= 0, "\(name)")
        }
        #expect(found.awake)
        // One of two changes at once is refused, and its user told.
        #expect(
            found.conflict.count { $0.contains("Nothing was changed here") } == 1,
            "\(found.conflict)")
        #expect(found.runEnded.hasPrefix("The run has ended."))
        #expect(found.lost.contains("does not answer"))
        #expect(found.feedEnded && found.back)
        #expect(found.engineKilled && !found.problem.isEmpty)
        #expect(found.gone.hasPrefix("eth0 is gone."))
        #expect(found.requests.allSatisfy { $0.hasPrefix("http://127.0.0.1:8475/") })
    }
}
