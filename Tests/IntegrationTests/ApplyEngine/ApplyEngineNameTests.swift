import Foundation
import LinkTesting
import Testing

/// Conditions for what goes to a host that is chosen by its name.
@Suite(
    "Apply by name with the packet engine", .requiresEngineHooks, .tags(.anyKernel),
    .enabled(if: hasPrograms("dnsmasq", "getent"), "dnsmasq or getent is missing"))
struct ApplyEngineNameTests {
    private static let second = "192.0.2.3"

    @Test func `all addresses of a name are conditioned, and those that it gets later`()
        async throws
    {
        let addresses = [TestNetwork.serverIPv4, TestNetwork.serverIPv6]
        try await withNameServer(addresses) { network, directory in
            let applied = try await network.apply("LTE", "--to", "Name.example", in: directory)
            #expect(applied.exitCode == 0, "\(applied)")
            #expect(try await network.ping(TestNetwork.serverIPv4) >= 114.9)
            #expect(try await network.ping(TestNetwork.serverIPv6) >= 114.9)
            #expect(try await network.ping(Self.second) < 50)
            #expect(try await network.engineStatus().selectors == ["--to name.example"])
            try directory.write(Data("\(Self.second) name.example\n".utf8), to: "hosts")
            try await network.reload(directory)
            try await network.wait { try await network.ping(Self.second) >= 114.9 }
            #expect(try await network.ping(Self.second) >= 114.9)
            // Connections to the former address may still be open.
            #expect(try await network.ping(TestNetwork.serverIPv4) >= 114.9)
        }
    }

    @Test func `a name that is not found is refused, and one that is lost is told`() async throws {
        try await withNameServer { network, directory in
            let unknown = try await network.apply("LTE", "--to", "no.example", in: directory)
            #expect(unknown.exitCode == 64, "\(unknown)")
            #expect(unknown.standardError.contains("--to no.example: has no addresses"))
            #expect(try await network.ping(TestNetwork.serverIPv4) < 50)
            let kernel = try await network.apply(
                "LTE", "--to", "name.example", "--backend", "kernel", in: directory)
            #expect(kernel.exitCode == 69, "\(kernel)")
            let family = try await network.apply(
                "LTE", "--to", "name.example", "--family", "ipv6", in: directory)
            #expect(family.exitCode == 64, "\(family)")
            let applied = try await network.apply("LTE", "--to", "name.example", in: directory)
            #expect(applied.exitCode == 0, "\(applied)")
            try directory.write(Data(), to: "hosts")
            try await network.reload(directory)
            try await network.wait { try await network.engineStatus().problem != nil }
            let problem = try await network.engineStatus().problem ?? ""
            #expect(problem.contains("the name name.example is not found any more"))
            #expect(try await network.ping(TestNetwork.serverIPv4) >= 114.9)
        }
    }

    /// Runs `body` with a name server at the far end, which reads its names from a file `hosts`, at
    /// first that of the server.
    private func withNameServer(
        _ addresses: [String] = [TestNetwork.serverIPv4],
        _ body: (TestNetwork, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let hosts = addresses.map { "\($0) name.example\n" }.joined()
            try directory.write(hosts, to: "hosts")
            try directory.write(
                Data("nameserver 192.0.2.2\noptions timeout:1 attempts:2\n".utf8), to: "resolv")
            try await TestNetwork.withEngine { network in
                let path = directory.path
                let server = try await runProcess(
                    "ip",
                    [
                        "netns", "exec", network.server, "sh", "-c",
                        "ip address add \(Self.second)/24 dev \(TestNetwork.interface) && "
                            + "dnsmasq --conf-file=/dev/null --no-resolv --no-hosts --user=root "
                            + "--local-ttl=1 --local=/example/ --addn-hosts=\(path)/hosts "
                            + "--pid-file=\(path)/pid --listen-address=192.0.2.2 --bind-interfaces",
                    ])
                #expect(server.exitCode == 0, "\(server)")
                try await body(network, directory)
            }
        }
    }
}

extension TestNetwork {
    /// Applies in the app's network, with the name server of a directory.
    fileprivate func apply(
        _ words: String..., in directory: TemporaryDirectory
    ) async throws -> ProcessResult {
        try await runProcess(
            "unshare",
            [
                "--mount", "sh", "-c",
                "mount --bind \(directory.path)/resolv /etc/resolv.conf && "
                    + "exec nsenter --net=/run/netns/\(app) \"$0\" apply \"$@\"",
                try Self.program(),
            ] + words)
    }

    /// Has the name server read its file again.
    fileprivate func reload(_ directory: TemporaryDirectory) async throws {
        _ = try shell("kill -HUP $(cat \(directory.path)/pid)")
    }

    /// The shortest round trip of pings in milliseconds.
    fileprivate func ping(_ address: String) async throws -> Double {
        let result = try await run("ping", ["-c", "3", "-i", "0.2", "-w", "20", "-q", address])
        guard let match = result.standardOutput.firstMatch(of: /= ([0-9.]+)\//),
            let time = Double(match.1)
        else { throw Failure("ping \(address) said: \(result)") }
        return time
    }
}
