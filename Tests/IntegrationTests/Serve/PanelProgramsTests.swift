import LinkTesting
import Testing

/// Runs, proxies and matrices in the panel, in headless Chromium.
@Suite("Programs in the panel", .requiresNamespaces, .tags(.anyKernel))
struct PanelProgramsTests {
    /// What `panel_programs.py` found.
    private struct Findings: Decodable {
        var runWatched: Bool
        var feedEnded: Bool
        var proxyWatched: Bool
        var matrixWatched: Bool
        /// What is said of a matrix that had ended before the panel was opened.
        var earlier: String
        var earlierReport: String
        var report: String
        var stopCommand: String
        var runCode: Int32
        var runGone: Bool
        var complaints: [String]
    }

    @Test(.enabled(if: hasPrograms("chromium"), "chromium is not installed"))
    func `a user watches their links, opens a report, and stops a run`() async throws {
        let found = try await PanelScript.run("panel_programs.py", Findings.self)
        // However long the button is held.
        #expect(found.runWatched)
        // What reads the state of a run ends when nobody watches it any more.
        #expect(found.feedEnded)
        #expect(found.proxyWatched && found.matrixWatched)
        #expect(found.earlier == "matrix, process PID, has ended")
        for title in [found.earlierReport, found.report] {
            #expect(title.hasSuffix("linkcond matrix"), "\(title)")
        }
        #expect(found.stopCommand == "sudo kill -INT PID")
        #expect(found.runCode == 130 && found.runGone)
        #expect(found.complaints == [])
    }
}
