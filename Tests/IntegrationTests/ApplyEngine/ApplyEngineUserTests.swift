import Foundation
import LinkTesting
import Testing

/// Conditions for what the programs of one user send and receive.
@Suite(
    "Apply by user with the packet engine", .requiresEngineHooks, .tags(.anyKernel),
    .enabled(if: hasPrograms("setpriv", "curl", "python3"), "setpriv, curl or python3 is missing"))
struct ApplyEngineUserTests {
    /// Numbers that have no name here, so that no other program runs as these users.
    private static let chosen = 4_011_101
    private static let other = 4_011_102

    @Test(arguments: [TestNetwork.serverIPv4, TestNetwork.serverIPv6])
    func `both ways of the user are conditioned, and nobody else's`(server: String) async throws {
        try await TestNetwork.withEngine { network in
            try await network.withWebServer {
                try await network.applyEngine("LTE", "--user", "\(Self.chosen)")
                #expect(try await network.ping(server, as: Self.chosen) >= 114.9)
                #expect(try await network.ping(server, as: Self.other) < 50)
                #expect(try await network.connect(to: server, as: Self.chosen) >= 0.1149)
                #expect(try await network.connect(to: server, as: Self.other) < 0.05)
                let status = try await network.engineStatus()
                #expect(status.selectors == ["--user \(Self.chosen)"])
                let rules = try await network.run("nft", ["list", "ruleset"])
                #expect(rules.exitCode == 0, "\(rules.standardError)")
            }
        }
    }

    @Test(arguments: [(direction: "down", atLeast: 49.9), ("up", 64.9)])
    func `one direction is conditioned alone`(
        direction: String, atLeast: Double
    ) async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine(
                "LTE", "--user", "\(Self.chosen)", "--direction", direction)
            let time = try await network.ping(TestNetwork.serverIPv4, as: Self.chosen)
            #expect(time >= atLeast && time < 114)
            #expect(try await network.ping(TestNetwork.serverIPv4, as: Self.other) < 49)
        }
    }

    @Test func `an exception of a way down does not keep later conditions from the way up`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine(
                "3G", "--user", "\(Self.chosen)", "--direction", "down", "--except",
                "protocol=icmp")
            try await network.applyEngine("LTE", "--name", "rest", "--direction", "up")
            #expect(try await network.ping(TestNetwork.serverIPv4, as: Self.other) >= 64.9)
        }
    }

    @Test func `an ICMP error is as late as the packet that it is about`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--user", "\(Self.chosen)")
            let times = try await network.python(
                as: Self.chosen, Self.closedPort, TestNetwork.serverIPv4, TestNetwork.serverIPv6)
            #expect(times.count == 2 && times.allSatisfy { $0 >= 0.1149 }, "\(times)")
        }
    }

    /// Prints how long it takes until a closed port is known to be closed.
    private static let closedPort = """
        import socket, sys, time
        for address in sys.argv[1:]:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            with socket.socket(family, socket.SOCK_DGRAM) as client:
                client.settimeout(10)
                client.connect((address, 7))
                began = time.monotonic()
                client.send(b"?")
                try:
                    client.recv(1)
                except ConnectionRefusedError:
                    print(time.monotonic() - began)
        """

    @Test func `what a closed socket still sends is conditioned`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine(
                "LTE", "--user", "\(Self.chosen)", "--set", "up.bandwidth=2 Mbit/s")
            let received = try await network.python(
                as: Self.chosen, Self.hastySender, network.server, TestNetwork.serverIPv4)
            #expect(received == [Self.sent])
            let up = try #require(try await network.engineStatus().up)
            #expect(Double(up.counters.bytes) >= Self.sent)
        }
    }

    private static let sent = 200_000.0

    /// Opens a socket of the server's namespace, for which it is root.
    private static func listening(on port: Int) -> String {
        """
        import ctypes, os, socket, sys
        namespace, address, *command = sys.argv[1:]
        user = os.geteuid()
        with open("/proc/self/ns/net") as own, open("/run/netns/" + namespace) as other:
            os.seteuid(0)
            enter = ctypes.CDLL(None).setns
            assert enter(other.fileno(), 0) == 0
            listener = socket.create_server((address, \(port)))
            assert enter(own.fileno(), 0) == 0
            os.seteuid(user)
        """
    }

    /// Sends so much, closes the socket at once, and prints what the server gets.
    private static let hastySender = """
        \(listening(on: 80))
        if os.fork() == 0:
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 500_000)
            client.connect((address, 80))
            client.sendall(bytes(200_000))
            os._exit(0)
        received, size = listener.accept()[0], 0
        while content := received.recv(65536):
            size += len(content)
        print(size)
        """

    @Test func `connections of a former user are let go by another choice`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--user", "\(Self.chosen)")
            let times = try await network.python(
                as: Self.chosen, Self.patientAsker, network.server, TestNetwork.serverIPv4,
                try TestNetwork.program(), "apply", "LTE", "--user", "\(Self.other)", "--replace")
            try #require(times.count == 2)
            #expect(times[0] >= 0.1149 && times[1] < 0.05, "\(times)")
        }
    }

    /// Prints how long an answer takes on one connection before and after a command of root.
    private static let patientAsker = """
        \(listening(on: 7))
        import subprocess, time
        client = socket.create_connection((address, 7))
        far = listener.accept()[0]
        for end in (client, far):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        def shortest():
            times = []
            for _ in range(5):
                began = time.monotonic()
                client.send(b"x")
                far.send(far.recv(1))
                client.recv(1)
                times.append(time.monotonic() - began)
            return min(times)
        print(shortest())
        os.seteuid(0)
        subprocess.run(command, check=True)
        os.seteuid(user)
        print(shortest())
        """

    @Test func `a loopback is conditioned for the user alone`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.mustRun("apply", "LTE", "-i", "lo", "--user", "\(Self.chosen)")
            for address in ["127.0.0.1", "::1"] {
                #expect(try await network.ping(address, as: Self.chosen) >= 114.9)
                #expect(try await network.ping(address, as: Self.other) < 50)
            }
        }
    }

    @Test func `filters of tc cannot choose by user`() async throws {
        try await TestNetwork.withEngine { network in
            let engine = try await network.applyEngine(by: .clsact, "LTE", "--user", "0")
            #expect(engine.exitCode == 69 && engine.standardError.contains("take nftables"))
            let kernel = try await network.linkcond(
                "apply", "LTE", "--user", "0", "--backend", "kernel")
            #expect(kernel.exitCode == 69, "\(kernel)")
            #expect(kernel.standardError.contains("cannot tell whose packets they are"))
        }
    }
}

extension TestNetwork {
    private func run(as user: Int, _ words: [String]) async throws -> ProcessResult {
        try await run("setpriv", ["--reuid", "\(user)", "--clear-groups"] + words)
    }

    /// The shortest round trip of a user's pings in milliseconds.
    fileprivate func ping(_ address: String, as user: Int) async throws -> Double {
        _ = try await run("ping", ["-c", "1", "-w", "20", "-q", address])
        let ping = try await run(as: user, ["ping", "-c", "4", "-i", "0.2", "-q", address])
        guard let match = ping.standardOutput.firstMatch(of: /= ([0-9.]+)\//),
            let time = Double(match.1)
        else { throw Failure("ping \(address) said: \(ping)") }
        return time
    }

    /// How long a user's curl takes to connect, in seconds: the shortest of some times, since it may
    /// have to wait for a processor.
    fileprivate func connect(to address: String, as user: Int) async throws -> Double {
        let host = address.contains(":") ? "[\(address)]" : address
        let curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{time_connect}", "http://\(host)/"]
        var shortest = Double.infinity
        for _ in 0..<5 {
            let result = try await run(as: user, curl)
            guard result.exitCode == 0, let time = Double(result.standardOutput) else {
                throw Failure("curl said: \(result)")
            }
            shortest = min(shortest, time)
        }
        return shortest
    }

    /// The numbers that a script of a user prints.
    fileprivate func python(
        as user: Int, _ script: String, _ arguments: String...
    ) async throws -> [Double] {
        // Its saved user is root still, so that it may become that again.
        let python = try await run(
            "setpriv", ["--euid", "\(user)", "python3", "-c", script] + arguments)
        guard python.exitCode == 0 else { throw Failure("python3 said: \(python)") }
        return python.standardOutput.split(whereSeparator: \.isNewline).compactMap {
            Double($0)
        }
    }

    /// Runs `body` while there is a web server at the far end.
    fileprivate func withWebServer(_ body: () async throws -> Void) async throws {
        let server = try await runProcess(
            "ip",
            [
                "netns", "exec", server, "sh", "-c",
                "python3 -m http.server 80 --bind :: >/dev/null 2>&1 </dev/null & "
                    + "until ss -Hltn | grep -q ':80 '; do sleep 0.05; done",
            ])
        #expect(server.exitCode == 0)
        // It ends with its namespace.
        try await body()
    }
}
