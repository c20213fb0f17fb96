import Foundation
import LinkTesting
import Testing

/// What a scenario does to an app that consists of several processes: a shell, a child, one in a
/// session of its own, and one whose parents have ended.
@Suite("Scenarios: the app", .requiresNamespaces, .tags(.anyKernel))
struct ScenarioAppTests {
    @Test(arguments: Caller.allCases)
    func `is suspended as a whole and goes on as a whole`(caller: Caller) async throws {
        try await ScenarioRun.with(
            timeline: """
                  - { at: 1 s, app: suspend }
                  - { at: 1.6 s, exec: "cat $D/beats.* | wc -c > $D/first" }
                  - { at: 2.4 s, exec: "cat $D/beats.* | wc -c > $D/second" }
                  - { at: 3 s, app: resume }
                  - { at: 3.8 s, app: { signal: USR1 } }
                  - { at: end, expect: { exit: 3 } }
                """,
            script: """
                beat() { trap exit USR1; while :; do printf . >> $D/beats.$1; sleep 0.05; done; }
                export -f beat
                beat child &
                setsid bash -c 'beat session' &
                (setsid bash -c 'beat orphan' &)
                trap 'wc -c < $D/beats.child > $D/child; wc -c < $D/beats.orphan > $D/orphan; exit 3' USR1
                while :; do sleep 0.05; done
                """, by: caller
        ) { run in
            // The code that is expected.
            #expect(run.result.exitCode == 0, run.said)
            let counts = try ["first", "second"].map { try run.text(of: $0) }
            #expect(counts[0] == counts[1], "nothing went on while it was suspended")
            let all = try ["child", "session", "orphan"].map { try run.text(of: "beats.\($0)") }
            let before = try #require(
                Int(counts[0].trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(all.reduce(0) { $0 + $1.count } > before, "it went on afterwards")
            #expect(run.events.allSatisfy { !$0.isFailure }, run.said)
        }
    }

    @Test func `is ended as a whole, with patience, and started again with the same streams`()
        async throws
    {
        try await ScenarioRun.with(
            timeline: """
                  - { at: 4 s, app: terminate }
                  - { at: 4.2 s, app: relaunch }
                """,
            script: """
                if [ -e $D/first ]; then
                    echo second
                    cat /proc/[0-9]*/stat | awk '{ print $2, $3 }' > $D/processes
                    exit 4
                fi
                touch $D/first; echo first
                (trap 'echo child hears' TERM; while :; do sleep 0.1; done) &
                setsid sleep 1001 &
                (setsid sleep 1002 &)
                while :; do sleep 0.1; done
                """
        ) { run in
            #expect(run.result.exitCode == 4, run.said)
            #expect(run.result.standardOutput == "first\nchild hears\nsecond\n")
            let processes = try run.text(of: "processes")
            #expect(!processes.contains("sleep"), "nobody is left")
            #expect(!processes.contains(" Z"), "no zombie is left: \(processes)")
        }
    }

    @Test func `has no time left when it is ended while suspended, and the run is over`()
        async throws
    {
        try await ScenarioRun.with(
            timeline: """
                  - { at: 1 s, app: suspend }
                  - { at: 1.5 s, app: terminate }
                  - { at: 500 s, interface: eth0, down: true }
                """,
            script: "trap 'touch $D/heard' TERM; while :; do sleep 0.1; done"
        ) { run in
            #expect(run.result.exitCode == 137, run.said)
            #expect(throws: (any Error).self) { try run.text(of: "heard") }
            #expect(run.events.map(\.text) == ["app: suspend", "app: terminate"])
        }
    }

    @Test func `hears that the run is to end also while it is suspended`() async throws {
        try await withTemporaryDirectory { directory in
            let script = """
                cd "$1"
                "$0" run LTE --uplink none -- \
                    bash -c 'trap "touch heard; exit 5" TERM; touch started; kill -STOP $$; sleep 1' &
                until [ -e started ]; do sleep 0.05; done
                sleep 0.3
                kill -TERM $!
                wait $!
                echo "code $?"
                ls
                """
            let result = try await runProcess(
                "bash", ["-c", script, try SandboxedRun.program(), directory.path])
            #expect(result.standardOutput == "code 5\nheard\nstarted\n", "\(result)")
        }
    }

    @Test func `servers and commands of the scenario are not the app`() async throws {
        try await ScenarioRun.with(
            timeline: """
                  - { at: 3.5 s, exec: "sleep 1.5; echo done > $D/command" }
                  - { at: 4 s, app: terminate }
                  - { at: 4.2 s, app: relaunch }
                """,
            script: """
                [ -e $D/first ] || { touch $D/first; exec sleep 1000; }
                until [ -s $D/command ]; do sleep 0.1; done
                echo > /dev/tcp/server.linkcond/8123 && cat $D/command
                """,
            options: [
                "--server", "setsid python3 -m http.server 8123 2> /dev/null", "--server-ready",
                "8123",
            ]
        ) { run in
            #expect(run.result.exitCode == 0, run.said)
            #expect(run.result.standardOutput == "done\n")
        }
    }

    @Test func `an interrupt ends the run, though the app was to be started again`() async throws {
        try await ScenarioRun.with(
            timeline: """
                  - { at: 1 s, app: terminate }
                  - { at: 500 s, app: relaunch }
                """, script: "sleep 1000", options: ["--timeout", "3 s"]
        ) { run in
            #expect(run.result.exitCode == 124, run.said)
        }
    }
}
