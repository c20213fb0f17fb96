import Foundation
import LinkTesting
import Testing

/// What `override show --json` prints.
struct Overrides: Decodable {
    struct Override: Decodable {
        let interface: String
        let expensive: Bool
        let constrained: Bool
        let cost: String
        let lowData: String
        let kind: String?
        let preferred: Bool
        let until: String?
        let problem: String?
    }

    let overrides: [Override]

    init(json: String) throws {
        self = try JSONDecoder().decode(Overrides.self, from: Data(json.utf8))
    }
}

/// What `path --json` prints.
struct Path: Decodable {
    struct Interface: Decodable {
        let name: String
        let kind: String
        let isUsed: Bool
    }

    let status: String
    let isExpensive: Bool
    let isConstrained: Bool
    let interfaces: [Interface]
    let gateways: [String]

    init(json: String) throws {
        self = try JSONDecoder().decode(Path.self, from: Data(json.utf8))
    }
}

extension TestNetwork {
    func overrides() async throws -> [Overrides.Override] {
        try Overrides(json: try await mustRun("override", "show", "--json")).overrides
    }

    func path() async throws -> Path {
        let json = try await mustRun("path", "--json")
        try await JSONSchema("path").expectValid(json)
        return try Path(json: json)
    }

    /// The name in the mark of `eth0`.
    func overrideWatcher() async throws -> String {
        let links = try await run("ip", ["link", "show", "eth0"]).standardOutput
        guard let name = links.firstMatch(of: /watch=([0-9a-z]+)/)?.output.1 else {
            throw Failure("no mark names a watcher: \(links)")
        }
        return String(name)
    }

    /// The number of the process that is the watcher; nil if there is none.
    func process(of watcher: String) async throws -> String? {
        let found = try await runProcess("pgrep", ["-f", "linkcond watch \(watcher) "])
        return found.standardOutput.split(separator: "\n").first.map(String.init)
    }

    /// Waits until a watcher has ended.
    func expectWatcherGone(
        _ watcher: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<100 {
            guard try await process(of: watcher) != nil else { return }
            try await Task.sleep(for: .milliseconds(300))
        }
        Issue.record("the watcher did not end", sourceLocation: sourceLocation)
    }

    /// Waits until nothing is overridden.
    func expectNoOverride(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<100 {
            if try await overrides().isEmpty { return }
            try await Task.sleep(for: .milliseconds(300))
        }
        Issue.record("the override did not end", sourceLocation: sourceLocation)
    }
}
