import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import PacketEngine
import Testing

@testable import PacketLoop

/// Programs on two hosts, and a loop between them. Times are judged by their medians.
@Suite("Traffic across a loop", .serialized, .requiresNamespaces)
struct LoopTrafficTests {
    private static func both(_ conditions: DirectionConditions) -> LinkConditions {
        LinkConditions(down: conditions, up: conditions)
    }

    private static let delay = both(.init(delay: .milliseconds(20)))

    @Test
    func `Pings take two delays, small and large, over IPv4 and IPv6`() async throws {
        try await TestRoute.with(Self.delay) { route in
            for address in [TestRoute.farIPv4, TestRoute.farIPv6] {
                // 1,452 bytes fill a packet; 9,000 are fragments.
                for size in [56, 1452, 9000] {
                    let times = try route.roundTrips(to: address, size: size)
                    #expect(times[0] >= 40 && times[7] < 50, "\(address), \(size): \(times)")
                }
            }
            #expect(route.loop.statistics.up.unwantedDrops == 0)
        }
    }

    @Test
    func `TCP arrives as it was sent, whatever the link does`() async throws {
        let some = Ratio(knownPartsPerBillion: 20_000_000)
        let cases: [(DirectionConditions, Int)] = [
            (.init(), 50_000_000),
            (.init(delay: .milliseconds(5)), 20_000_000),
            (.init(bandwidth: .megabitsPerSecond(100)), 10_000_000),
            (.init(bandwidth: .megabitsPerSecond(20_000)), 50_000_000),
            (
                .init(
                    delay: .milliseconds(2), jitter: Jitter(amount: .milliseconds(1)),
                    loss: .random(some)), 1_000_000
            ),
            (.init(delay: .milliseconds(1), corrupt: some), 1_000_000),
            (
                .init(
                    delay: .milliseconds(1), duplicate: some, reorder: Reordering(mean: some)),
                1_000_000
            ),
        ]
        for (conditions, count) in cases {
            try await TestRoute.with(Self.both(conditions)) { route in
                try route.echo(count, over: TestRoute.farIPv4)
                try route.echo(count, over: TestRoute.farIPv6)
                let statistics = route.loop.statistics
                #expect(statistics.up.unwantedDrops == 0 && statistics.down.unwantedDrops == 0)
                let isCut = statistics.up.link.arrivedPackets > count / 1500
                #expect(isCut == (conditions != .init(delay: conditions.delay)))
                let errors = try route.checksumErrors()
                #expect((errors.reduce(0, +) > 0) == (conditions.corrupt > .zero))
            }
        }
    }

    @Test
    func `The kernel finds nothing wrong with what was cut and joined`() async throws {
        // Without offloads the kernel cuts what the loop sends, finishes its checksums, and
        // verifies them where they arrive.
        let conditions = Self.both(.init(bandwidth: .megabitsPerSecond(2000)))
        let offloadsOff =
            "for i in app far; do ethtool -K $i tx off gso off tso off >/dev/null; done"
        for setUp in ["", offloadsOff] {
            try await TestRoute.with(conditions, setUp: setUp) { route in
                try route.echo(20_000_000, over: TestRoute.farIPv4)
                try route.echo(20_000_000, over: TestRoute.farIPv6)
                for address in [TestRoute.farIPv4, TestRoute.farIPv6] {
                    #expect(try route.datagrams(to: address) == "600 of 1000 bytes, as sent\n")
                }
                #expect(try route.checksumErrors().allSatisfy { $0 == 0 })
            }
        }
    }

    @Test
    func `Packets that came one by one and leave together arrive as few`() async throws {
        // Of 1,448 bytes at most, and more acknowledgements of what comes back.
        let count = 50_000_000 / 1448
        try await Self.expectFew(count / 8, of: count, without: "tx off sg off gso off tso off") {
            try $0.echo(50_000_000, over: $1)
        }
    }

    @Test
    func `Datagrams that came one by one and leave together arrive as few`() async throws {
        let most = KernelRelease.running.carriesDatagramTrains ? 100 : 700
        try await Self.expectFew(most, of: 600, without: "gso off tx-udp-segmentation off") {
            let arrived = try $0.datagrams(to: $1)
            #expect(arrived == "600 of 1000 bytes, as sent\n")
        }
    }

    /// Expects that at least `count` packets, which an app sends without these offloads, arrive intact in
    /// fewer than `most` frames.
    private static func expectFew(
        _ most: Int, of count: Int, without offloads: String,
        _ send: @Sendable (_ route: TestRoute, _ address: String) throws -> Void
    ) async throws {
        try await TestRoute.with(both(.init(bandwidth: .megabitsPerSecond(20_000)))) { route in
            try route.onApp("ethtool -K eth0 \(offloads)")
            for address in [TestRoute.farIPv4, TestRoute.farIPv6] {
                let before = try route.framesOfFar()
                try send(route, address)
                let frames = try route.framesOfFar() - before
                #expect(frames < most, "\(frames)")
            }
            let statistics = route.loop.statistics
            #expect(statistics.up.link.deliveredPackets >= 2 * count)
            #expect(statistics.up.unwantedDrops == 0 && statistics.down.unwantedDrops == 0)
            #expect(try route.checksumErrors().allSatisfy { $0 == 0 })
        }
    }

    @Test
    func `A bandwidth is kept`() async throws {
        let conditions = Self.both(.init(bandwidth: .megabitsPerSecond(50)))
        try await TestRoute.with(conditions) { route in
            let start = ContinuousClock.now
            try route.echo(5_000_000, over: TestRoute.farIPv4)
            // There and back, 5 MB and headers take 0.83 s each.
            let time = ContinuousClock.now - start
            #expect(time > .seconds(1.6) && time < .seconds(8), "\(time)")
        }
    }
}

extension TestRoute {
    /// How many frames, super-packets among them, the far host has received.
    fileprivate func framesOfFar() throws -> Int {
        let text = try onFar("grep eth0 /proc/net/dev")
        return try #require(text.firstMatch(of: /eth0: *[0-9]+ +([0-9]+)/).flatMap { Int($0.1) })
    }

    /// Sends 600 datagrams, 20 in one system call and one super-packet (`UDP_SEGMENT`), and says
    /// what arrived.
    fileprivate func datagrams(to address: String) throws -> String {
        let receiver = """
            import random, socket
            family = socket.AF_INET6 if ":" in "\(address)" else socket.AF_INET
            receiver = socket.socket(family, socket.SOCK_DGRAM)
            receiver.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)
            receiver.bind(("\(address)", 5001))
            # The sender may be long in starting.
            receiver.settimeout(20)
            print("ready", flush=True)
            received = []
            try:
                while len(received) < 600: received.append(receiver.recv(4000))
            except TimeoutError: pass
            sizes = ", ".join(str(size) for size in sorted({len(data) for data in received}))
            isRight = b"".join(received) == random.Random(1).randbytes(600_000)
            print(len(received), "of", sizes, "bytes,", "as sent" if isRight else "other ones")
            """
        let sender = """
            import random, socket, time
            family = socket.AF_INET6 if ":" in "\(address)" else socket.AF_INET
            sender = socket.socket(family, socket.SOCK_DGRAM)
            sender.setsockopt(socket.IPPROTO_UDP, 103, 1000)
            content = random.Random(1).randbytes(600_000)
            for start in range(0, 600_000, 20_000):
                sender.sendto(content[start:start + 20_000], ("\(address)", 5001))
                time.sleep(0.005)
            """
        return try converse(far: receiver, app: sender)
    }
}
