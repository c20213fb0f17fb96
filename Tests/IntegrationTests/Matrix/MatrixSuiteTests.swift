import Foundation
import LinkTesting
import Matrix
import NetworkPathSession
import Testing

/// Real suites in matrices: some profiles are too bad for them.
@Suite("Matrix: real suites", .requiresNamespaces, .tags(.anyKernel))
struct MatrixSuiteTests {
    /// A round trip of Edge takes 0.8 s and the large file 2.8 s more, high-loss needs five round
    /// trips of 1 s; 3G needs 1.4 s in all.
    private static let profiles = "LTE,3G,Edge,high-loss,100%-loss"
    private static let passing = ["baseline", "LTE", "3G"]
    private static let failing = ["Edge", "high-loss", "100%-loss"]

    private static let network = [
        "--uplink", "none", "--server", "python3 -m http.server 8000 --directory www",
        "--server-ready", "8000", "--jobs", "6", "--timeout", "60 s", "--profiles", profiles,
    ]

    private static func writeFiles(_ run: MatrixRun) throws {
        try FileManager.default.createDirectory(
            atPath: "\(run.directory.path)/www", withIntermediateDirectories: true)
        try run.directory.write("hello\n", to: "www/small")
        try run.directory.write(String(repeating: "x", count: 80_000), to: "www/large")
    }

    /// What failed runs again with its seeds, and fails again.
    private static func expectRerun(_ run: MatrixRun, _ before: MatrixReport) async throws {
        let again = try await run.result(
            ["--rerun-failed", "report", "--report", "again", "--jobs", "6"],
            environment: try PythonTool.environment())
        #expect(again.exitCode == 1, "\(again)")
        let after = try run.report("again")
        #expect(after.cells.map(\.id) == Self.failing)
        for cell in after.cells {
            #expect(cell.status == .failed)
            #expect(try cell.seed == before.cell(cell.id).seed && cell.seed != nil)
        }
    }

    @Test func `pytest with requests passes where the network is good enough`() async throws {
        try await MatrixRun.with { run in
            try Self.writeFiles(run)
            let suite = "\(BuiltProduct.packageDirectory)/Tests/IntegrationTests/Fixtures/suite"
            let pytest =
                "exec python3 -m pytest -x -p no:cacheprovider --rootdir=\(suite) "
                + "--junitxml=$LINKCOND_OUTPUT/pytest.xml \(suite)"
            let result = try await run.result(
                Self.network + ["--report", "report", "--", "sh", "-c", pytest],
                environment: try PythonTool.environment())
            #expect(result.exitCode == 1, "\(result)")
            let report = try run.report()
            #expect(report.cells.filter { $0.status == .passed }.map(\.id) == Self.passing)
            #expect(report.cells.filter { $0.status == .failed }.map(\.id) == Self.failing)
            let junit = try run.text("junit.xml")
            try await JUnitSchema.expectValid(junit)
            for cell in report.cells where cell.isFailure {
                let log = String(decoding: try run.log(of: cell), as: UTF8.self)
                #expect(log.contains("requests.exceptions."), "\(log)")
                #expect(log.contains("Timeout"), "\(log)")
                #expect(junit.contains("\"\(cell.id).test_server\""))
                let test = cell.tests?.first { $0.isFailure }
                let message = try #require(test?.message, "\(cell)")
                // The latter when the body stops coming: requests' ConnectionError.
                #expect(
                    message.contains("Timeout") || message.contains("timed out"), "\(message)")
                #expect(test?.seconds != nil)
            }
            // The large file on Edge, or on a busy machine the small one already.
            #expect(junit.contains("took longer than 3 s"))
            #expect(junit.contains("ConnectTimeout"))
            #expect(try run.text("summary.md").contains("took longer than 3 s"))
            async let page: Void = Self.expectPage(run)
            try await Self.expectRerun(run, report)
            try await page
        }
    }

    /// The page of that matrix as a reader sees it. `LINKCOND_SCREENSHOTS=DIR` keeps what it looked
    /// like.
    private static func expectPage(_ run: MatrixRun) async throws {
        struct Findings: Decodable {
            struct Table: Decodable { var rows: [String] }
            struct View: Decodable {
                var cells: [String]
                var tooWide: Double
            }
            struct Cell: Decodable {
                var command: String
                var log: String
                var plots: [String]
            }
            var matrix: Table
            var verdict: String
            var clicked: View
            var cell: Cell
            var filtered: [String]
            var looks: [String: View]
            var requests: [String]
            var complaints: [String]
        }
        let pictures = ProcessInfo.processInfo.environment["LINKCOND_SCREENSHOTS"]
        let result = try await runProcess(
            "python3",
            [
                "\(BuiltProduct.packageDirectory)/Tests/MatrixReportTests/Fixtures/browse.py",
                "\(run.reportPath)/report.html",
            ] + [pictures].compactMap(\.self), environment: try Axe.environment(),
            timeout: .seconds(180))
        try #require(result.exitCode == 0, "\(result.standardError)")
        let found = try JSONDecoder().decode(
            Findings.self, from: Data(result.standardOutput.utf8))
        #expect(found.matrix.rows == passing + failing)
        #expect(found.verdict == "3 of 6 cells failed")
        #expect(found.filtered == failing)
        #expect(found.clicked.cells == ["Edge"])
        #expect(found.cell.log.contains("took longer than 3 s"))
        #expect(found.cell.command.hasPrefix("env 'LINKCOND_OUTPUT=.' linkcond run Edge"))
        #expect(found.cell.plots.count == 4)
        #expect(found.looks.count == 8)
        for (name, look) in found.looks { #expect(look.tooWide <= 0, "\(name)") }
        #expect(found.requests.isEmpty && found.complaints.isEmpty)
    }

    /// The bundle of these tests is the command, of which each cell runs a single suite.
    @Test func `Swift tests with NetworkSession pass where the network is good enough`()
        async throws
    {
        try await MatrixRun.with { run in
            try Self.writeFiles(run)
            try run.directory.write("override: { LTE: { constrained: true } }", to: "linkcond.yaml")
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let result = try await run.result(
                Self.network + [
                    "--report", "report", "--", "sh", "-c",
                    """
                    exec "$0" --testing-library swift-testing --filter MatrixSubjectTests \
                        --xunit-output "$LINKCOND_OUTPUT/swift.xml"
                    """, tests,
                ])
            #expect(result.exitCode == 1, "\(result)")
            let report = try run.report()
            #expect(report.cells.filter { $0.status == .passed }.map(\.id) == Self.passing)
            #expect(report.cells.filter { $0.status == .failed }.map(\.id) == Self.failing)
            for cell in report.cells {
                let log = String(decoding: try run.log(of: cell), as: UTF8.self)
                #expect(log.contains("NSURLErrorDomain Code=-1001") == cell.isFailure, "\(log)")
            }
            let junit = try run.text("junit.xml")
            try await JUnitSchema.expectValid(junit)
            for id in Self.passing + Self.failing {
                #expect(junit.contains("\"\(id).IntegrationTests.MatrixSubjectTests\""))
            }
            try await Self.expectRerun(run, report)
        }
    }
}

/// A suite as an app might have one, which `MatrixSuiteTests` runs in a matrix.
@Suite(
    "Matrix: subject",
    .enabled(if: ProcessInfo.processInfo.environment["LINKCOND_CELL"] != nil, "is for matrices"),
    .tags(.program))
struct MatrixSubjectTests {
    private static let server = "http://server.linkcond:8000"

    private static func fetch(_ name: String, isUrgent: Bool) async throws -> Data {
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.timeoutIntervalForResource = 3
        configuration.allowsConstrainedNetworkAccess = isUrgent
        let session = NetworkSession(configuration: configuration)
        let url = try #require(URL(string: "\(server)/\(name)"))
        return try await session.data(from: url).0
    }

    @Test func `what is needed comes in time`() async throws {
        #expect(try await Self.fetch("small", isUrgent: true) == Data("hello\n".utf8))
        #expect(try await Self.fetch("large", isUrgent: true).count == 80_000)
    }

    @Test func `what can wait does where the path is constrained`() async throws {
        guard ProcessInfo.processInfo.environment["LINKCOND_CONSTRAINED"] == "1" else { return }
        let error = await #expect(throws: URLError.self) {
            try await Self.fetch("large", isUrgent: false)
        }
        #expect(error?.networkUnavailableReason == .constrained)
    }
}
