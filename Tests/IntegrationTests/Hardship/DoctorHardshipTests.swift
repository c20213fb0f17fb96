import Foundation
import LinkTesting
import Testing

/// What `doctor` says to somebody who gets little of the processors.
@Suite("Doctor: hard conditions", .requiresNamespaces, .tags(.anyKernel))
struct DoctorHardshipTests {
    private struct Diagnosis: Decodable {
        struct Check: Decodable {
            let name: String
            let status: String
            let detail: String
            let fix: String?
        }

        let checks: [Check]
    }

    private static let processor = LimitedGroup.Limit.processor(percent: 50)

    /// The check of this name, when linkcond runs behind `words`.
    private static func check(
        _ name: String, behind words: [String]
    ) async throws -> Diagnosis.Check {
        let command = words + [try SandboxedRun.program(), "doctor", "--json"]
        let result = try await runProcess(command[0], Array(command.dropFirst()))
        try await JSONSchema("doctor").expectValid(result.standardOutput)
        let found = try JSONDecoder().decode(
            Diagnosis.self, from: Data(result.standardOutput.utf8))
        return try #require(found.checks.first { $0.name == name }, "\(result)")
    }

    @Test(.requires(processor))
    func `half of a processor is told`() async throws {
        try await LimitedGroup.with(Self.processor) { group in
            let check = try await Self.check("processor time", behind: group.words)
            #expect(check.status == "limited" && check.detail.hasPrefix("0.5 of "), "\(check)")
            #expect(check.fix != nil)
        }
    }

    @Test func `so is that nobody lets the packet engine go first`() async throws {
        let check = try await Self.check(
            "real-time priority",
            behind: [
                "prlimit", "--rtprio=0", "setpriv", "--reuid", "\(Caller.ordinaryUserID)",
                "--clear-groups", "--",
            ])
        #expect(check.status == "limited" && check.fix != nil, "\(check)")
    }
}
