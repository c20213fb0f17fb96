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

    @Test func `there are limits, which a note names`() throws {
        let message = String(repeating: "x", count: 5000)
        let cases = (0..<TestReport.mostTests + 5).map { "<testcase name=\"\($0)\"/>" }.joined()
        let failure = "<testcase name=\"f\"><failure message=\"\(message)\"/></testcase>"
        var cell = SampleMatrix.report(SampleMatrix.specification(["LTE"])).cells[1]
        var collected = CollectedTests()
        collected.suites = try #require(
            try JUnitFile.read(Array("<testsuite name=\"a\">\(failure)\(cases)</testsuite>".utf8)))
        cell.list(collected)
        #expect(cell.tests?.count == TestReport.mostTests)
        #expect(cell.tests?[0].message?.count == TestReport.longestMessage)
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
