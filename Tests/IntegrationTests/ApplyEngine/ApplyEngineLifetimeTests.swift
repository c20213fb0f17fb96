import Foundation
import LinkTesting
import Testing

/// How the packet engine of a host begins, follows its interfaces, and ends.
@Suite("Lifetime of apply with the packet engine", .requiresEngineHooks, .tags(.anyKernel))
struct ApplyEngineLifetimeTests {
    @Test func `one engine serves several interfaces, which come and go one by one`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.batch(
                """
                link add x0 type veth peer name x1
                link set x0 addrgenmode none up
                link set x1 addrgenmode none up
                """, in: network.app)
            try await network.applyEngine("LTE", "-i", "eth0", "-i", "x0")
            try await network.applyEngine("3G", "-i", "x1", "--direction", "up")
            #expect(try await network.engineProcesses().count == 1)
            var conditioned = try await network.status().conditioned
            #expect(conditioned.map(\.interface) == ["eth0", "x0", "x1"])
            #expect(conditioned[2].down == nil && conditioned[2].up?.delayMilliseconds == 100)
            // Its wires go with the interface, here by the engine's hand, and those of its peer.
            try await network.batch("link del x0", in: network.app)
            for _ in 0..<100 where conditioned.count > 1 {
                try await Task.sleep(for: .milliseconds(50))
                conditioned = try await network.status().conditioned
            }
            #expect(conditioned.map(\.interface) == ["eth0"])
            let links = try await network.run("ip", ["-o", "link"]).standardOutput
            #expect(links.split(separator: "\n").count { $0.contains(": lc") } == 4, "\(links)")
        }
    }

    @Test func `a renamed interface with another address stays conditioned`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            try await network.batch(
                "link set eth0 down\nlink set eth0 name wan0 address 02:00:00:00:00:77 up",
                in: network.app)
            for _ in 0..<100 {
                let status = try await network.engineStatus()
                if status.interface == "wan0" { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            let time = try await network.shortestRoundTrip(to: TestNetwork.serverIPv4)
            #expect(time >= 114.9)
            // By its address other programs know it.
            let links = try await network.run("ip", ["-o", "link"]).standardOutput
            #expect(links.matches(of: /ether 02:00:00:00:00:77/).count == 1, "\(links)")
            try await network.mustRun("clear", "-i", "wan0")
            try await network.batch(
                "link set wan0 down\nlink set wan0 name eth0 up", in: network.app)
        }
    }

    @Test func `it is found again when somebody has removed its socket`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let socket = "linkcond-engine-$(stat -L -c %i /proc/self/ns/net)"
            let removal = try await network.run(
                "sh", ["-c", "rm /run/linkcond-services/\(socket)"])
            try #require(removal.exitCode == 0, "\(removal)")
            try await network.wait {
                try await network.status().conditioned.allSatisfy { $0.defect == nil }
            }
            #expect(try await network.engineStatus().defect == nil)
        }
    }

    /// As where root may not raise the limit, for example in a container.
    @Test func `with few descriptors it refuses in time, and can be cleared`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.batch(
                "link add x0 type veth peer name x1\nlink set x0 addrgenmode none up",
                in: network.app)
            let apply = "\(try TestNetwork.program()) apply LTE --backend engine"
            for (limit, fewest) in [(20, "64"), (64, "more")] {
                let script = "ulimit -n \(limit); \(apply); exec \(apply) -i x0"
                let result = try await network.run(
                    "setpriv", ["--bounding-set=-sys_resource", "sh", "-c", script])
                #expect(result.exitCode == 69, "\(result)")
                #expect(
                    result.standardError.contains("needs \(fewest) descriptors"), "\(result)")
                try await network.mustRun("clear")
            }
            try await network.batch("link del x0", in: network.app)
        }
    }

    /// The kernel knows by the address what is for this host, where no program can tell it.
    @Test(
        .enabled(if: EngineHooks.available.contains(.nftables), "nftables has no netdev hooks"),
        .enabled(if: hasPrograms("strace"), "strace is not installed"))
    func `without eBPF a wire has the address of its interface, also a new one`() async throws {
        try await TestNetwork.withEngine { network in
            // It stays until the engine ends.
            let script = """
                strace -f -qq -o /dev/null -e trace=bpf -e inject=bpf:error=EPERM \
                    "$0" apply LTE --backend engine >/dev/null 2>&1 &
                """
            _ = try await network.run("sh", ["-c", script, TestNetwork.program()])
            try await network.wait { try await !network.status().conditioned.isEmpty }
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
            try await network.batch(
                "link set eth0 down\nlink set eth0 address 02:00:00:00:00:77 up", in: network.app)
            try await network.wait {
                let links = try await network.run("ip", ["-o", "link"]).standardOutput
                return links.matches(of: /ether 02:00:00:00:00:77/).count == 2
            }
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
            try await network.mustRun("clear")
        }
    }

    @Test(.requiresTimeNamespaces)
    func `the end is told by the wall clock as it is set now`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--for", "3 h")
            // As if the wall clock had been set back by two hours: it is behind by that there.
            let shifted = try await network.run(
                "unshare",
                ["--time", "--boottime", "7200", TestNetwork.program(), "status", "--json"])
            let status = try JSONDecoder().decode(
                Status.self, from: Data(shifted.standardOutput.utf8))
            let moments = try await [status, network.status()].map {
                try Date.ISO8601FormatStyle().parse(#require($0.conditioned.first?.until))
            }
            #expect(abs(moments[0].distance(to: moments[1]) - 7200) <= 1, "\(moments)")
        }
    }

    @Test func `two applies at once: one does it, the other says so`() async throws {
        try await TestNetwork.withEngine { network in
            async let first = network.linkcond("apply", "LTE", "--backend", "engine")
            async let second = network.linkcond("apply", "3G", "--backend", "engine")
            let results = try await [first, second]
            #expect(results.map(\.exitCode).sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 64])
            #expect(results.contains { $0.standardError.contains("conditioned with") })
            #expect(try await network.engineProcesses().count == 1)
        }
    }

    @Test func `told to end, the engine takes everything with it`() async throws {
        try await TestNetwork.withEngine { network in
            let before = try await network.engineState()
            try await network.applyEngine("LTE")
            try await network.killEngine(signal: SIGTERM)
            try await network.expectNothingLeft(since: before)
        }
    }

    @Test func `when nft was killed the engine ends, and it is known that there were conditions`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let pids = try await runProcess("ip", ["netns", "pids", network.app]).standardOutput
            let engine = try #require(try await network.engineProcesses().first)
            for pid in pids.split(whereSeparator: \.isNewline).compactMap({ Int32($0) })
            where pid != engine {
                kill(pid, SIGKILL)
            }
            try await network.wait { try await network.engineProcesses().isEmpty }
            let status = try await network.engineStatus()
            #expect(status.problem?.contains("was killed") == true, "\(status)")
            #expect(status.profile == "apple/LTE" && status.down == nil)
            #expect(try await !network.engineState().contains("linkcond_"))
        }
    }

    @Test func `a dead engine's interface is conditioned anew`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            try await network.killEngine()
            try await network.applyEngine("3G")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 199.9)
        }
    }

    @Test func `a namespace that is deleted does not live on for the engine`() async throws {
        let namespace = "lctest-gone-\(ProcessInfo.processInfo.processIdentifier)"
        try await TestNetwork.with { network in
            try await network.batch(
                """
                netns add \(namespace)
                link add x0 netns \(namespace) type veth peer name x1 netns \(namespace)
                """)
            try await network.batch("link set x0 up", in: namespace)
            let applied = try await runProcess(
                "ip",
                [
                    "netns", "exec", namespace, try TestNetwork.program(), "apply", "LTE", "-i",
                    "x0", "--backend", "engine",
                ])
            #expect(applied.exitCode == 0, "\(applied.standardError)")
            let pids = try await runProcess("ip", ["netns", "pids", namespace]).standardOutput
            let process = try #require(
                pids.split(whereSeparator: \.isNewline).first.flatMap { Int32($0) })
            try await network.batch("netns del \(namespace)")
            for _ in 0..<600 where kill(process, 0) == 0 {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(kill(process, 0) != 0)
        }
    }
}
