import LinkTesting
import Testing

/// Which data plane carries out conditions, and why, as each verb says it.
@Suite("The data plane of a profile", .serialized) struct SamePlaneTests {
    @Test(
        arguments: [
            ["Edge"], ["Edge", "--set", "down.jitter=5 ms"], ["Edge", "--set", "down.aqm=codel"],
            ["Edge", "--set", "dns.delay=100 ms"],
        ])
    func `is the same for apply, run and verify, for the same reason`(
        conditions: [String]
    ) async throws {
        try await TestNetwork.with { network in
            let commands = [
                ["apply", "-v"] + conditions,
                ["run", "-v", "--uplink", "none"] + conditions + ["--", "true"],
                ["verify", "-v", "--quick"] + conditions,
            ]
            var said: [String] = []
            for command in commands {
                let result = try await network.linkcond(command)
                let reason = result.standardError.firstMatch(
                    of: /(kernel data plane|packet engine): [^;\n]*/)
                said.append(try #require(reason.map { String($0.0) }, "\(result)"))
            }
            if conditions == ["Edge"] {
                let diagnosis = try await network.mustRun("doctor")
                let reason = diagnosis.firstMatch(of: /Ordinary profiles get the (.*)\./)
                said.append(try #require(reason.map { String($0.1) }, "\(diagnosis)"))
            }
            #expect(Set(said).count == 1, "\(said)")
            _ = try await network.linkcond(["clear"])
        }
    }
}
