import Foundation
import LinkModel
import LinkTesting
import Testing

@testable import Matrix

@Suite("How large a matrix may be", .tags(.unit))
struct MatrixLimitsTests {
    @Test func `a matrix has a size that there can be`() {
        #expect(SampleMatrix.specification().problem == nil)
        for repetitions in [0, -1, .min] {
            let specification = SampleMatrix.specification(repetitions: repetitions)
            #expect(specification.problem?.hasPrefix("repeat is \(repetitions)") == true)
        }
        for repetitions in [33_334, 4_294_967_295, .max] {
            let problem = SampleMatrix.specification(repetitions: repetitions).problem
            #expect(problem?.contains("more than the 100000 cells") == true)
        }
        var specification = SampleMatrix.specification()
        specification.retries = -1
        #expect(specification.problem == "retries is -1, outside 0 to 1000")
        specification.retries = 0
        specification.timeLimits = TimeLimits(.zero)
        #expect(specification.problem == "a time limit is not above 0 s")
    }

    /// A report as somebody may have changed it.
    private static func report(
        replacing old: String, by new: String, _ body: (TemporaryDirectory) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let json = try SampleMatrix.report(SampleMatrix.specification()).json()
            #expect(json.contains(old))
            try directory.write(json.replacing(old, with: new), to: "report.json")
            try body(directory)
        }
    }

    @Test(arguments: [
        ("\"repeat\":1,\"retries\"", "\"repeat\":0,\"retries\"", "has to be at least 1"),
        ("\"repeat\":1,\"retries\"", "\"repeat\":4294967295,\"retries\"", "the 100000 cells"),
        ("\"durationSeconds\":1,", "\"durationSeconds\":1e19,", "a time of 1e+19 s"),
        ("\"startedSeconds\":0", "\"startedSeconds\":-1e300", "a time of -1e+300 s"),
        ("\"retries\":0", "\"retries\":-1", "outside 0 to 1000"),
    ])
    func `a report that no matrix can have left is refused`(
        old: String, new: String, message: String
    ) async throws {
        try await Self.report(replacing: old, by: new) { directory in
            let error = #expect(throws: MatrixError.self) {
                try ReportDirectory.report(at: directory.path)
            }
            #expect(error?.status == .badFile)
            #expect(error?.description.contains(message) == true, "\(error as Any)")
        }
    }

    @Test func `counters at their end make reports, and parts of them merge`() async throws {
        let way = """
            {"packets":N,"bytes":N,"dropped":N,"lost":N,"queuedPackets":N,"bitsPerSecond":N,
             "arrivedPackets":N,"arrivedBytes":N,"queueFullPackets":N,"managedPackets":N,
             "duplicatedPackets":N,"corruptedPackets":N,"exemptPackets":N,"heldPackets":N,
             "longestQueuePackets":N,"ecnMarkedPackets":N,"socketDroppedPackets":N,
             "memoryDroppedPackets":N,"unreadablePackets":N,"unsentPackets":N,
             "latenessMicroseconds":{"p50":1e300,"p99":1e308,"maximum":1e308}}
            """
        let sample = """
            {"seconds":T,"up":{"bitsPerSecond":N,"delayMilliseconds":1e308,"dropped":N,"lost":N,
             "queuedPackets":N},"down":{"bitsPerSecond":N,"delayMilliseconds":1e308,"dropped":N,
             "lost":N,"queuedPackets":N}}
            """
        let samples = ["1e-300", "0.5", "1e300"].map { sample.replacing("T", with: $0) }
        let statistics = "{\"backend\":\"engine\",\"faithful\":true,\"down\":\(way),\"up\":\(way)}"
        for (old, new) in [
            ("\"statistics\":null", "\"statistics\":\(statistics)"),
            ("\"samples\":[]", "\"samples\":[\(samples.joined(separator: ","))]"),
            ("\"baselineSeconds\":null", "\"baselineSeconds\":1e-300"),
            ("\"exitCode\":null", "\"exitCode\":-2147483648"),
        ] {
            let largest = new.replacing("N", with: "18446744073709551615")
            try await Self.report(replacing: old, by: largest) { directory in
                let report = try ReportDirectory.report(at: directory.path)
                let merged = try MatrixReport.merging([report]) { path, _ in path }
                let readable = ReadableReports(merged, in: directory.path)
                for file in ReadableReports.File.allCases {
                    #expect(!readable.text(of: file).isEmpty)
                }
                #expect(!merged.secondsByProfile.isEmpty)
            }
        }
    }

    @Test func `a part is one of ten thousand at most`() throws {
        #expect(Shard("10000/10000") != nil && Shard("1/10001") == nil)
        #expect(Shard("1/9223372036854775807") == nil)
        for (index, count) in [
            ("-9223372036854775808", "2"), ("9223372036854775807", "9223372036854775807"),
        ] {
            for name in ["CI_NODE", "CIRCLE_NODE"] {
                let variables = ["\(name)_INDEX": index, "\(name)_TOTAL": count]
                #expect(throws: MatrixError.self) { try Shard.detected(in: variables) }
            }
        }
    }
}
