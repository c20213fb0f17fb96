import Foundation
import LinkTesting
import Testing

/// The evidence files of a run, as other programs read them.
struct RecordingFiles {
    let directory: TemporaryDirectory

    var stats: String { directory.path + "/stats.json" }
    var capture: String { directory.path + "/capture.pcapng" }
    var log: String { directory.path + "/log.csv" }

    /// The options that ask for all of them.
    var options: [String] { ["--stats", stats, "--pcap", capture, "--log", log] }

    /// Calls `body` with files in a directory in which everybody may write.
    static func with<Result>(_ body: (RecordingFiles) async throws -> Result) async throws -> Result
    {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            return try await body(RecordingFiles(directory: directory))
        }
    }

    /// What `--stats` wrote, as far as tests ask.
    struct Statistics: Decodable {
        struct Way: Decodable { let counters: Counters }

        struct Counters: Decodable {
            let packets: Int
            let lost: Int
            let dropped: Int
            let bytes: Int
            let bitsPerSecond: Int
            let arrivedPackets: Int?
            let duplicatedPackets: Int?
            let corruptedPackets: Int?
            let exemptPackets: Int?
            let heldPackets: Int?
            let longestQueuePackets: Int?

            /// Lines that a log has of this direction.
            var lines: Int {
                packets + lost + dropped + (exemptPackets ?? 0)
            }
        }

        let linkcond: String
        let backend: String
        let seed: UInt64?
        let exitCode: Int
        let profile: String
        let faithful: Bool?
        let flaw: String?
        let up: Way
        let down: Way
        let durationSeconds: Double
        let drain: Drain
        let loopback: Loopback?

        struct Drain: Decodable {
            let seconds: Double
            let undeliveredConnections: Int
            let undeliveredPackets: Int
        }

        struct Loopback: Decodable {
            let up: Counters
            let down: Counters
        }
    }

    /// What `--stats` wrote, which has to conform to its schema.
    func statistics() async throws -> Statistics {
        let text = try String(contentsOfFile: stats, encoding: .utf8)
        try await JSONSchema("statistics").expectValid(text)
        return try JSONDecoder().decode(Statistics.self, from: Data(text.utf8))
    }

    /// The lines that `--log` wrote, by the names of their fields.
    func lines() throws -> [[String: String]] {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        let rows = text.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let names = try #require(rows.first)
        return rows.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(names, $0)) }
    }

    /// Fields of each packet, as tshark reads the capture, which has to be whole.
    func packets(_ fields: String..., filter: String = "frame") async throws -> [[String]] {
        let result = try await runProcess(
            "tshark",
            ["-n", "-r", capture, "-Y", filter, "-T", "fields", "-E", "occurrence=f"]
                + fields.flatMap { ["-e", $0] })
        #expect(result.exitCode == 0, "\(result.standardError)")
        return result.standardOutput.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
