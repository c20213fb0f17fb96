import Foundation
import KernelPlane
import LinkTesting
import Testing

/// Conditions change while packets are under way.
@Suite("Live changes", .serialized, .requiresKernel(.netem), .tags(.long))
struct LiveChangeTests {
    @Test("Replacing a profile loses and reorders no packet under way")
    func replace() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun("apply", "LTE", "--set", "down.delay=400 ms")
            async let probing = network.probe(down: true, count: 3000, rate: 500)
            for profile in ["3G", "LTE", "Wi-Fi", "LTE"] {
                try await Task.sleep(for: .milliseconds(800))
                try await network.mustRun(
                    "apply", profile, "--replace", "--set", "down.delay=400 ms", "--set",
                    "down.bandwidth=20 Mbit/s")
            }
            let probe = try await probing
            #expect(probe.received == 3000 && probe.reordered == 0, "\(probe)")
        }
    }

    @Test("Status counts what went through, each way by itself")
    func counters() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun("apply", "Wi-Fi", "--set", "down.loss=50%")
            _ = try await network.probe(down: true, count: 400, rate: 1000)
            let interface = try #require(try await network.status().conditioned.first)
            let down = try #require(interface.down).counters
            let up = try #require(interface.up).counters
            // A few more, since hosts on a wire always have something to say over multicast.
            #expect((400...410).contains(down.packets + down.lost), "\(down)")
            #expect(abs(down.bytes - down.packets * 100) < 600, "\(down)")
            #expect(down.lost > 130 && down.lost < 270 && down.dropped == 0)
            #expect(up.packets < 5 && up.lost == 0)
        }
    }

    @Test("A flooded queue drops, and status says how many")
    func queueDrops() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun(
                "apply", "baseline.yaml".absoluteFixture, "--set", "down.bandwidth=100 kbit/s",
                "--set", "down.queue=20 packets")
            // 1,000 packets of 100 bytes in a second: 125 of them pass, 20 wait, the rest drops.
            // A busy machine takes longer to send them: 125 more pass for each second.
            let probe = try await network.probe(down: true, count: 1000, rate: 1000)
            let down = try #require(try await network.status().conditioned.first?.down).counters
            // What hosts on a wire say over multicast is dropped as well.
            #expect((0...10).contains(down.dropped - (1000 - probe.received)), "\(down) \(probe)")
            #expect(down.lost == 0)
            let passing = 125 * 1000 / probe.sentPacketsPerSecond
            #expect(probe.received > 120, "\(probe)")
            #expect(Double(probe.received) < passing + 55, "\(probe)")
        }
    }

    @Test("Status --watch prints again when something changes")
    func watch() async throws {
        try await TestNetwork.with { network in
            let program = try TestNetwork.program()
            let script = """
                "$0" status --watch >"$1" & watch=$!
                says() { for try in $(seq 200); do grep -q "$1" "$2" && break; sleep 0.1; done; }
                says Nothing "$1"
                "$0" apply LTE 2>/dev/null
                says apple/LTE "$1"
                kill $watch; wait; cat "$1"
                """
            try await withTemporaryDirectory { directory in
                let result = try await network.run(
                    "sh", ["-c", script, program, directory.path + "/watch"])
                #expect(result.standardOutput.hasPrefix("Nothing is conditioned."))
                #expect(result.standardOutput.contains("apple/LTE"))
            }
        }
    }
}
