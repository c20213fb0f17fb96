import Foundation
import LinkTesting
import Testing

/// ECN: packets that are marked in place of being dropped.
@Suite("run: marks of congestion", .requiresNamespaces)
struct RunMarkTests {
    private struct Statistics: Decodable {
        let up: Way

        struct Way: Decodable { let counters: Counters }
        struct Counters: Decodable {
            let ecnMarkedPackets: UInt64
            let managedPackets: UInt64
        }
    }

    @Test(arguments: [true, false])
    func `what a server sees marked is what is counted`(_ marks: Bool) async throws {
        let program = "python3 \(BusFixture.path(of: "marks.py"))"
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let profile = try directory.write(
                """
                name: Marks
                up: { bandwidth: 2 Mbit/s, queue: 2000 packets, aqm: codel, ecn: \(marks) }
                """, to: "marks.yaml")
            let stats = directory.path + "/stats.json"
            let result = try await SandboxedRun(
                arguments: [
                    profile, "--backend", "engine", "--uplink", "none", "--no-dbus", "--stats",
                    stats, "--server", "\(program) server 4433 \(directory.path)",
                    "--server-ready", "4433", "--", "bash", "-c",
                    "\(program) client 4433",
                ]
            ).result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            let text = try String(contentsOfFile: stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            let counters = try JSONDecoder().decode(Statistics.self, from: Data(text.utf8))
                .up.counters
            let seen = try String(contentsOfFile: directory.path + "/marks", encoding: .utf8)
                .split(separator: " ").compactMap { UInt64($0) }
            #expect(seen.count == 4)
            #expect(seen[1] + seen[3] == counters.ecnMarkedPackets, "\(seen) \(counters)")
            if marks {
                #expect(seen[1] > 0 && seen[3] > 0, "\(seen)")
                #expect(counters.managedPackets == 0)
                #expect(seen[0] == 750 && seen[2] == 750, "\(seen)")
            } else {
                #expect(counters.ecnMarkedPackets == 0)
                #expect(counters.managedPackets > 0)
            }
        }
    }
}
