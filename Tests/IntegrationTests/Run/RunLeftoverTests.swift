import Foundation
import LinkTesting
import Testing

/// Whatever ends a run, and when, nothing stays.
@Suite("Run: leftovers", .serialized, .requiresNamespaces)
struct RunLeftoverTests {
    @Test(arguments: Caller.allCases, ["none", "relay"])
    func `killed at a hundred random moments`(caller: Caller, uplink: String) async throws {
        try await expectNothingLeft(
            by: caller, moments: 50,
            options: ["--uplink", uplink, "--server", "sleep 60", "--timeout", "50s"])
    }

    /// Kills `linkcond run` at random moments of its start and of its command, in a network
    /// namespace that stands for the host's, and compares what can be seen of it before and after.
    private func expectNothingLeft(
        by caller: Caller, moments: Int, options: [String]
    ) async throws {
        let host =
            "lctest-h\(ProcessInfo.processInfo.processIdentifier)-\(UInt16.random(in: 0 ... .max))"
        try await withTemporaryDirectory { directory in
            // A name of its own tells its processes from those of other tests.
            let program = "\(directory.path)/linkcond-\(host)"
            try FileManager.default.copyItem(
                atPath: try SandboxedRun.program(), toPath: program)
            try shell(
                "chmod 755 \(directory.path); ip netns add \(host); ip -n \(host) link set lo up")
            defer { _ = try? shell("pkill -9 -f \(program); ip netns delete \(host)") }
            let seconds = (0..<moments).map { _ -> String in
                // Most are in the set-up, some in the midst of the command.
                let latest = Bool.random() ? 0.05 : 0.4
                return String(format: "%.4f", Double.random(in: 0...latest))
            }
            let identity = caller.userID.map {
                "setpriv --reuid \($0) --regid \($0) --clear-groups --"
            }
            let script = """
                cd /
                picture() {
                    ip -o link | cut -d: -f2; ip -o address; ip rule; ip -6 rule; ip route
                    nft list ruleset; cat /proc/self/mounts | grep -v lctest | sort
                    cat /proc/sys/net/ipv4/conf/*/forwarding /proc/sys/net/ipv6/conf/*/forwarding
                    ls -A /run; ls -A /run/linkcond 2>/dev/null
                }
                picture >"$DIRECTORY/before"
                for moment in \(seconds.joined(separator: " ")); do
                    \(identity ?? "") "$PROGRAM" run LTE "$@" -- sleep 50 >/dev/null 2>&1 &
                    pid=$!
                    sleep "$moment"
                    kill -9 $pid
                    wait $pid
                    rounds=0
                    while pgrep -f "$PROGRAM" >/dev/null; do
                        rounds=$((rounds + 1))
                        if [ $rounds -gt 200 ]; then
                            echo "after $moment s:"
                            pgrep -af "$PROGRAM"
                            exit 1
                        fi
                        sleep 0.02
                    done
                    picture >"$DIRECTORY/after"
                    if ! diff "$DIRECTORY/before" "$DIRECTORY/after"; then
                        echo "after $moment s"
                        exit 1
                    fi
                done
                """
            let result = try await runProcess(
                "ip",
                [
                    "netns", "exec", host, "env", "PROGRAM=\(program)",
                    "DIRECTORY=\(directory.path)", "sh", "-c", script, "sh",
                ] + options, timeout: .seconds(240))
            #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
        }
    }
}
