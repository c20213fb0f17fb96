import Conditioner
import LinkModel
import LinkTesting
import LinkUnits
import Testing
import Verification

/// The instrument against links that others made: it has to find them right, and wrong.
@Suite("The measuring instrument", .serialized, .requiresNamespaces)
struct VerifyTests {
    @Test("A bare wire is a perfect link")
    func bareWire() async throws {
        try await TestNetwork.with { network in
            let checks = try await network.verify(LinkConditions())
            #expect(checks.failures.isEmpty, "\(checks.failures)")
            for c in checks {
                print(
                    c.direction, c.quantity, c.detail ?? "", c.expected ?? -1, c.measured ?? -1,
                    c.tolerance ?? -1, c.verdict)
            }
        }
    }

    @Test("A bare wire is not LTE")
    func wrong() async throws {
        try await TestNetwork.with { network in
            let way = DirectionConditions(
                bandwidth: .megabitsPerSecond(10), delay: .milliseconds(20),
                loss: .random(.percent(20)))
            let checks = try await network.verify(LinkConditions(down: way, up: way))
            for c in checks {
                print(
                    c.direction, c.quantity, c.detail ?? "", c.expected ?? -1, c.measured ?? -1,
                    c.tolerance ?? -1, c.verdict)
            }
        }
    }

    @Test("The bandwidth and the queue of the kernel's token bucket are what tc was told")
    func tokenBucket() async throws {
        try await TestNetwork.with { network in
            // 14 bytes of Ethernet for each packet: 4 Mbit/s of IP are 4.037 of frames.
            for namespace in [network.app, network.server] {
                _ = try await runProcess(
                    "tc",
                    [
                        "-n", namespace, "qdisc", "add", "dev", "eth0", "root", "tbf", "rate",
                        "4037333bit", "burst", "1600", "limit", "75700",
                    ])
            }
            let way = DirectionConditions(bandwidth: .megabitsPerSecond(4))
            let checks = try await network.verify(
                LinkConditions(down: way, up: way), effort: .normal)
            for c in checks {
                print(
                    c.direction, c.quantity, c.detail ?? "", c.expected ?? -1, c.measured ?? -1,
                    c.tolerance ?? -1, c.verdict)
            }
        }
    }
}
