import Foundation
import LinkTesting
import LinkUnits
import Recording
import Testing

@testable import Matrix

@Suite("Expectations", .tags(.unit))
struct ExpectationTests {
    private static let findings = Expectations.Findings(
        exitCode: 0, seconds: 6, transferred: ByteCount(bytes: 2_000_001), baselineSeconds: 2)

    @Test func `expectations are kept in reports as they are written`() throws {
        let expectations = Expectations(
            exit: .nonzero, duration: try DurationExpectation(parsing: "at most 3 s"),
            transferred: try TransferExpectation(parsing: "at most 2 MB"),
            requests: .noneWhileConstrained)
        let json = try JSONEncoder().encode(expectations)
        #expect(
            try JSONDecoder().decode([String: String].self, from: json) == [
                "exit": "nonzero", "duration": "at most 3 s", "transferred": "at most 2 MB",
                "requests": "none while constrained",
            ])
        #expect(try JSONDecoder().decode(Expectations.self, from: json) == expectations)
    }

    @Test(arguments: ["zero", "nonzero", "7", "255", "SIGSEGV", "SIGKILL"])
    func `an exit code is read as it is written`(text: String) throws {
        #expect(try ExitExpectation(parsing: text).description == text)
    }

    @Test func `a signal is the exit code that a shell makes of it, and is named`() {
        let expectations = Expectations(exit: .signal(11))
        var findings = Self.findings
        findings.exitCode = 139
        #expect(
            expectations.judge(findings) == [
                ExpectationResult(
                    expected: "exit: SIGSEGV", actual: "exit code 139 (SIGSEGV)", isMet: true)
            ])
        findings.exitCode = 11
        #expect(expectations.judge(findings).map(\.isMet) == [false])
        #expect(expectations.judge(findings).map(\.actual) == ["exit code 11"])
    }

    @Test func `an amount just beyond its limit does not look like it`() throws {
        let limit = try TransferExpectation(parsing: "at most 2 MB")
        let expectations = Expectations(transferred: limit)
        #expect(expectations.judge(Self.findings).map(\.actual) == ["2000001 B"])
        var findings = Self.findings
        findings.transferred = ByteCount(bytes: 2_500_000)
        #expect(expectations.judge(findings).map(\.actual) == ["2.5 MB"])
    }

    @Test(arguments: ["at most 2 parsecs", "at most 2"])
    func `errors suggest the unit of the documentation`(text: String) {
        let error = #expect(throws: QuantityError.self) { try TransferExpectation(parsing: text) }
        #expect(error?.description.contains("MB") == true, "\(error as Any)")
    }

    @Test(arguments: [
        ("at most 3 x baseline", "at most 3 x baseline"),
        ("at least 1.5x baseline", "at least 1.5 x baseline"),
        ("at most 2.345 × baseline", "at most 2.345 x baseline"),
        ("at most 90 s", "at most 90 s"), ("at least 1500ms", "at least 1.5 s"),
    ])
    func `a duration is read, and written so that it is read again`(
        text: String, written: String
    ) throws {
        let expectation = try DurationExpectation(parsing: text)
        #expect(expectation.description == written)
        #expect(try DurationExpectation(parsing: written) == expectation)
    }

    @Test(arguments: [
        ("at most 2 MB", "at most 2 MB"), ("at least 64 KiB", "at least 64 KiB"),
        ("at most 1536 B", "at most 1536 B"), ("at most 1.5 GB", "at most 1500 MB"),
    ])
    func `an amount is read, and written so that it is read again`(
        text: String, written: String
    ) throws {
        let expectation = try TransferExpectation(parsing: text)
        #expect(expectation.description == written)
        #expect(try TransferExpectation(parsing: written) == expectation)
    }

    @Test(arguments: [
        "3 x baseline", "at most", "at most 3", "at most x baseline", "at most -1 x baseline",
        "at most 3 baseline", "at most 3 y baseline", "at most 3 s s", "AT MOST 3 s",
        "at most inf x baseline", "at most 0 x baseline",
    ])
    func `what is no duration is refused`(text: String) {
        #expect(throws: QuantityError.self) { try DurationExpectation(parsing: text) }
    }

    @Test(arguments: ["", "yes", "256", "-1", "1.5", "Zero", "SIGFOO", "SEGV"])
    func `what is no exit code is refused`(text: String) {
        #expect(throws: QuantityError.self) { try ExitExpectation(parsing: text) }
    }

    @Test(arguments: [
        ("at most 3 x baseline", true), ("at most 2.9 x baseline", false),
        ("at least 3 x baseline", true), ("at least 3.1 x baseline", false),
        ("at most 6 s", true), ("at least 6001 ms", false),
    ])
    func `a duration is compared, the limit included`(text: String, isMet: Bool) throws {
        let expectations = Expectations(duration: try DurationExpectation(parsing: text))
        let results = expectations.judge(Self.findings)
        #expect(results.map(\.isMet) == [isMet])
        #expect(results[0].expected == "duration: \(text.replacing("6001 ms", with: "6.001 s"))")
    }

    @Test func `everything that is asked for is judged, and nothing else`() throws {
        let expectations = Expectations(
            exit: .nonzero, transferred: try TransferExpectation(parsing: "at most 2 MB"))
        let results = expectations.judge(Self.findings)
        #expect(results.map(\.expected) == ["exit: nonzero", "transferred: at most 2 MB"])
        #expect(results.map(\.actual) == ["exit code 0", "2000001 B"])
        #expect(results.map(\.isMet) == [false, false])
        #expect(Expectations().judge(Self.findings).isEmpty)
    }

    @Test(arguments: [
        (ConstrainedUse(seconds: 12.3, requests: 0), "sent nothing in 12.3 s", true),
        (ConstrainedUse(seconds: 12.3, requests: 1), "sent 1 packet in 12.3 s", false),
        (ConstrainedUse(seconds: 12.3, requests: 20), "sent 20 packets in 12.3 s", false),
    ])
    func `who is to ask nothing while constrained has been constrained, and silent`(
        use: ConstrainedUse, actual: String, isMet: Bool
    ) throws {
        let expectations = Expectations(
            requests: try RequestExpectation(parsing: "none while constrained"))
        var findings = Self.findings
        findings.constrained = use
        #expect(
            expectations.judge(findings) == [
                ExpectationResult(
                    expected: "requests: none while constrained",
                    actual: actual + " of a constrained path", isMet: isMet)
            ])
        findings.constrained = nil
        let results = expectations.judge(findings)
        #expect(results.map(\.isMet) == [false])
        #expect(results[0].actual == "the path was never constrained")
    }

    @Test(
        arguments: [
            ("at most 40", 40, "40 requests", true), ("at most 40", 41, "41 requests", false),
            ("at least 2", 1, "1 request", false), ("at most 0", nil, "not counted", false),
        ] as [(String, UInt64?, String, Bool)])
    func `requests are counted against a limit`(
        text: String, count: UInt64?, actual: String, isMet: Bool
    ) throws {
        var findings = Self.findings
        findings.requests = count
        let expectations = Expectations(requests: try RequestExpectation(parsing: text))
        #expect(
            expectations.judge(findings) == [
                ExpectationResult(expected: "requests: \(text)", actual: actual, isMet: isMet)
            ])
    }

    @Test(arguments: ["at most -1", "at most 4 MB", "at most", "at most +1", "40", "at most ٣"])
    func `a wrong limit of requests is refused`(text: String) {
        #expect(throws: QuantityError.self) { try RequestExpectation(parsing: text) }
    }

    @Test func `without a baseline nothing is within so many times of it`() throws {
        var findings = Self.findings
        findings.baselineSeconds = nil
        let expectations = Expectations(
            duration: try DurationExpectation(parsing: "at least 1 x baseline"))
        #expect(expectations.needBaseline)
        let result = try #require(expectations.judge(findings).first)
        #expect(!result.isMet)
        #expect(result.actual.contains("baseline did not pass"))
    }

    @Test(arguments: [
        (0.0004, "0 ms"), (0.84, "840 ms"), (1, "1 s"), (12.64, "12.6 s"), (59.96, "60 s"),
        (185, "3:05 min"), (3600, "60:00 min"),
    ])
    func `seconds are for people`(seconds: Double, text: String) {
        #expect(seconds.secondsText == text)
    }

    @Test(arguments: [(3, "3"), (4.25, "4.25"), (0.1, "0.1"), (2.999, "3"), (0.05, "0.05")])
    func `a number has two decimals at most`(number: Double, text: String) {
        #expect(number.shortText == text)
    }
}
