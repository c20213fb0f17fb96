import Foundation
import LinkTesting
import LinuxKernel
import Testing

/// Conditions for what the programs of one control group send and receive.
@Suite(
    "Apply by control group with the packet engine", .requiresEngineHooks, .requiresKernelTypes,
    .tags(.anyKernel),
    .enabled(if: hasPrograms("ping", "python3"), "ping or python3 is missing"))
struct ApplyEngineGroupTests {
    @Test func `what is in the group and below is conditioned, and nothing beside it`()
        async throws
    {
        try await TestGroup.with { group in
            try await TestNetwork.withEngine { network in
                try await network.applyOutside("LTE", "--cgroup", group.name + "/in")
                #expect(try await network.ping(in: group.directory + "/in") >= 114.9)
                #expect(try await network.ping(in: group.directory + "/in/below") >= 114.9)
                #expect(try await network.ping(in: group.directory + "/beside") < 50)
                let status = try await network.engineStatus()
                #expect(status.selectors == ["--cgroup \(group.name)/in"])
            }
        }
    }

    @Test func `a group that is made again is conditioned again`() async throws {
        try await TestGroup.with { group in
            try await TestNetwork.withEngine { network in
                try await network.applyOutside("LTE", "--cgroup", group.name + "/beside")
                _ = try shell("rmdir \(group.directory)/beside")
                try await network.wait { try await network.engineStatus().problem != nil }
                let problem = try await network.engineStatus().problem
                #expect(
                    problem?.contains("\(group.name)/beside is gone") == true, "\(problem ?? "")")
                _ = try shell("mkdir \(group.directory)/beside")
                try await network.wait {
                    try await network.ping(in: group.directory + "/beside") >= 114.9
                }
                #expect(try await network.ping(in: group.directory + "/beside") >= 114.9)
            }
        }
    }

    @Test func `a loopback is conditioned for the group, of which the engine is one`()
        async throws
    {
        try await TestGroup.with { group in
            try await TestNetwork.withEngine { network in
                let applied = try await network.run(
                    in: group.directory + "/in",
                    [try TestNetwork.program(), "apply", "LTE", "-i", "lo", "--cgroup", group.name])
                #expect(applied.exitCode == 0, "\(applied)")
                #expect(try await network.ping("::1", in: group.directory + "/in") >= 114.9)
                let other = try await network.run("ping", ["-c", "3", "-i", "0.2", "-q", "::1"])
                #expect(try shortest(other) < 50)
            }
        }
    }

    @Test func `of a group and a program what is of both is conditioned`() async throws {
        try await TestGroup.with { group in
            try await TestNetwork.withEngine { network in
                try await network.applyOutside(
                    "LTE", "--cgroup", group.name + "/in", "--process", "ping")
                #expect(try await network.ping(in: group.directory + "/in/below") >= 114.9)
                #expect(try await network.ping(in: group.directory + "/beside") < 50)
                let python = try await network.run(
                    in: group.directory + "/in",
                    ["python3", "-c", Self.connecting, TestNetwork.serverIPv4, "7"])
                #expect(try shortest(python) < 50)
            }
        }
    }

    /// How long it takes to hear whether somebody listens at a port; waits for a listener.
    private static let connecting = """
        import errno, socket, sys, time
        while True:
            began = time.monotonic()
            answer = socket.socket().connect_ex((sys.argv[1], int(sys.argv[2])))
            if sys.argv[2] == "7" or answer != errno.ECONNREFUSED:
                break
        print("=", f"{1000 * (time.monotonic() - began)}/")
        """

    @Test func `the first answer of a server in the group is conditioned`() async throws {
        try await TestGroup.with { group in
            try await TestNetwork.withEngine { network in
                try await network.applyOutside("LTE", "--cgroup", group.name + "/in")
                let server =
                    "import socket; s = socket.create_server(('', 80)); s.accept()[0].recv(1)"
                async let served = network.run(
                    in: group.directory + "/in", ["timeout", "30", "python3", "-c", server])
                let client = try await runProcess(
                    "nsenter",
                    [
                        "--net=/run/netns/\(network.server)", "python3", "-c", Self.connecting,
                        TestNetwork.appIPv4, "80",
                    ])
                // The kernel knows whose the request was only by the answer.
                #expect(try shortest(client) >= 57)
                #expect(try await served.exitCode == 0)
            }
        }
    }

    @Test func `what a group sends in other networks is left alone`() async throws {
        try await TestGroup.with { group in
            try await TestNetwork.withEngine { network in
                try await network.applyOutside("LTE", "--cgroup", group.name)
                let script = """
                    exec 2>&1
                    ip link add far type veth peer name near index "$0"
                    ip link set far up; ip link set near up
                    ip address add 192.0.2.1/24 dev near nodad
                    nft -f - <<TEXT
                    add table netdev t
                    add chain netdev t up { type filter hook egress device near priority -1; }
                    add rule netdev t up ip daddr 192.0.2.9 counter
                    add rule netdev t up ip daddr 192.0.2.9 meta mark != 0 counter
                    TEXT
                    ip neighbour add 192.0.2.9 lladdr 02:00:00:00:00:09 dev near
                    ping -c 2 -W 1 -q 192.0.2.9
                    nft list chain netdev t up
                    """
                let index = try await network.run(
                    "cat", ["/sys/class/net/\(TestNetwork.interface)/ifindex"])
                let sent = try await network.run(
                    in: group.directory + "/in",
                    [
                        "unshare", "-n", "sh", "-c", script,
                        index.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines),
                    ])
                let counts = sent.standardOutput.matches(of: /counter packets (\d+)/).map(\.1)
                #expect(counts == ["2", "0"], "\(sent)")
            }
        }
    }

    @Test func `a unit is its control group, also after it was started again`() async throws {
        try await TestGroup.with { group in
            try await TestNetwork.withEngine { network in
                let unit = group.directory + "/in/below"
                try await withSystemctl(
                    "echo ControlGroup=\(group.name)/in/below; echo LoadState=loaded"
                ) { path in
                    let applied = try await network.apply("LTE", "--unit", "web", path: path)
                    #expect(applied.exitCode == 0, "\(applied)")
                }
                #expect(try await network.ping(in: unit) >= 114.9)
                #expect(try await network.ping(in: group.directory + "/in") < 50)
                #expect(
                    try await network.engineStatus().selectors == [
                        "--cgroup \(group.name)/in/below"
                    ])
                _ = try shell("rmdir \(unit) && mkdir \(unit)")
                try await network.wait { try await network.ping(in: unit) >= 114.9 }
                #expect(try await network.ping(in: unit) >= 114.9)
            }
        }
    }

    @Test(arguments: [
        ("echo System has not been booted with systemd >&2; exit 1", 69, "has not been booted"),
        ("echo LoadState=not-found; echo ActiveState=inactive", 64, "no such unit"),
        ("echo LoadState=loaded; echo ActiveState=failed", 64, "is not running (failed)"),
        ("echo LoadState=loaded; echo ActiveState=active; echo ControlGroup=", 64, "slices have"),
        ("echo ControlGroup=/no/such/group", 64, "there is no such control group"),
        ("echo nonsense", 69, "says nothing of it"),
    ])
    func `a unit without programs is refused`(
        answer: String, code: Int32, message: String
    ) async throws {
        try await TestNetwork.withEngine { network in
            try await withSystemctl(answer) { path in
                let applied = try await network.apply("LTE", "--unit", "web", path: path)
                #expect(applied.exitCode == code && applied.standardError.contains(message))
                #expect(applied.standardOutput == "", "\(applied)")
            }
        }
    }

    @Test(arguments: ["", "a b", "web*", "/etc", "a\nb"])
    func `what is no name of a unit is not asked for`(name: String) async throws {
        let applied = try await runProcess(
            try TestNetwork.program(), ["apply", "LTE", "--dry-run", "--unit", name])
        #expect(applied.exitCode == 64, "\(applied)")
        #expect(applied.standardError.contains("is not the name of a unit"), "\(applied)")
    }

    @Test func `a group that is not there is refused`() async throws {
        try await TestNetwork.withEngine { network in
            let applied = try await network.linkcond("apply", "LTE", "--cgroup", "/no/such/group")
            #expect(applied.exitCode == 64, "\(applied)")
        }
    }
}

/// A control group with two others in it.
private struct TestGroup {
    let name = "/linkcond-test-\(UUID().uuidString)"
    let directory: String

    /// Runs `body` with a group that is gone afterwards.
    static func with(_ body: (TestGroup) async throws -> Void) async throws {
        let tree = try #require(ControlGroupTree.host)
        let group = TestGroup(tree)
        let parts = ["", "/in", "/in/below", "/beside"].map { group.directory + $0 }
        _ = try shell("mkdir \(parts.joined(separator: " "))")
        defer { _ = try? shell("rmdir \(parts.reversed().joined(separator: " "))") }
        try await body(group)
    }

    private init(_ tree: ControlGroupTree) {
        directory = tree.directory(of: String(name.dropFirst()))
    }
}

/// Runs `body` with a directory whose `systemctl` is a script.
private func withSystemctl(
    _ script: String, _ body: (_ path: String) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        let file = try directory.write(Data("#!/bin/sh\n\(script)\n".utf8), to: "systemctl")
        _ = try shell("chmod +x \(file)")
        try await body(directory.path)
    }
}

extension TestNetwork {
    /// Applies in the app's network, but with the host's files and more programs.
    fileprivate func apply(_ words: String..., path: String) async throws -> ProcessResult {
        try await runProcess(
            "env",
            [
                "PATH=\(path):/usr/bin:/bin:/usr/sbin", "nsenter", "--net=/run/netns/\(app)",
                try Self.program(), "apply",
            ] + words)
    }

    /// Runs a program in a control group and in the app's network. `ip netns exec` would hide the
    /// groups.
    fileprivate func run(in group: String, _ words: [String]) async throws -> ProcessResult {
        try await runProcess(
            "sh",
            [
                "-c", "echo $$ >\"$0\"/cgroup.procs && exec nsenter --net=/run/netns/\(app) \"$@\"",
                group,
            ] + words)
    }

    /// Applies in the app's network, but with the host's files.
    fileprivate func applyOutside(_ words: String...) async throws {
        let applied = try await runProcess(
            "nsenter", ["--net=/run/netns/\(app)", try Self.program(), "apply"] + words)
        #expect(applied.exitCode == 0, "\(applied)")
    }

    /// The shortest round trip of pings from a control group in milliseconds.
    fileprivate func ping(
        _ address: String = serverIPv4, in group: String
    ) async throws -> Double {
        _ = try await run("ping", ["-c", "1", "-w", "20", "-q", address])
        return try shortest(
            await run(in: group, ["ping", "-c", "4", "-i", "0.2", "-q", address]))
    }
}

private func shortest(_ ping: ProcessResult) throws -> Double {
    guard let match = ping.standardOutput.firstMatch(of: /= ([0-9.]+)\//),
        let time = Double(match.1)
    else { throw TestNetwork.Failure("ping said: \(ping)") }
    return time
}
