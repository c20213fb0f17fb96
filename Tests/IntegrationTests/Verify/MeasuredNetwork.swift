import Foundation
import LinkModel
import LinkTesting
import Verification

extension TestNetwork {
    /// Measures the wire as it is with both probes, and judges it by `conditions`.
    func verify(_ conditions: LinkConditions, effort: Effort = .quick) async throws -> [Check] {
        try await withTemporaryDirectory { directory in
            let place = Rendezvous(directory: directory.path)
            let plan = ProbePlan(conditions, effort: effort)
            try place.write(plan)
            async let far = probe("far", in: server, to: (Self.appIPv4, Self.appIPv6), directory)
            async let app = probe("app", in: app, to: (Self.serverIPv4, Self.serverIPv6), directory)
            for result in try await [far, app] where result.exitCode != 0 {
                throw Failure("a probe failed: \(result.standardError)")
            }
            return LinkJudge(
                conditions, plan: plan, report: try place.report(), effort: effort
            ).checks
        }
    }

    private func probe(
        _ role: String, in namespace: String, to peer: (String, String),
        _ directory: TemporaryDirectory
    ) async throws -> ProcessResult {
        try await runProcess(
            "ip",
            [
                "netns", "exec", namespace, try Self.program(), "probe", "--role", role, "--peer",
                peer.0, "--peer-ipv6", peer.1, "--directory", directory.path,
            ], timeout: .seconds(120))
    }
}

extension [Check] {
    /// The checks outside tolerance.
    var failures: [Check] { filter { $0.verdict == .failed } }
}
