import Foundation
import LinkTesting
import Testing

/// Which data plane carries out conditions, and why, as each verb says it.
@Suite("The data plane of a profile", .serialized, .tags(.long)) struct SamePlaneTests {
    @Test func `is the same for apply, run and verify throughout the catalogue`() async throws {
        try await TestNetwork.with { network in
            let profiles = try await Self.profilesOfEachKind(network)
            #expect(profiles.count > 5)
            for profile in profiles {
                let said = try await Self.choices([profile], network)
                #expect(Set(said).count == 1, "\(profile): \(said)")
            }
        }
    }

    @Test(arguments: ["down.jitter=5 ms", "down.aqm=codel", "dns.delay=100 ms"])
    func `is the same for apply, run and verify with a field set`(setting: String) async throws {
        try await TestNetwork.with { network in
            let said = try await Self.choices(["Edge", "--set", setting], network)
            #expect(Set(said).count == 1, "\(said)")
        }
    }

    @Test func `is what doctor says of an ordinary profile`() async throws {
        try await TestNetwork.with { network in
            let said = try await Self.choices(["Edge"], network)
            let diagnosis = try await network.mustRun("doctor")
            let reason = diagnosis.firstMatch(of: /Ordinary profiles get the (.*)\./)
            #expect(said.allSatisfy { $0 == reason.map { String($0.1) } }, "\(said) \(diagnosis)")
        }
    }

    // MARK: Helpers

    /// The plane and the reason for it, as `apply`, `run` and `verify` say them.
    private static func choices(
        _ conditions: [String], _ network: TestNetwork
    ) async throws -> [String] {
        let applied = try await network.linkcond(["apply", "-v"] + conditions)
        try await network.mustRun("clear")
        let ran = try await network.linkcond(
            ["run", "-v", "--uplink", "none"] + conditions + ["--", "true"])
        let measured = try await network.run(
            "bash",
            ["-c", firstExplanation, "bash", try TestNetwork.program(), "verify", "-v"]
                + conditions)
        #expect(measured.exitCode == 128 + SIGTERM, "\(measured)")
        return try [applied.standardError, ran.standardError, measured.standardOutput].map { text in
            let choice = text.firstMatch(of: /(kernel data plane|packet engine): [^;\n]*/)
            return try #require(choice.map { String($0.0) }, "\(text)")
        }
    }

    /// Runs a command until it names a data plane: `verify` does so before it measures.
    private static let firstExplanation = #"""
        coproc { exec "$@" 2>&1; }
        process=$COPROC_PID
        while read -r line; do
            echo "$line"
            [[ $line == *"data plane: "* || $line == *"engine: "* ]] && kill $process
        done <&"${COPROC[0]}"
        wait $process
        """#

    /// A profile for each set of fields that profiles of the catalogue use: the choice asks which
    /// conditions there are, and not how much of each.
    private static func profilesOfEachKind(_ network: TestNetwork) async throws -> [String] {
        let list = try await network.mustRun("list", "--json")
        let profiles = try #require(
            try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        var kinds: [String: String] = [:]
        for profile in profiles {
            let kind = ["down", "up", "dns"].map { key in
                let fields = profile[key] as? [String: Any] ?? [:]
                return fields.map { "\($0)=\(use(of: $1))" }.sorted().joined(separator: " ")
            }
            kinds[kind.joined(separator: "; ")] = profile["id"] as? String
        }
        // A run without conditions needs no data plane.
        return kinds.values.filter { $0 != "reference/Baseline" }.sorted()
    }

    private static func use(of value: Any) -> String {
        switch value {
        case let number as Double: number == 0 ? "no" : "yes"
        case is NSNull: "no"
        default: "\(value)"
        }
    }
}
