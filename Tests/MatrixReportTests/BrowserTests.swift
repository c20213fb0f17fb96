import Foundation
import LinkTesting
import Testing

@testable import Matrix

/// The page as a reader sees it: opened, looked at and used in headless Chromium.
///
/// `LINKCOND_SCREENSHOTS=DIR` keeps what it looked like, at desktop and phone width, light and dark.
@Suite("report.html in a browser") struct BrowserTests {
    /// What the script prints of what it found.
    private struct Findings: Decodable {
        struct Table: Decodable {
            var rows: [String]
            var signs: [String]
        }
        struct View: Decodable {
            var overview: Bool
            var cells: [String]
            var title: String
            /// How many pixels the page is wider than the window.
            var tooWide: Double
            /// Things to touch that are smaller than 24 pixels (WCAG 2.2, section 2.5.8).
            var small: Int
        }
        struct Cell: Decodable {
            var command: String
            var log: String
            var plots: [String]
            var isFocused: Bool
            var colours: Int
        }
        struct Look: Decodable {
            var overview: Bool
            var cells: [String]
            var tooWide: Double
            var small: Int
            var cutOff: [String]
            var ground: String
            var contrast: Contrast
            /// The rules of axe-core that the page breaks.
            var axe: [String]
        }
        struct Contrast: Decodable {
            var ratio: Double
            var place: String

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                ratio = try list.decode(Double.self)
                place = try list.decode(String.self)
            }
        }
        var matrix: Table
        var verdict: String
        var start: View
        var loadMilliseconds: Double
        var clicked: View
        var cell: Cell
        var underPointer: [String]
        var afterEscape: View
        var afterEnter: View
        var afterArrow: View
        var filtered: [String]
        var roles: [String: Int]
        var namelessLinks: Int
        var grid: [[String]]
        var reasons: [String]
        var searched: [String]
        var told: String
        var sorted: [[String]]
        var address: String
        var failedTest: [String]
        var afterTest: [[String]]
        var linked: [[String]]
        var hostileLink: [String]
        var printed: [String]
        var pages: Int
        var looks: [String: Look]
        var withoutScript: View
        var hacked: String
        var requests: [String]
        var complaints: [String]
    }

    private func browse(_ reports: ReadableReports) async throws -> Findings {
        try await withTemporaryDirectory { directory in
            let page = try directory.write(reports.text(of: .page), to: "report.html")
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/browse.py").path
            let pictures = ProcessInfo.processInfo.environment["LINKCOND_SCREENSHOTS"]
            if let pictures {
                try reports.text(of: .page).write(
                    toFile: "\(pictures)/report.html", atomically: true, encoding: .utf8)
            }
            let result = try await runProcess(
                "python3", [script, page] + [pictures].compactMap(\.self),
                environment: try Axe.environment(), timeout: .seconds(180))
            try #require(
                result.exitCode == 0, "\(result.standardError)\(result.standardOutput.suffix(2000))"
            )
            return try JSONDecoder().decode(Findings.self, from: Data(result.standardOutput.utf8))
        }
    }

    @Test func `a reader finds the matrix, opens a cell, and sees why it failed`() async throws {
        let found = try await browse(SampleReport.reports)
        let report = SampleReport.report
        #expect(found.requests == [])
        #expect(found.complaints == [])
        #expect(found.hacked == "undefined")

        // The matrix.
        #expect(found.matrix.rows.count == 8)
        #expect(found.matrix.rows.contains("Very <b>Bad</b> \"Network\""))
        #expect(found.matrix.signs.count == report.cells.count)
        #expect(found.matrix.signs[5] == "3G/2: flaky, 17.6 s")
        #expect(found.verdict == "4 of 16 cells failed")
        #expect(found.start.overview)
        #expect(found.start.cells == [])
        #expect(found.filtered == ["Edge", "high-loss", "Very <b>Bad</b> \"Network\""])

        // A cell.
        #expect(!found.clicked.overview)
        #expect(found.clicked.cells == ["Edge/2"])
        #expect(found.clicked.title.hasPrefix("Edge/2 - "))
        #expect(found.cell.command == report.cells[7].reproduce.shellText)
        #expect(found.cell.log.contains("platform linux -- Python 3.11.2"))
        #expect(found.cell.colours >= 1)
        #expect(found.cell.isFocused)
        #expect(found.cell.plots.count == 4)
        #expect(found.cell.plots.first?.hasPrefix("Throughput over 47.2 s; at most down 2") == true)
        #expect(found.underPointer.allSatisfy { $0.hasPrefix("23.60 s: ") })

        // The keyboard, and no script.
        #expect(found.afterEscape.overview)
        #expect(found.afterEscape.cells == [])
        #expect(found.afterEnter.cells == ["baseline/1"])
        #expect(found.afterArrow.cells == ["baseline/2"])
        #expect(found.withoutScript.cells == ["Edge/2"])
        #expect(!found.withoutScript.overview)

        // What a screen reader is told.
        #expect(found.roles["rowheader"] == 8 + 7)
        #expect(found.roles["columnheader"] == 7 + 1 + 7)
        #expect(found.namelessLinks == 0)
        Self.expectTables(found)

        // Both widths, both colour schemes.
        #expect(found.looks.count == 12)
        for (name, look) in found.looks {
            #expect(look.tooWide <= 0, "\(name)")
            #expect(look.small == 0, "\(name)")
            #expect(look.cutOff == [], "\(name)")
            #expect(look.contrast.ratio >= 4.5, "\(name): \(look.contrast.place)")
            #expect(look.axe == [], "\(name)")
            #expect(look.overview == name.hasPrefix("matrix"))
        }
        #expect(
            found.looks["matrix-phone-dark"]?.ground != found.looks["matrix-phone-light"]?.ground)
    }

    @Test func `a cell of a large matrix opens from a file beside the page, and leads back`()
        async throws
    {
        struct Findings: Decodable {
            struct Place: Decodable {
                var file: String
                var cells: [String]
                var address: String
            }
            var steps: [Place]
            var axe: [String]
            var requests: [String]
            var complaints: [String]
        }
        try await withTemporaryDirectory { directory in
            try ReadableReportsTests.large(230).write(to: ReportDirectory(creating: directory.path))
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/browse_large.py").path
            let result = try await runProcess(
                "python3", [script, "\(directory.path)/report.html"],
                environment: try Axe.environment(), timeout: .seconds(120))
            try #require(result.exitCode == 0, "\(result.standardError)")
            let found = try JSONDecoder().decode(
                Findings.self, from: Data(result.standardOutput.utf8))
            #expect(
                found.steps.map { "\($0.file) \($0.cells)" } == [
                    "report.html []", #"cells-8.html ["p2/100"]"#, #"cells-9.html ["p3/1"]"#,
                    #"cells-8.html ["p2/100"]"#, "report.html []", #"cells-2.html ["p1/30"]"#,
                ])
            #expect(found.steps[4].address == "show=failed&profiles=-failed")
            #expect(found.axe == [])
            #expect(found.requests == [] && found.complaints == [])
        }
    }

    @Test func `the history is a page to be read, searched and sorted`() async throws {
        struct Findings: Decodable {
            var profiles: [String]
            var missed: [String]
            var tests: [String]
            var marks: Int
            var budgets: Int
            var looks: [String: [String]]
            var tooWide: [Double]
            var requests: [String]
            var complaints: [String]
        }
        let history = SampleReport.history
        try await withTemporaryDirectory { directory in
            let page = try directory.write(HistoryPage(history).html, to: "history.html")
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/browse_history.py").path
            let pictures = ProcessInfo.processInfo.environment["LINKCOND_SCREENSHOTS"]
            let result = try await runProcess(
                "python3", [script, page] + [pictures].compactMap(\.self),
                environment: try Axe.environment(), timeout: .seconds(120))
            try #require(result.exitCode == 0, "\(result.standardError)")
            let found = try JSONDecoder().decode(
                Findings.self, from: Data(result.standardOutput.utf8))
            #expect(found.profiles == history.profiles.map(\.name))
            #expect(found.missed == ["3G"])
            #expect(found.tests == ["test_large_download"])
            #expect(found.budgets == 1)
            #expect(found.marks >= history.profiles.count * history.runs.count)
            #expect(found.looks.count == 4)
            for (name, violations) in found.looks { #expect(violations == [], "\(name)") }
            #expect(found.tooWide.allSatisfy { $0 <= 0 })
            #expect(found.requests == [] && found.complaints == [])
        }
    }

    /// The grid of tests, the search, the orders, links, and paper.
    private static func expectTables(_ found: Findings) {
        let profiles = [
            "baseline", "LTE", "3G", "Edge", "high-loss", "100%-loss", "train-tunnel.yaml",
        ]
        let sync = "test_sync_of_a_notebook_that_two_devices_changed_at_once"
        #expect(found.grid.count == 8)
        #expect(found.grid[0] == ["Test"] + profiles)
        let (passed, often) = ("3.1 s", "✕ 2 of 2")
        #expect(
            found.grid[1] == ["test_large_download", passed, passed, passed, often, "✕ 1 of 2"]
                + ["✕", passed])
        #expect(found.grid[2][0] == sync && found.grid[2][4] == often)
        #expect(found.grid[4][0] == "test_list[<b>]")
        #expect(
            found.reasons == [
                "Edge, high-loss: requests.exceptions.ReadTimeout: Read timed out.",
                "Edge: ConnectionResetError: [Errno 104] </script><b>reset</b> by peer",
            ])
        #expect(found.searched == ["test_large_download"])
        #expect(found.told == "1 of 8 profiles, 1 of 7 tests")
        let failed = [
            ["Edge", "high-loss", "Very <b>Bad</b> \"Network\""], ["test_large_download", sync],
        ]
        #expect(found.sorted == failed)
        #expect(found.address == "show=failed&profiles=-seconds&tests=name")
        #expect(found.failedTest == ["Edge/1", "test_large_download", "true", "true"])
        #expect(found.afterTest == failed && found.linked == failed)
        #expect(found.hostileLink == [])
        #expect(found.printed == SampleReport.report.cells.map(\.id))
        #expect(found.pages > SampleReport.report.cells.count)
    }
}
