import Foundation
import LinkTesting
import Testing

/// Whoever plays a scenario goes before all ordinary threads (`SCHED_FIFO`), but reaps children as one
/// of them.
///
/// A kernel that forgets what /proc had of a child tries again and again while somebody else is just
/// looking there. Two sandboxes that went first meanwhile kept both processors of a machine for
/// 950 ms at a time, until the kernel's limit for such threads, and packets passed unconditioned.
@Suite(
    "Precedence while a scenario is played", .requiresNamespaces,
    .enabled(if: hasPrograms("strace"), "strace is not installed"),
    .enabled("it takes the right to real-time priorities") {
        (try? shell("chrt --fifo 5 true")) != nil
    })
struct ScenarioPrecedenceTests {
    /// What a thread that went first at some time did.
    private struct Reaping {
        var wasFirst = 0
        var asFirst = 0
        var asOrdinary = 0

        /// Reads the lines of strace(1), which begin with the thread.
        init(_ trace: String) {
            var first: Set<Substring> = []
            for line in trace.split(separator: "\n") {
                guard let thread = line.split(separator: " ").first else { continue }
                if line.contains(/sched_setscheduler\(0, [^\[]*\[2\]\) = 0/) {
                    first.insert(thread)
                    wasFirst += 1
                } else if line.contains("sched_policy=SCHED_OTHER") {
                    first.remove(thread)
                } else if line.contains(/wait4\(.*\) = [1-9]/) {
                    if first.contains(thread) { asFirst += 1 } else { asOrdinary += 1 }
                }
            }
        }
    }

    private static let scenario = """
        name: A test
        interfaces: { wifi0: { profile: WiFi } }
        timeline:
          - { at: 0.1 s, exec: "true" }
          - { at: 0.3 s, exec: "true" }
          - { at: 0.5 s, exec: "true" }
          - { at: 0.7 s, exec: "true" }
        """

    @Test(arguments: ["run --uplink none --scenario FILE -- sleep 0.8", "play FILE"])
    func `children are reaped by an ordinary thread`(command: String) async throws {
        try await TestNetwork.with { network in
            try await withTemporaryDirectory { directory in
                let file = try directory.write(Self.scenario, to: "test.yaml")
                let output = directory.path + "/trace"
                let tracing = [
                    "-f", "-qq", "-o", output, "-e",
                    "trace=sched_setscheduler,sched_setattr,wait4", try TestNetwork.program(),
                ]
                let words = command.replacing("FILE", with: file).split(separator: " ")
                let result = try await network.run("strace", tracing + words.map(String.init))
                #expect(result.exitCode == 0, "\(result)")
                let trace = try String(contentsOfFile: output, encoding: .utf8)
                let reaping = Reaping(trace)
                #expect(reaping.wasFirst > 3 && reaping.asOrdinary > 3, "\(trace)")
                #expect(reaping.asFirst == 0, "\(trace)")
            }
        }
    }
}
