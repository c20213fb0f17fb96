import LinkTesting
import Testing

@testable import Matrix

@Suite("Tests inside a cell", .tags(.unit)) struct TestReportTests {
    private static func tests(_ junit: String) throws -> [TestReport]? {
        var cell = SampleMatrix.report(SampleMatrix.specification(["LTE"])).cells[1]
        var collected = CollectedTests()
        collected.suites = try #require(try JUnitFile.read(Array(junit.utf8)))
        cell.list(collected)
        return cell.tests
    }

    @Test func `each has its result, its time, and why it did not pass`() throws {
        let tests = try Self.tests(
            """
            <testsuites><testsuite name="api">
            <testcase classname="tests.api" name="login" time="0.5"/>
            <testcase name="list"><failure message="timed out">stack</failure></testcase>
            <testcase name="push"><error>

              Error: refused
              at line 3</error></testcase>
            <testcase name="sync"><skipped message="no server"/></testcase>
            <testcase name="pull"><flakyFailure message="reset">stack</flakyFailure></testcase>
            </testsuite></testsuites>
            """)
        #expect(
            tests == [
                TestReport(suite: "tests.api", name: "login", status: .passed, seconds: 0.5),
                TestReport(suite: "api", name: "list", status: .failed, message: "timed out"),
                TestReport(suite: "api", name: "push", status: .error, message: "Error: refused"),
                TestReport(suite: "api", name: "sync", status: .skipped, message: "no server"),
                TestReport(suite: "api", name: "pull", status: .passed, isFlaky: true),
            ])
    }

    @Test func `a cell without tests lists none`() throws {
        #expect(try Self.tests("<testsuites/>") == nil)
    }

    @Test(arguments: [
        (
            "<testsuite><testcase name=\"a\"><failure message=\"\u{1B}[31mred\"/></testcase></testsuite>",
            "\u{FFFD}[31mred"
        ),
        (
            "<testsuite><testcase name=\"a\"><failure message=\"&#27;[1m&#x41;\"/></testcase></testsuite>",
            "\u{FFFD}[1mA"
        ),
        (
            "<testsuites><testsuite errors=\"2\" tests=\"0\"/></testsuites>",
            "2 errors and 0 failures, without a test"
        ),
    ])
    func `tools that take XML easily are understood`(junit: String, message: String) throws {
        let test = try #require(try Self.tests(junit)?.first)
        #expect(test.isFailure)
        #expect(test.message == message)
    }

    @Test func `a failure that is expected is none`() throws {
        let tests = try Self.tests(
            """
            <testsuite><testcase name="a"><skipped type="todo"/><failure message="no"/></testcase>
            </testsuite>
            """)
        #expect(tests?.map(\.status) == [.skipped])
    }

    @Test(
        arguments: [
            ("a.xml", "<testsuite><testcase", nil, "files/LTE/a.xml cannot be read: line 1: "),
            ("A.XML", "<testsuite", nil, "files/LTE/A.XML cannot be read: "),
            ("other.xml", "<project", nil, nil), ("a.xml", "<testsuite/>", nil, nil),
            (
                "a.xml", "<project/>", "*.xml",
                "files/LTE/a.xml cannot be read: XML, but no <testsuites>"
            ),
            ("a.xml", "<testsuite/>", "./*.xml", nil),
            (
                "a.xml", "<testsuite/>", "b*.xml",
                "no file in LINKCOND_OUTPUT matches --collect 'b*.xml'"
            ),
        ] as [(String, String, String?, String?)])
    func `a file with tests that nobody can know is a loss`(
        name: String, text: String, pattern: String?, loss: String?
    ) async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write(text, to: "files/LTE/\(name)")
            let directory = try ReportDirectory(scratch: temporary.path)
            let found = directory.tests(in: "files/LTE", collecting: pattern)
            #expect((found.loss == nil) == (loss == nil))
            #expect(found.loss?.hasPrefix(loss ?? "") != false, "\(found.loss ?? "")")
            var cell = SampleMatrix.report(SampleMatrix.specification(["LTE"])).cells[1]
            cell.exitCode = 0
            cell.expectNoFailures(in: found)
            #expect(cell.isFailure == (loss != nil))
        }
    }

    @Test func `there are limits, which a note names`() throws {
        let message = String(repeating: "x", count: 5000)
        let cases = (0..<TestReport.mostTests + 5).map { "<testcase name=\"\($0)\"/>" }.joined()
        let failure = "<testcase name=\"f\"><failure message=\"\(message)\"/></testcase>"
        var cell = SampleMatrix.report(SampleMatrix.specification(["LTE"])).cells[1]
        var collected = CollectedTests()
        collected.suites = try #require(
            try JUnitFile.read(Array("<testsuite name=\"a\">\(cases)\(failure)</testsuite>".utf8)))
        cell.list(collected)
        #expect(cell.tests?.count == TestReport.mostTests)
        // What failed is listed first of all.
        #expect(cell.tests?.last?.message?.count == TestReport.longestMessage)
        #expect(
            cell.notes.last == "the report lists 10000 of 10006 tests; junit.xml has all")
    }

    @Test func `another attempt keeps the tests of the one before`() throws {
        var cell = SampleMatrix.report(SampleMatrix.specification(["LTE"])).cells[1]
        let test = TestReport(suite: "a", name: "b", status: .failed, seconds: 1, message: "why")
        cell.tests = [test]
        cell.beginAgain()
        #expect(cell.tests == nil)
        #expect(cell.earlierAttempts.last?.tests == [test])
    }

    @Test func `they survive report.json, and absent values are omitted`() async throws {
        var specification = SampleMatrix.specification(["LTE"])
        specification.hasBaseline = false
        let test = TestReport(suite: "a", name: "b", status: .passed)
        let report = SampleMatrix.report(specification) { $0.tests = [test] }
        let json = try report.json()
        #expect(json.contains("\"tests\":[{\"name\":\"b\",\"status\":\"passed\",\"suite\":\"a\"}]"))
        #expect(try MatrixReport(json: json.utf8).cells[0].tests == [test])
        try await JSONSchema("report").expectValid(json)
    }

    @Test func `impossible times make a report invalid`() throws {
        let report = SampleMatrix.report(SampleMatrix.specification(["LTE"])) {
            $0.tests = [TestReport(suite: "a", name: "b", status: .passed, seconds: -1)]
        }
        #expect(report.problem == "no matrix can have a time of -1.0 s")
    }
}
