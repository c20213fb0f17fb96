import Foundation
import KernelPlane
import LinkTesting
import Testing

/// What a link does under a profile, measured with real programs. The bounds are wide: they tell
/// right from wrong, `Scripts/bench accuracy` tells how exact.
@Suite("Accuracy", .serialized, .requiresKernel(.netem), .tags(.measure, .long))
struct AccuracyTests {
    /// The kernel's links hold no packet for longer than 20 ms here, whatever its processes wait for.
    private static let drain = 1

    struct Delay: Sendable, CustomTestStringConvertible {
        let profile: String
        let milliseconds: Double
        var settings: [String] = []
        var testDescription: String { ([profile] + settings).joined(separator: " ") }
    }

    @Test(
        "A round trip takes the sum of both delays, over IPv4 and IPv6",
        arguments: [
            Delay(profile: "LTE", milliseconds: 115), Delay(profile: "3G", milliseconds: 200),
            Delay(profile: "Edge", milliseconds: 840), Delay(profile: "DSL", milliseconds: 10),
            Delay(profile: "WiFi", milliseconds: 2),
            Delay(
                profile: "high-loss", milliseconds: 1000, settings: ["down.loss=0%", "up.loss=0%"]),
            Delay(profile: "LTE", milliseconds: 115, settings: ["down.aqm=fq_codel"]),
            Delay(profile: "LTE", milliseconds: 115, settings: ["up.duplicate=1%"]),
        ])
    func roundTrip(_ delay: Delay) async throws {
        try await TestNetwork.with { network in
            let settings = delay.settings.flatMap { ["--set", $0] }
            let applied = try await network.linkcond(
                ["apply", delay.profile, "--backend", "kernel"] + settings)
            #expect(applied.exitCode == 0, "\(applied.standardError)")
            for address in [TestNetwork.serverIPv4, TestNetwork.serverIPv6] {
                let time = try await network.shortestRoundTrip(to: address)
                // The serialisation of 84 bytes over the slowest link here takes 6 ms.
                #expect(time >= delay.milliseconds - 0.1, "to \(address)")
                #expect(time <= delay.milliseconds * 1.02 + 8, "to \(address)")
            }
        }
    }

    @Test("TCP gets the bandwidth that headers leave, each way")
    func goodput() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun(
                "apply", "LTE", "--set", "down.bandwidth=8 Mbit/s", "--set",
                "up.bandwidth=3 Mbit/s", "--set", "down.delay=10 ms", "--set", "up.delay=10 ms")
            let headers = 1448.0 / 1500
            let down = try await network.goodput(down: true)
            #expect(abs(down / (8e6 * headers) - 1) < 0.05, "down \(down) bit/s")
            let up = try await network.goodput(down: false)
            #expect(abs(up / (3e6 * headers) - 1) < 0.05, "up \(up) bit/s")
        }
    }

    @Test("Random loss takes its share each way, over IPv4 and IPv6, and reorders nothing")
    func randomLoss() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun(
                "apply", "baseline.yaml".absoluteFixture, "--set", "down.loss=10%", "--set",
                "up.loss=5%")
            for (isDown, isIPv6, share) in [
                (true, false, 0.1), (false, false, 0.05), (true, true, 0.1), (false, true, 0.05),
            ] {
                let probe = try await network.probe(
                    down: isDown, isIPv6: isIPv6, count: 2000, rate: 1000, drain: Self.drain)
                // Five standard deviations of the binomial distribution.
                let deviation = (share * (1 - share) / 2000).squareRoot()
                #expect(abs(probe.lossRatio - share) < 5 * deviation, "\(probe)")
                #expect(probe.reordered == 0 && probe.duplicates == 0 && probe.corrupted == 0)
            }
        }
    }

    @Test("Losses come in bursts of the mean length asked for")
    func burstLoss() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun(
                "apply", "baseline.yaml".absoluteFixture, "--set",
                "down.loss={ mean: 10%, burst: 6 }")
            let probe = try await network.probe(
                down: true, count: 8000, rate: 2000, drain: Self.drain)
            // About 130 bursts, the lengths of which deviate by about their mean.
            #expect(abs(probe.meanBurst / 6 - 1) < 0.35, "\(probe)")
            #expect(abs(probe.lossRatio / 0.1 - 1) < 0.4, "\(probe)")
        }
    }

    @Test("Jitter spreads the delay and keeps the order")
    func jitter() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun(
                "apply", "baseline.yaml".absoluteFixture, "--set", "down.delay=50 ms", "--set",
                "down.jitter=10 ms")
            let probe = try await network.probe(down: true, count: 1500, rate: 200)
            #expect(probe.reordered == 0 && probe.received == 1500)
            // Above, the median tells: a single pause of a busy lab would widen the deviation.
            #expect(probe.deviation > 4, "\(probe)")
            #expect(probe.median > 45 && probe.median < 65, "\(probe)")
        }
    }

    @Test("Reordering, duplication and corruption happen where they are asked for")
    func impairments() async throws {
        try await TestNetwork.with { network in
            let baseline = "baseline.yaml".absoluteFixture
            try await network.mustRun(
                "apply", baseline, "--set", "down.delay=20 ms", "--set", "down.reorder=5%",
                "--set", "up.corrupt=10%")
            let down = try await network.probe(down: true, count: 2000, rate: 1000)
            #expect(down.reordered > 20, "\(down)")
            let up = try await network.probe(
                down: false, count: 2000, rate: 1000, drain: Self.drain)
            #expect(up.corrupted > 100, "\(up)")
            try await network.mustRun(
                "apply", baseline, "--replace", "--set", "down.duplicate=5%")
            let doubled = try await network.probe(down: true, count: 2000, rate: 1000)
            #expect(doubled.duplicates > 50 && doubled.duplicates < 170, "\(doubled)")
        }
    }

    @Test("Outgoing DNS takes longer, other traffic does not", arguments: [false, true])
    func dnsDelay(isIPv6: Bool) async throws {
        try await TestNetwork.with { network in
            try await network.mustRun(
                "apply", "baseline.yaml".absoluteFixture, "--set", "dns.delay=300 ms")
            let dns = try await network.probe(
                down: false, isIPv6: isIPv6, count: 50, rate: 100, port: 53)
            #expect(dns.received == 50 && dns.median > 299 && dns.median < 320, "\(dns)")
            let other = try await network.probe(
                down: false, isIPv6: isIPv6, count: 50, rate: 100, port: 54)
            #expect(other.received == 50 && other.median < 20, "\(other)")
        }
    }

    @Test("A black hole lets nothing pass, and neighbours stay known")
    func blackhole() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun("apply", "100% Loss")
            let ping = try await network.run(
                "ping", ["-c", "2", "-i", "0.2", "-W", "1", TestNetwork.serverIPv4])
            #expect(ping.exitCode == 1)
            let neighbours = try await network.run("ip", ["neigh", "show"])
            #expect(neighbours.standardOutput.contains("\(TestNetwork.serverIPv4) dev eth0 lladdr"))
            try await network.mustRun("clear")
            _ = try await network.shortestRoundTrip(to: TestNetwork.serverIPv4)
        }
    }
}
