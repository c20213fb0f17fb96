import Foundation
import LinkTesting
import Testing

/// Learns linkcond's own links, whose truth is known.
@Suite("Learn", .requiresNamespaces, .tags(.paced, .anyKernel))
struct LearnTests {
    private struct Learned: Decodable {
        struct Value: Decodable {
            let field: String
            let sureness: String
            let text: String?
            let value: Double?
            let low: Double?
            let high: Double?
        }
        let files: [String]
        let down: [Value]
        let up: [Value]

        func down(_ field: String) -> Value? { down.first { $0.field == field } }
        func up(_ field: String) -> Value? { up.first { $0.field == field } }
    }

    private static var linkcond: String {
        ProcessInfo.processInfo.environment["LINKCOND_BINARY"] ?? "linkcond"
    }

    /// Learns a link, and then that of the profile that came of it.
    ///
    /// - Parameter before: what a shell runs in the sandbox before.
    private func learn(
        _ profile: String..., options: [String] = [],
        server: String = "exec \(linkcond) learn --serve --quiet", isIPv4: Bool = false,
        before: String = ":", by caller: Caller = .root
    ) async throws -> Learned {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            let file = directory.path + "/learned.yaml"
            let result = try await SandboxedRun(
                arguments: profile + [
                    "--seed", "11", "--backend", "engine", "--uplink", "none", "--server",
                    server, "--server-ready", "46464", "--", "sh", "-c",
                    """
                    \(before)
                    exec "$0" learn learned "$@" --server $(
                        getent \(isIPv4 ? "ahostsv4" : "ahosts") server.linkcond |
                            awk 'NR == 1 { print $1 }')
                    """, Self.linkcond, "--output", file, "--json", "--quiet",
                ] + options, by: caller
            ).result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            try await JSONSchema("learn").expectValid(result.standardOutput)
            // What came of it is a profile, which replays at once.
            let replay = try await SandboxedRun(
                arguments: [file, "--uplink", "none", "--", "true"], by: caller
            ).result()
            #expect(replay.exitCode == 0, "\(replay.standardError)")
            return try JSONDecoder().decode(Learned.self, from: Data(result.standardOutput.utf8))
        }
    }

    @Test(arguments: [Caller.root, .ordinaryUser])
    func `bandwidth, delay and queue come back, also without root`(caller: Caller) async throws {
        let learned = try await learn("3G", by: caller)
        let rate = try #require(learned.down("bandwidth")?.value)
        #expect(abs(rate / 780_000 - 1) < 0.03)
        let delay = try #require(learned.up("delay")?.value)
        #expect(abs(delay - 100) < 2)
        let queue = try #require(learned.down("queue")?.value)
        #expect(abs(queue - 50) <= 5)
        #expect(learned.down("jitter")?.sureness == "notVisible")
    }

    @Test
    func `bursts of losses come back inside of their interval`() async throws {
        let learned = try await learn(
            "Cable", "--set", "down.loss={ mean: 5%, burst: 6 }", options: ["--time", "30s"])
        let loss = try #require(learned.down("loss"))
        #expect(loss.text?.contains("burst") == true)
        // The interval of 95 % is not meant for a test that has to pass always.
        let value = try #require(loss.value)
        #expect(abs(value / 0.05 - 1) < 0.6)
    }

    /// The other end is on another boot, with a clock of its own that began a day earlier.
    @Test(.requiresTimeNamespaces)
    func `over IPv4 from a host with another clock, only round trips are known`() async throws {
        let learned = try await learn(
            "DSL", "--set", "down.delay=45ms", "--set", "up.delay=15ms",
            server: """
                exec unshare --mount --time --fork --kill-child --monotonic 86400 --boottime 86400 \
                    sh -c 'file=$(mktemp)
                        echo 11111111-2222-3333-4444-555555555555 >$file
                        mount --bind $file /proc/sys/kernel/random/boot_id
                        rm $file
                        exec \(Self.linkcond) learn --serve --quiet'
                """, isIPv4: true)
        for value in [learned.down("delay"), learned.up("delay")] {
            #expect(value?.sureness == "bound")
            #expect(abs(try #require(value?.value) - 30) < 2)
        }
        #expect(abs(try #require(learned.down("bandwidth")?.value) / 2_000_000 - 1) < 0.03)
        #expect(abs(try #require(learned.up("queue")?.value) - 50) <= 5)
        #expect(learned.down("jitter")?.sureness == "notVisible")
    }

    /// Longer than the 15 attempts that TCP usually makes, of which these ends make one every second.
    @Test
    func `a link that is away for 20 seconds ends no measurement`() async throws {
        let learned = try await learn(
            "Cable", options: ["--time", "5s"],
            before: """
                (sleep 1
                nft 'table inet outage { chain input { type filter hook input priority 0;
                    tcp sport 46464 counter drop; }; }' &&
                    sleep 20 && nft list table inet outage | grep -q 'packets [1-9]' &&
                    nft delete table inet outage || kill $$) &
                """)
        #expect(abs(try #require(learned.down("bandwidth")?.value) / 6_000_000 - 1) < 0.03)
    }

    /// The ends have to agree in a black hole, too: what they say is longer than it lets through.
    @Test
    func `smaller MTUs of which nobody tells and an AQM are found`() async throws {
        let learned = try await learn(
            "Fast-4G", "--set", "up.mtu=700", "--set", "up.icmp=silent", "--set", "down.mtu=1300",
            "--set", "down.icmp=silent", "--set", "down.aqm=pie")
        #expect(learned.up("mtu")?.value == 700)
        #expect(learned.up("icmp")?.text == "silent")
        #expect(abs(try #require(learned.up("bandwidth")?.value) / 1_500_000 - 1) < 0.03)
        #expect(learned.down("mtu")?.value == 1300)
        #expect(learned.down("aqm")?.text != nil)
        #expect(learned.down("queue")?.value == nil)
    }
}
