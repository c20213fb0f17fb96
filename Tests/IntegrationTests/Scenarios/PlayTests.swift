import Foundation
import LinkTesting
import Testing

/// `linkcond play` on real interfaces.
@Suite("Play", .serialized, .requiresNamespaces, .tags(.anyKernel))
struct PlayTests {
    private static let scenario = """
        name: A test
        interfaces: { wifi0: { profile: WiFi, constrained: true } }
        timeline:
          - { at: 0.3 s, set: { up.delay: 300 ms }, over: 200 ms }
          - { at: 1 s, expect: { isConstrained: true, interface: wifi0 } }
          - { at: 1.1 s, app: suspend }
          - { at: 1.2 s, exec: "ping -c 1 192.0.2.2 > $D/slow" }
          - { at: 6 s, down: true }
          - { at: 6.1 s, expect: { command: "! ping -c 1 -W 1 192.0.2.2 > $D/down", within: 20 s } }
        """

    @Test func `plays to real packets and leaves nothing`() async throws {
        try await TestNetwork.with { network in
            try await withTemporaryDirectory { directory in
                let file = try directory.write(Self.scenario, to: "test.yaml")
                let before = try await network.state()
                let result = try await network.run(
                    "env", ["D=\(directory.path)", try TestNetwork.program(), "play", file])
                #expect(result.exitCode == 0, "\(result.standardError)")
                #expect(result.standardError.contains("1 entry is left out"))
                #expect(result.standardError.contains("all its packets are lost"))
                let slow = try String(contentsOfFile: directory.path + "/slow", encoding: .utf8)
                let time = slow.firstMatch(of: /time=([0-9.]+)/).flatMap { Double($0.output.1) }
                #expect((time ?? 0) > 300, "\(slow)\(result)")
                try await network.expectUnchanged(since: before)
            }
        }
    }

    @Test(arguments: ["INT", "KILL"])
    func `leaves nothing when a signal ends it`(signal: String) async throws {
        try await TestNetwork.with { network in
            try await withTemporaryDirectory { directory in
                let file = try directory.write(
                    Self.scenario.replacing("at: 6.1 s", with: "at: 300 s"), to: "test.yaml")
                let before = try await network.state()
                // Ends it once it has begun to do something.
                let script = """
                    "$0" play \(file) 2> \(directory.path)/said & 
                    until grep -q reached \(directory.path)/said; do sleep 0.1; done
                    ip link show eth0 | grep -o 'linkcond:1'; kill -\(signal) $!; wait $!; echo $?
                    """
                let result = try await network.run("bash", ["-c", script, TestNetwork.program()])
                let code = signal == "INT" ? 130 : 137
                #expect(
                    result.standardOutput == "linkcond:1\n\(code)\n", "\(result.standardError)")
                // Whoever is killed has somebody who sees to it.
                for _ in 0..<100 where try await network.state() != before {
                    try await Task.sleep(for: .milliseconds(200))
                }
                try await network.expectUnchanged(since: before)
            }
        }
    }

    @Test func `says what is wrong with its interfaces`() async throws {
        try await TestNetwork.with { network in
            try await withTemporaryDirectory { directory in
                let one = try directory.write(Self.scenario, to: "one.yaml")
                let two = try directory.write(
                    "name: Two\ninterfaces: { wifi0: { profile: WiFi }, cell0: { profile: LTE } }\n",
                    to: "two.yaml")
                func complaint(_ arguments: String...) async throws -> String {
                    let result = try await network.linkcond(["play"] + arguments)
                    #expect(result.exitCode == 64, "\(result.standardError)")
                    return result.standardError
                }
                #expect(try await complaint(two).contains("-i wifi0=NAME -i cell0=NAME"))
                #expect(try await complaint(two, "-i", "wifi0=eth0").contains("-i cell0=NAME"))
                #expect(
                    try await complaint(two, "-i", "wifi0=eth0", "-i", "cell0=eth0").contains(
                        "can stand for one"))
                #expect(try await complaint(one, "-i", "wlan=eth0").contains("has wifi0"))
                #expect(try await complaint(one, "-i", "eth9").contains("eth9"))
                try await network.mustRun("override", "set", "--expensive")
                #expect(try await complaint(one).contains("override clear -i eth0"))
                try await network.mustRun("override", "clear")
                try await network.mustRun("apply", "LTE")
                #expect(try await complaint(one).contains("linkcond clear -i eth0"))
                try await network.mustRun("clear")
            }
        }
    }
}
