import Foundation
import LinkTesting
import Testing

/// What a command in a sandbox sees of its interface, as root and as an ordinary user.
@Suite("Overrides in a sandbox", .serialized, .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunOverrideTests {
    /// Runs a shell script in a sandbox, with the program as `$linkcond`.
    private func script(
        _ script: String, _ options: String..., by caller: Caller
    ) async throws -> [String] {
        let program = try SandboxedRun.program()
        let arguments = options + ["--uplink", "none", "--", "sh", "-c", "linkcond=$0; " + script]
        let output = try await SandboxedRun(arguments: arguments + [program], by: caller).output()
        return output.split(separator: "\n").map(String.init)
    }

    @Test("The profile's kind of interface and costs are seen", arguments: Caller.allCases)
    func profile(caller: Caller) async throws {
        let show = """
            $linkcond path | head -1
            echo $LINKCOND_PROFILE $LINKCOND_INTERFACE $LINKCOND_INTERFACE_KIND
            echo $LINKCOND_EXPENSIVE $LINKCOND_CONSTRAINED
            """
        #expect(
            try await script(show, "LTE", by: caller) == [
                "satisfied by eth0 (cellular), expensive, not constrained, IPv4 and IPv6, no DNS",
                "apple/LTE eth0 cellular", "1 0",
            ])
        #expect(
            try await script(show, "wifi", "--expensive", "--constrained", by: caller) == [
                "satisfied by eth0 (wifi), expensive, constrained, IPv4 and IPv6, no DNS",
                "apple/Wi-Fi eth0 wifi", "1 1",
            ])
        #expect(
            try await script(show, "LTE", "--cost", "inexpensive", by: caller).last == "0 0")
        #expect(
            try await script(show, "LTE", "--kind", "hotspot", by: caller).suffix(2) == [
                "apple/LTE eth0 wifi", "1 1",
            ])
    }

    @Test("Fields of a profile say the same")
    func fields() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(
                """
                name: Train
                family: test
                summary: On a train
                source: test
                interface: wifi
                expensive: true
                constrained: true
                down: { delay: 1 ms }
                up: { delay: 1 ms }
                """, to: "train.yaml")
            let lines = try await script("$linkcond path | head -1", file, by: .root)
            #expect(
                lines == [
                    "satisfied by eth0 (wifi), expensive, constrained, IPv4 and IPv6, no DNS"
                ])
        }
    }

    @Test(
        "The command changes what it sees, and clearing leads back to the profile",
        arguments: Caller.allCases)
    func inside(caller: Caller) async throws {
        let lines = try await script(
            """
            see() { $linkcond path | head -1 | cut -d, -f1-3; }
            set -e
            $linkcond override set --cost inexpensive --low-data on 2>/dev/null; see
            $linkcond override clear 2>/dev/null; see
            $linkcond override set --constrained --for 1s 2>/dev/null
            for round in $(seq 300); do
                $linkcond override show | grep -q 'no override' && break
                sleep 0.1
            done
            see; $linkcond override show
            $linkcond override set -i nope --expensive 2>&1 || echo $?
            """, "LTE", by: caller)
        #expect(
            lines == [
                "satisfied by eth0 (cellular), not expensive, constrained",
                "satisfied by eth0 (cellular), expensive, not constrained",
                "satisfied by eth0 (cellular), expensive, not constrained",
                "There is no override.",
            ] + lines.suffix(2))
        let refusal = try #require(lines.dropLast().last)
        // Between them the kernel may have tunnels of its own.
        #expect(
            refusal.contains(/nope: no such interface \(have: lo, (\w+, )*eth0\)/), "\(refusal)")
    }

    @Test("So does who is outside, by a process of the sandbox", arguments: Caller.allCases)
    func outside(caller: Caller) async throws {
        let program = try SandboxedRun.program()
        let lines = try await withTemporaryDirectory { directory in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777], ofItemAtPath: directory.path)
            let result = try await runProcess(
                "bash",
                [
                    "-c",
                    """
                    "$0" run LTE --uplink none -- \
                        "$0" path --watch >"$1/paths" 2>"$1/error" &
                    run=$!
                    await() { for i in $(seq 300); do "$@" && return; sleep 0.1; done; }
                    await grep -q satisfied "$1/paths"
                    # The command is the child of the sandbox's first process, or so.
                    command=$(pgrep -g 0 -f "^$0 path --watch$" | head -1)
                    "$0" override set --pid $command --cost inexpensive --constrained 2>&1
                    await grep -q ', constrained' "$1/paths"
                    "$0" override clear --pid $command 2>&1
                    await sh -c 'test $(wc -l <"$0/paths") -ge 3' "$1"
                    kill $run
                    wait $run || true
                    cat "$1/paths"
                    """, program, directory.path,
                ], userID: caller.userID)
            return result.standardOutput.split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix("satisfied") || $0.hasPrefix("linkcond:") }
        }
        #expect(
            lines == [
                "satisfied by eth0 (cellular), expensive, not constrained, IPv4 and IPv6, no DNS",
                "satisfied by eth0 (cellular), not expensive, constrained, IPv4 and IPv6, no DNS",
                "satisfied by eth0 (cellular), expensive, not constrained, IPv4 and IPv6, no DNS",
            ])
    }
}
