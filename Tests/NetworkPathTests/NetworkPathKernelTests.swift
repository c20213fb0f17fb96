import Glibc
import LinkTesting
import LinuxKernel
import Netlink
import Synchronization
import Testing

@testable import NetworkPath

/// The monitor on real interfaces. One test after the other, since they count threads.
@Suite("The monitor", .serialized, .requiresNamespaces)
struct NetworkPathKernelTests {
    @Test func `the path is what the kernel has`() async throws {
        let network = try TestNamespace.phone()
        let path = try network.path()
        #expect(path.status == .satisfied && path.supportsIPv4 && !path.supportsIPv6)
        #expect(path.availableInterfaces.map(\.name) == ["wifi0", "cell0"])
        #expect(path.interfacesInUse.map(\.name) == ["wifi0"])
        #expect(path.interfaces.last?.kind == .loopback)
        #expect(path.gateways.map(\.description) == [TestNamespace.wifi, TestNamespace.cell])
        #expect(path.interfaces.first?.addresses == ["192.0.2.2", "fd00::2"])
        try network.shell("ip route add default via fd00::1 dev wifi0")
        #expect(try network.path().supportsIPv6)
        try network.shell("ip link add lcu9 type ifb; ip link set cell1 group 7181")
        // A kernel that has IP tunnels has this one in each namespace.
        let names = try network.path().interfaces.map(\.name).filter { $0 != "tunl0" }
        #expect(names == ["wifi0", "cell0", "wifi1", "lo"])
    }

    @Test func `every change is told, the first path at once`() async throws {
        let network = try TestNamespace.phone()
        let feed = network.feed()
        try await feed.path("the first path") { $0.interfacesInUse.map(\.name) == ["wifi0"] }

        try network.mark("wifi0", NetworkMark(cost: .expensive))
        try await feed.path("an override") { $0.isExpensive && !$0.isConstrained }
        try network.mark("wifi0", NetworkMark())
        try await feed.path("the end of an override") { !$0.isExpensive }
        try network.shell("ip route add default via \(TestNamespace.cell) dev cell0 metric 5")
        try await feed.path("a route") { $0.interfacesInUse.map(\.name) == ["cell0"] }
        try network.shell("ip route del default via \(TestNamespace.cell) dev cell0 metric 5")
        try await feed.path("the end of a route") { $0.interfacesInUse.map(\.name) == ["wifi0"] }
        try network.shell("ip address add 192.0.2.9/24 dev wifi0")
        try await feed.path("an address") {
            $0.interfaces.first?.addresses.contains("192.0.2.9") == true
        }
        try network.shell("ip route add default via fd00::1 dev wifi0")
        try await feed.path("a route of IPv6") { $0.supportsIPv6 }
        try network.shell("ip link add tun7 type veth peer name tun8")
        try await feed.path("an interface") { $0.interfaces.contains { $0.name == "tun7" } }
        try network.shell("ip link set tun7 name vpn7")
        try await feed.path("a name") { $0.interfaces.contains { $0.name == "vpn7" } }
        try network.shell("ip link del vpn7")
        try await feed.path("the end of an interface") {
            !$0.interfaces.contains { $0.name == "vpn7" }
        }
        try network.shell("ip link set wifi1 down")
        try await feed.path("a carrier that is lost") {
            $0.interfacesInUse.map(\.name) == ["cell0"]
        }
        try network.shell("ip link set cell0 down")
        try await feed.path("the last interface going down") {
            $0.status == .unsatisfied && $0.unsatisfiedReason != nil
        }
    }

    @Test func `requirements limit what is told`() async throws {
        let network = try TestNamespace.phone()
        let feed = network.feed(NetworkRequirements(requiredInterfaceKinds: [.cellular]))
        try await feed.path("that there is none") {
            $0.unsatisfiedReason == .notRequired(.wired)
        }
        try network.mark("cell0", NetworkMark(kind: .cellular))
        try await feed.path("the kind") {
            $0.status == .satisfied && $0.interfaces.map(\.name) == ["cell0"] && $0.isExpensive
        }
    }

    @Test func `a thousand overrides end in the last one, and none is invented`() async throws {
        let network = try TestNamespace.phone()
        let feed = network.feed()
        let states = [
            NetworkMark(), NetworkMark(cost: .expensive), NetworkMark(isConstrained: true),
        ]
        let known = states.map { [$0.makesExpensive(.wired), $0.makesConstrained] }
        let told = Mutex<[[Bool]]>([])
        let last = try await feed.path("the first path") { _ in true }
        #expect(!last.isExpensive)
        let end = Task {
            try await feed.path("the last state") { path in
                told.withLock { $0.append([path.isExpensive, path.isConstrained]) }
                return path.isExpensive && path.isConstrained
            }
        }
        try network.inside {
            let session = try NetlinkSession()
            let index = try #require(try session.link(named: "wifi0")).index
            for number in 1...1000 {
                let mark =
                    number == 1000
                    ? NetworkMark(cost: .expensive, isConstrained: true) : states[number % 3]
                try session.execute(
                    Link.setAlias(index: index, bytes: mark.written(into: []) ?? []),
                    attempt: "mark wifi0")
            }
        }
        let path = try await end.value
        #expect(path.isExpensive && path.isConstrained)
        for state in told.withLock({ $0 }).dropLast() { #expect(known.contains(state)) }
    }

    @Test func `while routes move from one interface to another there is always a path`()
        async throws
    {
        let network = try TestNamespace.phone()
        try network.shell("ip route del default dev cell0; ip route del default dev wifi0")
        try network.shell("ip route add default via \(TestNamespace.wifi) dev wifi0 metric 9")
        let feed = network.feed()
        let told = Mutex<[[String]]>([])
        let end = Task {
            try await feed.path("the last state") { path in
                told.withLock { $0.append(path.interfacesInUse.map(\.name)) }
                return path.supportsIPv6
            }
        }
        let (wifi, cell) = (TestNamespace.wifi, TestNamespace.cell)
        try network.shell(
            """
            for round in $(seq 250); do
                echo "route add default via \(cell) dev cell0 metric 8"
                echo "route del default via \(wifi) dev wifi0 metric 9"
                echo "route add default via \(wifi) dev wifi0 metric 9"
                echo "route del default via \(cell) dev cell0 metric 8"
            done | ip -batch -
            ip route add default via fd00::1 dev wifi0
            """)
        let path = try await end.value
        #expect(path.interfacesInUse.map(\.name) == ["wifi0"])
        for names in told.withLock({ $0 }) {
            #expect(names == ["wifi0"] || names == ["cell0"], "was \(names)")
        }
    }

    @Test func `what the socket has no room for is found out all the same`() async throws {
        let isMarked = try await withNewNamespace {
            // So that a change that is missed ends the test, and not its time.
            let rescue = try shell(
                """
                ip link add w0 up type veth peer name w1
                setsid sh -c 'sleep 30; ip link set w0 down' >/dev/null 2>&1 & echo $!
                """)
            defer { _ = try? shell("kill -- -\(rescue)") }
            var states: [Bool] = []
            try NetworkPath.watch { path in
                let w0 = try #require(path.interfaces.first { $0.name == "w0" })
                states.append(w0.isExpensive)
                guard states.count == 1 else { return false }
                let session = try NetlinkSession()
                let index = try #require(try session.link(named: "w0")).index
                // More events than the socket holds, while nobody reads them.
                var (number, hasOverflowed) = (0, false)
                while !hasOverflowed, number < 500_000 {
                    number += 1
                    let mark = NetworkMark(isConstrained: number.isMultiple(of: 2))
                    try session.execute(
                        Link.setAlias(index: index, bytes: mark.written(into: []) ?? []),
                        attempt: "mark w0")
                    // Asked until it says so: the kernel may leave sockets out of its table while
                    // others open and close theirs.
                    if number.isMultiple(of: 1000) { hasOverflowed = try Self.hasOverflowed() }
                }
                #expect(hasOverflowed, "after \(number) changes")
                try session.execute(
                    Link.setAlias(
                        index: index, bytes: NetworkMark(cost: .expensive).written(into: []) ?? []),
                    attempt: "mark w0")
                return true
            }
            return states
        }
        #expect(isMarked == [false, true])
    }

    @Test func `several monitors see the same, and nothing is left of them`() async throws {
        let network = try TestNamespace.phone()
        do {
            let feeds = (0..<8).map { _ in network.feed() }
            for feed in feeds { try await feed.path("the first path") { !$0.isExpensive } }
            while try Self.sockets(network) < 16 { try await Task.sleep(for: .milliseconds(1)) }
            try network.mark("wifi0", NetworkMark(cost: .expensive))
            for feed in feeds { try await feed.path("an override") { $0.isExpensive } }
        }
        try await Self.expectNothingLeft(network)
    }

    @Test func `cancelling the task ends the loop and all that belongs to it`() async throws {
        let network = try TestNamespace.phone()
        for _ in 0..<20 {
            let task = Task {
                let feed = network.feed()
                while try await feed.next() != nil {}
            }
            while try Self.sockets(network) < 2 { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            try await task.value
        }
        try await Self.expectNothingLeft(network)
    }

    @Test func `a loop over this host's path begins at once and can be left`() async throws {
        for try await path in NetworkPathMonitor() {
            #expect(path == path.limited(to: .none))
            break
        }
        let cancelled = Task {
            for try await _ in NetworkPathMonitor(requiredInterfaceType: .loopback) {}
        }
        cancelled.cancel()
        try await cancelled.value
        try await Self.expectNothingLeft()
    }

    @Test func `waiting ends with what was waited for, or says what stood against it`() async throws
    {
        let monitor = NetworkPathMonitor()
        let anything = NetworkRequirements(requiredInterfaceKinds: [])
        // The host may well have no network at all.
        if try NetworkPath.current().status == .satisfied {
            #expect(try await monitor.waitUntilSatisfied(anything).status == .satisfied)
        }
        let impossible = NetworkRequirements(
            prohibitedInterfaceKinds: Set(NetworkInterface.Kind.allCases))
        let error = try await #require(throws: NetworkPathError.self) {
            try await monitor.waitUntilSatisfied(impossible, timeout: .milliseconds(300))
        }
        if case .timedOut(let path, let reasons) = error {
            #expect(path == nil || !reasons.isEmpty)
        } else {
            Issue.record("\(error)")
        }
        let task = Task { try await monitor.waitUntilSatisfied(impossible) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await Self.expectNothingLeft()
    }

    /// Whether a netlink socket of the calling thread's namespace has dropped messages.
    private static func hasOverflowed() throws -> Bool {
        let sockets = try SmallFile.read("/proc/thread-self/net/netlink")
        return sockets.split(separator: "\n").dropFirst().contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 8 && Int(fields[8]).map { $0 > 0 } == true
        }
    }

    /// Waits until no monitor has sockets in the namespace, nor threads. Processes that other tests
    /// start have our sockets open until they execute their programs.
    private static func expectNothingLeft(
        _ network: TestNamespace? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<300 {
            let sockets = try network.map(sockets) ?? 0
            if sockets == 0, threads() == 0 { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("something of a monitor is left", sourceLocation: sourceLocation)
    }

    /// The sockets of processes that listen in the namespace.
    private static func sockets(_ network: TestNamespace) throws -> Int {
        let lines = try network.inside {
            try SmallFile.read("/proc/thread-self/net/netlink").split(separator: "\n")
        }
        // Address, protocol, port; that of the kernel's own sockets is zero.
        return lines.dropFirst().count { $0.split(separator: " ")[2] != "0" }
    }

    /// Threads of this process that watch paths.
    private static func threads() -> Int {
        let found = try? shell("cat /proc/\(getpid())/task/*/comm 2>/dev/null || true")
        return (found ?? "").split(separator: "\n").count { $0 == "network path" }
    }
}
