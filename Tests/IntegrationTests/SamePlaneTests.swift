import Foundation
import LinkTesting
import Testing

/// Which data plane carries out conditions, and why, as each verb says it.
@Suite("The data plane of a profile", .serialized) struct SamePlaneTests {
    @Test(
        arguments: [
            ["Edge"], ["Edge", "--set", "down.jitter=5 ms"], ["Edge", "--set", "down.aqm=codel"],
            ["Edge", "--set", "dns.delay=100 ms"],
        ])
    func `is the same for apply, run, verify and doctor`(conditions: [String]) async throws {
        try await TestNetwork.with { network in
            let measured = try await network.linkcond(["verify", "-v", "--quick"] + conditions)
            var said = try await Self.choices(ofApplyAndRun: conditions, network)
            said.append(try Self.choice(in: measured))
            if conditions == ["Edge"] {
                let diagnosis = try await network.mustRun("doctor")
                let reason = diagnosis.firstMatch(of: /Ordinary profiles get the (.*)\./)
                said.append(try #require(reason.map { String($0.1) }, "\(diagnosis)"))
            }
            #expect(Set(said).count == 1, "\(said)")
        }
    }

    @Test func `is the same for apply and run throughout the catalogue`() async throws {
        try await TestNetwork.with { network in
            let profiles = try await Self.profilesOfEachKind(network)
            #expect(profiles.count > 5)
            for profile in profiles {
                let said = try await Self.choices(ofApplyAndRun: [profile], network)
                #expect(Set(said).count == 1, "\(profile): \(said)")
            }
        }
    }

    // MARK: Helpers

    private static func choices(
        ofApplyAndRun conditions: [String], _ network: TestNetwork
    ) async throws -> [String] {
        let applied = try await network.linkcond(["apply", "-v"] + conditions)
        try await network.mustRun("clear")
        let ran = try await network.linkcond(
            ["run", "-v", "--uplink", "none"] + conditions + ["--", "true"])
        return try [choice(in: applied), choice(in: ran)]
    }

    /// The plane and the reason for it, in what a verb says.
    private static func choice(in result: ProcessResult) throws -> String {
        let choice = result.standardError.firstMatch(
            of: /(kernel data plane|packet engine): [^;\n]*/)
        return try #require(choice.map { String($0.0) }, "\(result)")
    }

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
        return kinds.values.sorted()
    }

    private static func use(of value: Any) -> String {
        switch value {
        case let number as Double: number == 0 ? "no" : "yes"
        case is NSNull: "no"
        default: "\(value)"
        }
    }
}
