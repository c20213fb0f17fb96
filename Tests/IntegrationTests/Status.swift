import Foundation

/// What `linkcond status --json` prints, as far as tests ask.
struct Status: Decodable {
    struct Lateness: Decodable {
        let p50: Double
        let p99: Double
        let maximum: Double
    }

    struct Counters: Decodable {
        let latenessMicroseconds: Lateness?
        let packets: Int
        let bytes: Int
        let dropped: Int
        let lost: Int
    }

    struct Way: Decodable {
        let bandwidthBitsPerSecond: Int?
        let delayMilliseconds: Double
        let queuePackets: Int?
        let counters: Counters
    }

    struct Interface: Decodable {
        let interface: String
        let name: String
        let selectors: [String]
        let profile: String
        let backend: String
        let seed: Int?
        let faithful: Bool?
        let until: String?
        let untilExitOf: Int?
        let command: String?
        let down: Way?
        let up: Way?
        let problem: String?

        /// The problem, unless it is that the machine was busy while packets passed.
        var defect: String? {
            problem?.hasPrefix("this machine was too busy") == true ? nil : problem
        }
    }

    let conditioned: [Interface]
}

extension TestNetwork {
    func status() async throws -> Status {
        let text = try await mustRun("status", "--json")
        return try JSONDecoder().decode(Status.self, from: Data(text.utf8))
    }
}
