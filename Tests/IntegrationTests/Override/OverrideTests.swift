import Foundation
import LinkTesting
import Testing

/// The verbs `override` and `path` as a user types them.
@Suite("Overrides by the program", .serialized, .requiresNamespaces, .tags(.anyKernel))
struct OverrideTests {
    @Test("What is set is shown, seen, and taken away without a trace")
    func setAndClear() async throws {
        try await TestNetwork.with { network in
            try await network.batch("link set eth0 alias rack7", in: network.app)
            let before = try await network.state()
            try await network.mustRun("override", "set", "--constrained", "--kind", "cellular")
            let shown = try await network.mustRun("override", "show", "--json")
            try await JSONSchema("override").expectValid(shown)
            let override = try #require(try Overrides(json: shown).overrides.first)
            #expect(override.interface == "eth0" && override.kind == "cellular")
            #expect(override.expensive && override.constrained && override.cost == "default")
            #expect(override.until == nil && override.problem == nil)
            let path = try await network.path()
            #expect(path.status == "satisfied" && path.isExpensive && path.isConstrained)
            #expect(path.interfaces.first?.kind == "cellular")
            #expect(path.gateways == [TestNetwork.serverIPv4])
            let table = try await network.mustRun("override", "show")
            #expect(table.contains("eth0       cellular  default  on        no"))
            // It is no condition, so clear leaves it and says so.
            let left = try await network.linkcond("clear").standardError
            #expect(left.contains("eth0: what apps are told stays"), "\(left)")
            try await network.mustRun("override", "clear", "-i", "eth0")
            try await network.expectUnchanged(since: before)
            #expect(try await !network.linkcond("clear").standardError.contains("override"))
            let cleared = try await network.mustRun("override", "show")
            #expect(cleared == "There is no override.\n")
        }
    }

    @Test("Whoever watches the path sees every change, the first path at once")
    func watch() async throws {
        try await TestNetwork.with { network in
            let script = """
                "$0" path --watch >"$1" &
                await() { for i in $(seq 300); do grep -q "$1" "$2" && return; sleep 0.1; done; }
                await 'by eth0 (wired), not expensive' "$1"
                "$0" override set --expensive && await '(wired), expensive' "$1"
                "$0" override set --kind hotspot && await '(wifi), expensive, constrained' "$1"
                ip link set eth0 down && await unsatisfied "$1"
                kill $!
                cat "$1"
                """
            let result = try await withTemporaryDirectory { directory in
                try await network.run(
                    "bash", ["-c", script, TestNetwork.program(), "\(directory.path)/paths"])
            }
            let lines = result.standardOutput.split(separator: "\n")
            #expect(
                lines
                    == [
                        "satisfied by eth0 (wired), not expensive, not constrained, IPv4",
                        "satisfied by eth0 (wired), expensive, not constrained, IPv4",
                        "satisfied by eth0 (wifi), expensive, constrained, IPv4",
                        "unsatisfied: no interface is up",
                    ].map { $0[...] }, "\(result)")
        }
    }

    @Test("Trouble is told with its cause and the way out")
    func trouble() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let unknown = try await network.linkcond(
                "override", "set", "-i", "eth0", "-i", "wlan9", "--expensive")
            #expect(unknown.exitCode == 64)
            // Between them the kernel may have tunnels of its own.
            #expect(
                unknown.standardError.wholeMatch(
                    of: /linkcond: wlan9: no such interface \(have: lo, (\w+, )*eth0\)\n/) != nil,
                "\(unknown)")
            let twice = try await network.linkcond(
                "override", "set", "-i", "eth0", "-i", "lo", "--prefer")
            #expect(twice.exitCode == 64)
            #expect(twice.standardError.contains("only one interface can be preferred"))
            let program = try SandboxedRun.program()
            let user = "\(Caller.ordinaryUserID)"
            for verb in [["set", "--expensive"], ["clear"]] {
                let result = try await network.run(
                    "setpriv", ["--reuid", user, "--clear-groups", program, "override"] + verb)
                #expect(result.exitCode == 77)
                #expect(result.standardError.contains("needs the privilege CAP_NET_ADMIN"))
            }
            try await network.expectUnchanged(since: before)

            let full = String(repeating: "x", count: 250)
            try await network.batch("link set eth0 alias \(full)", in: network.app)
            let result = try await network.linkcond("override", "set", "--expensive", "--for", "1h")
            #expect(result.exitCode == 69)
            #expect(result.standardError.contains("250 of 255 bytes are taken"))
            try await network.batch("link set eth0 down", in: network.app)
            let unsatisfied = try await network.linkcond("path")
            #expect(unsatisfied.exitCode == 1)
            #expect(unsatisfied.standardOutput.hasPrefix("unsatisfied: no interface is up\n"))
            let route = try await network.linkcond("override", "set", "--expensive")
            #expect(route.exitCode == 64)
            #expect(route.standardError.contains("no interface carries a default route"))
        }
    }

    @Test("A preference that went with its interface is told, and can be set again")
    func lostPreference() async throws {
        let result = try await PrivateHost.script(
            """
            shown() { "$0" override show --json | grep -E '"(preferred|problem)"'; }
            "$0" override set -i eth0 --prefer 2>/dev/null; shown
            ip link set eth0 down; ip link set eth0 up
            ip route add default via 192.0.2.2; shown
            "$0" override show | tail -n 1 | grep -o "went when it went down"
            "$0" override set -i eth0 --prefer 2>/dev/null; shown
            "$0" override clear 2>/dev/null
            ip route show proto 108
            """)
        let lines = result.standardOutput.split(separator: "\n").map {
            $0.drop { $0 == " " }.replacing(/: "its .*"/, with: ": told")
        }
        #expect(
            lines == [
                #""preferred" : true,"#, #""problem" : null,"#,
                #""preferred" : false,"#, #""problem" : told,"#, "went when it went down",
                #""preferred" : true,"#, #""problem" : null,"#,
            ], "\(result)")
    }

    @Test("An override ends by itself, however the caller ends")
    func limits() async throws {
        try await TestNetwork.with { network in
            let before = try await network.state()
            let killedShell = try await network.run(
                "sh",
                [
                    "-c", "\"$0\" override set --expensive --prefer --for 1s && kill -9 $$",
                    TestNetwork.program(),
                ])
            #expect(killedShell.signal == 9)
            try await network.expectNoOverride()
            for moment in ["0.01", "0.05", "0.2"] {
                let script = """
                    "$0" override set --expensive --for 1s & sleep \(moment)
                    kill -9 $! || true; wait $! || true
                    """
                _ = try await network.run("sh", ["-c", script, TestNetwork.program()])
                try await network.expectNoOverride()
            }
            try await network.expectUnchanged(since: before)
            let routes = try await network.run("ip", ["route", "show", "proto", "108"])
            #expect(routes.standardOutput == "")
        }
    }

    @Test("Setting again moves the limit, clearing dismisses the watcher, and its death is noticed")
    func watchers() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun("override", "set", "--expensive", "--for", "30 min")
            let first = try await network.overrideWatcher()
            #expect(try await network.overrides().first?.until != nil)
            try await network.mustRun("override", "set", "--constrained", "--for", "1 h")
            let second = try await network.overrideWatcher()
            try await network.expectWatcherGone(first)
            let override = try #require(try await network.overrides().first)
            #expect(override.expensive && override.constrained && override.problem == nil)

            let process = try #require(try await network.process(of: second))
            _ = try await runProcess("kill", ["-9", process])
            try await network.expectWatcherGone(second)
            let problem = try await network.overrides().first?.problem
            #expect(problem?.contains("until linkcond override clear") == true)

            try await network.mustRun("override", "set", "--expensive", "--for", "1 h")
            let third = try await network.overrideWatcher()
            try await network.mustRun("override", "clear")
            try await network.expectWatcherGone(third)
        }
    }

    @Test("A watcher that could not run when the moment came ends the override afterwards")
    func suspension() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun("override", "set", "--expensive", "--for", "8s")
            let process = try #require(try await network.process(of: network.overrideWatcher()))
            _ = try await runProcess("kill", ["-STOP", process])
            try await Task.sleep(for: .seconds(9))
            let stopped = try await network.overrides()
            _ = try await runProcess("kill", ["-CONT", process])
            #expect(stopped.count == 1)
            try await network.expectNoOverride()
        }
    }
}
