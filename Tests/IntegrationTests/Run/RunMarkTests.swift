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
            let managedPackets: UInt64?
        }
    }

    /// What came at a server, and how much of it was marked.
    private struct Seen {
        var packets: UInt64
        var marked: UInt64
    }

    @Test(.tags(.anyKernel, .contrary), arguments: ["codel", "fq_codel"])
    func `what a server sees marked is what the packet engine counts`(_ aqm: String) async throws {
        let (ipv4, ipv6, counters) = try await Self.run("aqm: \(aqm), ecn: true", by: "engine")
        #expect(ipv4.marked > 0 && ipv6.marked > 0, "\(ipv4) \(ipv6)")
        #expect(ipv4.marked + ipv6.marked == counters.ecnMarkedPackets, "\(ipv4) \(ipv6)")
        #expect(counters.managedPackets == 0)
        #expect(ipv4.packets == 750 && ipv6.packets == 750, "\(ipv4) \(ipv6)")
    }

    /// Undisturbed: among other tests the sender may come in bursts so large that PIE only drops.
    @Test(.tags(.anyKernel, .measure)) func `what PIE marks is counted`() async throws {
        try await Self.checkPIE(by: "engine")
    }

    @Test(.tags(.anyKernel, .contrary)) func `what is not to be marked is dropped`() async throws {
        let (ipv4, ipv6, counters) = try await Self.run("aqm: codel", by: "engine")
        #expect(ipv4.marked + ipv6.marked == 0)
        #expect(counters.ecnMarkedPackets == 0)
        let dropped = try #require(counters.managedPackets)
        #expect(dropped > 0)
        #expect(ipv4.packets + ipv6.packets + dropped == 1500, "\(ipv4) \(ipv6) \(dropped)")
    }

    @Test(.requiresConditioning, arguments: ["codel", "fq_codel"])
    func `what a server sees marked is what the kernel counts`(_ aqm: String) async throws {
        let (ipv4, ipv6, counters) = try await Self.run("aqm: \(aqm), ecn: true", by: "kernel")
        #expect(ipv4.marked > 0 && ipv6.marked > 0, "\(ipv4) \(ipv6)")
        #expect(ipv4.marked + ipv6.marked == counters.ecnMarkedPackets, "\(ipv4) \(ipv6)")
    }

    @Test(.requiresConditioning) func `what PIE of the kernel marks is counted`() async throws {
        try await Self.checkPIE(by: "kernel")
    }

    // MARK: Helpers

    /// PIE drops instead of marking while its probability is above a tenth (RFC 8033, section 5.1).
    /// A small overload keeps it at that threshold, and on a busy machine still marks some dozen.
    private static func checkPIE(by backend: String) async throws {
        let (ipv4, ipv6, counters) = try await run(
            "aqm: pie, ecn: true", by: backend, bandwidth: "7.7 Mbit/s", packets: 5000)
        #expect(counters.ecnMarkedPackets > 0)
        #expect(ipv4.marked + ipv6.marked == counters.ecnMarkedPackets, "\(ipv4) \(ipv6)")
    }

    /// Sends 8 Mbit/s, which is more than the link carries, and returns what arrived by IPv4 and by
    /// IPv6.
    private static func run(
        _ management: String, by backend: String, bandwidth: String = "6 Mbit/s",
        packets: Int = 1500
    ) async throws -> (ipv4: Seen, ipv6: Seen, counters: Counters) {
        let program = "python3 \(BusFixture.path(of: "marks.py"))"
        return try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let profile = try directory.write(
                """
                name: Marks
                up: { bandwidth: \(bandwidth), queue: 2000 packets, \(management) }
                """, to: "marks.yaml")
            let stats = directory.path + "/stats.json"
            let result = try await SandboxedRun(
                arguments: [
                    profile, "--backend", backend, "--uplink", "none", "--no-dbus", "--stats",
                    stats, "--server", "\(program) server 4433 \(directory.path)",
                    "--server-ready", "4433", "--", "bash", "-c",
                    "\(program) client 4433 \(packets)",
                ]
            ).result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            let text = try String(contentsOfFile: stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            let counters = try JSONDecoder().decode(Statistics.self, from: Data(text.utf8))
                .up.counters
            let seen = try String(contentsOfFile: directory.path + "/marks", encoding: .utf8)
                .split(separator: " ").compactMap { UInt64($0) }
            try #require(seen.count == 4)
            return (
                Seen(packets: seen[0], marked: seen[1]), Seen(packets: seen[2], marked: seen[3]),
                counters
            )
        }
    }

    private typealias Counters = Statistics.Counters
}
