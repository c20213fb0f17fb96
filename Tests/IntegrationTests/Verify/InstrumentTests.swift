import KernelPlane
import LinkModel
import LinkTesting
import LinkUnits
import Testing
import Verification

/// The instrument against links that others made: it has to find them right, and wrong.
@Suite("Verify: the measuring instrument", .serialized, .requiresNamespaces)
struct VerifyInstrumentTests {
    @Test func `a bare wire is a perfect link`() async throws {
        try await TestNetwork.with { network in
            let checks = try await network.verify(LinkConditions())
            #expect(checks.failures.isEmpty, "\(checks.failures)")
            #expect(checks.count { $0.verdict == .passed } >= 10, "\(checks)")
        }
    }

    @Test func `a bare wire is no link with delay, loss and little bandwidth`() async throws {
        try await TestNetwork.with { network in
            let way = DirectionConditions(
                bandwidth: .megabitsPerSecond(1), delay: .milliseconds(20),
                loss: .random(.percent(20)))
            let checks = try await network.verify(LinkConditions(down: way, up: way))
            for direction in Direction.allCases {
                for quantity in [Check.Quantity.delay, .loss, .bandwidth] {
                    #expect(
                        checks.failures.contains {
                            $0.direction == direction && $0.quantity == quantity
                        }, "\(direction) \(quantity) of \(checks)")
                }
            }
        }
    }

    @Test(.tags(.measure)) func `the kernel's token bucket has the bandwidth that tc was told`()
        async throws
    {
        try await TestNetwork.with { network in
            // 14 bytes of Ethernet for each packet: 2 Mbit/s of IP are 2.019 of frames.
            for namespace in [network.app, network.server] {
                _ = try await runProcess(
                    "tc",
                    [
                        "-n", namespace, "qdisc", "add", "dev", "eth0", "root", "tbf", "rate",
                        "2018667bit", "burst", "1600", "limit", "75700",
                    ])
            }
            let way = DirectionConditions(bandwidth: .megabitsPerSecond(2))
            let checks = try await network.verify(LinkConditions(down: way, up: way))
                .filter { $0.quantity == .bandwidth }
            #expect(checks.map(\.verdict) == [.passed, .passed], "\(checks)")
        }
    }
}
