import Foundation
import LinkTesting
import Testing

/// Conditions for what programs of one name send and receive.
@Suite(
    "Apply by the name of a program with the packet engine", .requiresEngineHooks,
    .requiresKernelTypes, .tags(.anyKernel),
    .enabled(if: hasPrograms("ping", "python3"), "ping or python3 is missing"))
struct ApplyEngineProcessTests {
    /// How a program comes to its name.
    enum Naming: CaseIterable {
        /// The file has the name, and is started by a link that has another.
        case file
        /// A link has the name, by which it is started.
        case link
        /// The first argument has it, which whoever starts it chooses.
        case argument
        /// A script has it, and the interpreter another; it is longer than a thread's name.
        case script
    }

    @Test(arguments: Naming.allCases)
    func `a program is known by each of its names, and others are left alone`(
        naming: Naming
    ) async throws {
        try await withTemporaryDirectory { directory in
            // A ping whose name ends with 4 or 6 takes only addresses of that version.
            let length = naming == .script ? 36 : 7
            let name = "chosen \(UUID().uuidString.prefix(length))x"
            let program = try makeProgram(name, naming, in: directory)
            try await TestNetwork.withEngine { network in
                try await network.applyEngine("LTE", "--process", name)
                let time = try await network.shortestPing(program)
                #expect(time >= 114.9)
                try await network.expectFast { try await network.shortestPing(["ping"]) }
                #expect(try await network.engineStatus().selectors == ["--process \(name)"])
            }
        }
    }

    /// The words that start a ping called so.
    private func makeProgram(
        _ name: String, _ naming: Naming, in directory: TemporaryDirectory
    ) throws -> [String] {
        let path = "\(directory.path)/\(name)"
        let ping = try shell("readlink -f \"$(command -v ping)\"")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        switch naming {
        case .file:
            _ = try shell("cp '\(ping)' '\(path)' && ln -s '\(name)' '\(directory.path)/link'")
            return ["\(directory.path)/link"]
        case .link:
            _ = try shell("ln -s '\(ping)' '\(path)'")
            return [path]
        case .argument:
            return ["bash", "-c", "exec -a '/no/such/\(name)' '\(ping)' \"$@\"", "bash"]
        case .script:
            let script = """
                #!\(try shell("command -v python3").trimmingCharacters(in: .whitespacesAndNewlines))
                import socket, sys, time
                for number in range(4):
                    began = time.monotonic()
                    socket.socket().connect_ex((sys.argv[-1], 7))
                    print("=", f"{1000 * (time.monotonic() - began)}/")
                """
            let file = try directory.write(Data(script.utf8), to: name)
            _ = try shell("chmod +x '\(file)'")
            return [file]
        }
    }

    @Test(arguments: [TestNetwork.serverIPv4, TestNetwork.serverIPv6])
    func `open connections, threads and children of a program are conditioned, until it is cleared`(
        server: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let name = "chosen-\(UUID().uuidString.prefix(8))"
            let python = "\(directory.path)/\(name)"
            _ = try shell("ln -s \"$(command -v python3)\" \(python)")
            try await TestNetwork.withEngine { network in
                let near = server.contains(":") ? TestNetwork.appIPv6 : TestNetwork.appIPv4
                let result = try await network.run(
                    python,
                    [
                        "owned.py".absoluteFixture, try TestNetwork.program(), network.server,
                        server, near, "LTE", "--backend", "engine", "--process", name,
                    ])
                #expect(result.exitCode == 0, "\(result)")
                var times = try JSONDecoder().decode(
                    [String: Double].self, from: Data(result.standardOutput.utf8))
                #expect(times.removeValue(forKey: "cleared") ?? 1 <= 0.05)
                #expect(times.count == 5 && times.values.allSatisfy { $0 >= 0.1149 }, "\(times)")
                #expect(!result.standardError.contains("runs now"), "\(result)")
            }
        }
    }

    @Test(arguments: [TestNetwork.serverIPv4, TestNetwork.serverIPv6])
    func `open connections of others are as fast as before, and keep marks of their own`(
        server: String
    ) async throws {
        try await TestNetwork.withEngine { network in
            async let served = runProcess(
                "nsenter",
                [
                    "--net=/run/netns/\(network.server)", "timeout", "60", "python3", "-c",
                    Self.echo,
                    server,
                ])
            try await network.applyEngine("LTE", "--process", "no-such")
            _ = try await network.run(
                "nft",
                [
                    "add table netdev t; add chain netdev t up { type filter hook egress device "
                        + "\(TestNetwork.interface) priority 1; }; "
                        + "add rule netdev t up tcp dport 80 meta mark 5 counter; "
                        + "add rule netdev t up tcp dport 80 meta mark != { 0, 5 } counter"
                ])
            for mark in ["0", "5"] {
                let client = try await network.run(
                    "python3", ["-c", Self.roundTrips, server, mark])
                let time = try #require(Double(client.standardOutput.dropLast()), "\(client)")
                #expect(time < 0.05)
            }
            #expect(try await served.exitCode == 0)
            let rules = try await network.run("nft", ["list", "table", "netdev", "t"])
            let counts = rules.standardOutput.matches(of: /counter packets (\d+)/)
                .compactMap { Int($0.1) }
            #expect(counts.count == 2 && counts[0] >= 20 && counts[1] == 0, "\(rules)")
            _ = try await network.run("nft", ["delete table netdev t"])
        }
    }

    /// Answers on two connections, one after the other.
    private static let echo = """
        import socket, sys
        listener = socket.create_server(
            (sys.argv[1], 80), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
        for stream, _ in (listener.accept() for _ in range(2)):
            while content := stream.recv(64):
                stream.sendall(content)
        """

    /// The shortest of 20 round trips on one connection, whose packets have a mark.
    private static let roundTrips = """
        import socket, sys, time
        while True:
            stream = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
            stream.setsockopt(socket.SOL_SOCKET, 36, int(sys.argv[2]))
            if stream.connect_ex((sys.argv[1], 80)) == 0:
                break
        def round_trip():
            began = time.monotonic()
            stream.sendall(b"?")
            stream.recv(1)
            return time.monotonic() - began
        print(min(round_trip() for _ in range(20)))
        """

    @Test func `several names, a user and a loopback go together`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.mustRun(
                "apply", "LTE", "-i", "lo", "--process", "no-such", "--process", "ping", "--user",
                "0")
            try await network.mustRun(
                "apply", "3G", "-i", "lo", "--name", "rest", "--process", "python3", "--port", "9")
            for address in ["127.0.0.1", "::1"] {
                #expect(try await network.shortestPing(["ping"], address) >= 114.9)
            }
            try await network.mustRun("clear", "-i", "lo", "--name", "default")
            try await network.expectFast { try await network.shortestPing(["ping"], "::1") }
        }
    }

    @Test func `a program that does not run yet is conditioned when it starts`() async throws {
        try await TestNetwork.withEngine { network in
            let name = "later-\(UUID().uuidString.prefix(8))"
            let said = try await network.applyEngine("LTE", "--process", name)
            #expect(said.contains("no program called \(name) runs now"), "\(said)")
        }
    }

    @Test func `a killed engine leaves no programs in the kernel`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--process", "ping")
            let engine = try #require(try await network.engineProcesses().first)
            let links = try kernelLinks(of: engine)
            #expect(links.count == 2)
            #expect(try await areThere(links))
            try await network.killEngine()
            try await network.expectFast { try await network.shortestPing(["ping"]) }
            try await network.wait { try await !areThere(links) }
            #expect(try await !areThere(links))
        }
    }

    @Test func `conditions without programs' names keep no programs in the kernel`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--user", "0")
            try await network.applyEngine("LTE", "--name", "x", "--process", "ping")
            let engine = try #require(try await network.engineProcesses().first)
            #expect(try kernelLinks(of: engine).count == 2)
            try await network.mustRun("clear", "--name", "x")
            #expect(try kernelLinks(of: engine) == [])
        }
    }

    /// The numbers by which the kernel knows the programs that a process has attached.
    private func kernelLinks(of process: Int32) throws -> [Int] {
        let directory = "/proc/\(process)"
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(directory)/fd")
        return files.compactMap { file in
            let info = try? String(contentsOfFile: "\(directory)/fdinfo/\(file)", encoding: .utf8)
            return info?.firstMatch(of: /link_id:\s*(\d+)/).flatMap { Int($0.1) }
        }
    }

    /// Whether the kernel has one of them still.
    private func areThere(_ links: [Int]) async throws -> Bool {
        // bpf(BPF_LINK_GET_FD_BY_ID).
        let script = """
            import ctypes, platform, sys
            number = {"x86_64": 321, "aarch64": 280}[platform.machine()]
            for link in sys.argv[1:]:
                attributes = (ctypes.c_uint32 * 32)(int(link))
                print(ctypes.CDLL(None).syscall(number, 30, attributes, 128))
            """
        let result = try await runProcess("python3", ["-c", script] + links.map(String.init))
        #expect(result.exitCode == 0, "\(result)")
        return result.standardOutput.split(separator: "\n").contains { $0 != "-1" }
    }

    @Test(arguments: ["", "/usr/bin/curl", "a\nb", String(repeating: "x", count: 256)])
    func `what is no name of a program is refused`(name: String) async throws {
        let applied = try await runProcess(
            try TestNetwork.program(), ["apply", "LTE", "--dry-run", "--process", name])
        #expect(applied.exitCode == 64, "\(applied)")
        #expect(applied.standardError.contains("--process"), "\(applied)")
    }

    @Test func `filters of tc cannot choose by program`() async throws {
        try await TestNetwork.withEngine { network in
            let engine = try await network.applyEngine(by: .clsact, "LTE", "--process", "curl")
            #expect(engine.exitCode == 69 && engine.standardError.contains("take nftables"))
            let kernel = try await network.linkcond(
                "apply", "LTE", "--process", "curl", "--backend", "kernel")
            #expect(kernel.exitCode == 69, "\(kernel)")
        }
    }
}

extension TestNetwork {
    /// The shortest round trip that a kind of ping finds, in milliseconds.
    fileprivate func shortestPing(
        _ program: [String], _ address: String = serverIPv4
    ) async throws -> Double {
        // Neighbours are found out first.
        _ = try await run("ping", ["-c", "1", "-w", "20", "-q", address])
        let ping = try await run(
            program[0], program.dropFirst() + ["-c", "4", "-i", "0.2", "-q", address])
        let times = ping.standardOutput.matches(of: /= ([0-9.]+)\//).compactMap { Double($0.1) }
        guard ping.exitCode == 0, let time = times.min() else {
            throw Failure("\(program) said: \(ping)")
        }
        return time
    }
}
