import Foundation
import LinkTesting
import Testing

/// What real programs measure inside a run, against what the profile says.
@Suite("Run: accuracy", .serialized, .requiresNamespaces, .tags(.measure, .lone))
struct RunAccuracyTests {
    /// A profile's figures, from its definition.
    struct Expectation: Sendable, CustomTestStringConvertible {
        var profile: String
        /// Both ways, in milliseconds.
        var propagation: Double
        /// In bits per second.
        var down: Double
        var up: Double
        /// Changes of the profile.
        var settings: [String] = []
        /// Within so many seconds slow start is over.
        var start = 4

        var testDescription: String { profile }

        /// A ping's: propagation and its time on the wire both ways, in milliseconds.
        func roundTrip(packetSize: Double) -> Double {
            propagation + packetSize * 8 * (1 / down + 1 / up) * 1000
        }
    }

    /// With ping's payload of 56 bytes and 8 of ICMP.
    private static let ipv4PingSize = 84.0
    private static let ipv6PingSize = 104.0

    private static let expectations = [
        Expectation(profile: "LTE", propagation: 115, down: 50e6, up: 10e6),
        Expectation(profile: "3G", propagation: 200, down: 780e3, up: 330e3),
        Expectation(profile: "Edge", propagation: 840, down: 240e3, up: 200e3),
        Expectation(profile: "DSL", propagation: 10, down: 2e6, up: 256e3),
        Expectation(profile: "WiFi", propagation: 2, down: 40e6, up: 33e6),
    ]

    /// A link that half of the kernel lab's one slow processor can fill.
    private static let moderate = Expectation(
        profile: "LTE", propagation: 115, down: 4e6, up: 2e6,
        settings: ["down.bandwidth=4 Mbit/s", "up.bandwidth=2 Mbit/s"], start: 2)

    /// What of the bandwidth is TCP's by IPv4: 1448 bytes of each packet of 1500.
    private static let payloadShare = 1448.0 / 1500

    @Test(.tags(.paced), arguments: expectations, ["engine", "kernel"])
    func `ping by IPv4 and IPv6`(expected: Expectation, backend: String) async throws {
        guard try Backends.serves(backend) else { return }
        for (caller, address, packetSize) in [
            (Caller.root, "198.18.0.1", Self.ipv4PingSize),
            (.ordinaryUser, "fd6c:696e:6b63::1", Self.ipv6PingSize),
        ] {
            let output = try await SandboxedRun(
                expected.profile, "--backend", backend, "--uplink", "none", "--",
                "ping", "-c", "10", "-i", "0.1", "-q", address, by: caller
            ).output()
            let match = try #require(output.firstMatch(of: /= ([0-9.]+)\//), "\(output)")
            let shortest = try #require(Double(match.1))
            // The clock of the lab, where a processor is a process, is as exact as that.
            let clockError = Self.processorCount > 1 ? 0 : 0.5
            let roundTrip = expected.roundTrip(packetSize: packetSize)
            #expect(shortest > roundTrip * 0.999 - clockError)
            #expect(shortest < roundTrip + clockError + max(1, roundTrip * 0.01))
        }
    }

    @Test(
        .tags(.paced), .enabled(if: processorCount > 1, "one processor cannot fill fast links"))
    func `iperf3 both ways, through the engine`() async throws {
        // Links of different sandboxes do not disturb each other.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for expected in Self.expectations {
                group.addTask { try await Self.expectDownload(expected, "engine") }
                group.addTask { try await Self.expectUpload(expected, "engine") }
            }
            try await group.waitForAll()
        }
    }

    @Test(.requiresConditioning)
    func `iperf3 both ways, through the kernel`() async throws {
        try await Self.expectDownload(Self.moderate, "kernel")
        try await Self.expectUpload(Self.moderate, "kernel")
    }

    private static let processorCount = ProcessInfo.processInfo.activeProcessorCount

    private static func expectDownload(_ expected: Expectation, _ backend: String) async throws {
        try await expect(bandwidth: expected.down, of: expected, backend, option: "--reverse")
    }

    private static func expectUpload(_ expected: Expectation, _ backend: String) async throws {
        try await expect(bandwidth: expected.up, of: expected, backend, option: "--no-delay")
    }

    private static func expect(
        bandwidth: Double, of expected: Expectation, _ backend: String, option: String
    ) async throws {
        struct Report: Decodable {
            struct End: Decodable {
                struct Sum: Decodable { let bits_per_second: Double }
                let sum_received: Sum
            }
            let end: End
        }
        let output = try await SandboxedRun(
            arguments: [expected.profile, "--backend", backend, "--uplink", "none"]
                + expected.settings.flatMap { ["--set", $0] } + [
                    "--server", "iperf3 --server --one-off >/dev/null", "--server-ready",
                    "5201", "--",
                    "iperf3", "--json", "--version4", "--client", "server.linkcond", option,
                    // After ten seconds BBR lets the queue run empty (ProbeRTT). With other congestion
                    // controls, what arrives behind a lost packet counts when that has been repeated,
                    // a round trip and a queue later, which may be after the end.
                    "--omit", "\(expected.start)", "--time", "\(10 - expected.start)",
                ]
        ).output(timeout: .seconds(120))
        let report = try JSONDecoder().decode(Report.self, from: Data(output.utf8))
        let ratio = report.end.sum_received.bits_per_second / (bandwidth * payloadShare)
        #expect(abs(ratio - 1) < 0.05, "\(expected.profile) \(option): \(ratio)")
    }

    @Test func `the same seed loses the same packets`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        func answered(seed: UInt64) async throws -> [Substring] {
            let output = try await SandboxedRun(
                arguments: [
                    "high-loss", "--set", "down.delay=1 ms", "--set", "up.delay=1 ms",
                    "--seed", "\(seed)", "--uplink", "none", "--",
                ] + AnsweredPings.command(to: "198.18.0.1")
            ).output()
            return AnsweredPings.numbers(in: output)
        }
        let first = try await answered(seed: seed)
        #expect(first.count == AnsweredPings.count && first.last != "\(AnsweredPings.count)")
        #expect(try await answered(seed: seed) == first)
        #expect(try await answered(seed: seed &+ 1) != first)
    }

    @Test(.tags(.anyKernel)) func `thirty at once are each as they should be`() async throws {
        let profiles = Self.expectations.filter { $0.profile != "Edge" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                let expected = profiles[number % profiles.count]
                let caller = Caller.allCases[number % 2]
                group.addTask {
                    // ping waits for its last answer for two round trips, however late its kernel is
                    // with thirty commands that end at once.
                    let output = try await SandboxedRun(
                        expected.profile, "--uplink", "none", "--server", "sleep 60", "--",
                        "ping", "-c", "21", "-i", "0.2", "198.18.0.3", by: caller
                    ).output()
                    let match = try #require(output.firstMatch(of: /= ([0-9.]+)\//), "\(output)")
                    let shortest = try #require(Double(match.1))
                    let answered = output.matches(of: /icmp_seq=([0-9]+)/).compactMap { Int($0.1) }
                    #expect(Set(answered).isSuperset(of: 1...20), "\(output)")
                    let roundTrip = expected.roundTrip(packetSize: Self.ipv4PingSize)
                    #expect(shortest > roundTrip * 0.999)
                    #expect(shortest < roundTrip + 5)
                }
            }
            try await group.waitForAll()
        }
    }
}
