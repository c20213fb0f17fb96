import Foundation
import LinkTesting
import Testing

/// Real transfers over a link of known bandwidth, as `linkcond trace record` sees them.
@Suite("Recorded traces", .serialized, .requiresNamespaces, .tags(.anyKernel))
struct TraceRecordTests {
    private struct Numbers: Decodable {
        var periodSeconds: Double
        var percentileBitsPerSecond: [String: Double]
    }

    private static func numbers(_ file: String) async throws -> Numbers {
        let result = try await runProcess(
            try SandboxedRun.program(), ["trace", "show", file, "--json"], workingDirectory: "/")
        guard result.exitCode == 0 else {
            throw TestNetwork.Failure("trace show \(file): \(result.standardError)")
        }
        return try JSONDecoder().decode(Numbers.self, from: Data(result.standardOutput.utf8))
    }

    @Test func `both directions have the rates of the link, and the command's code comes back`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let profile = try directory.write(
                """
                name: Known
                down: { bandwidth: 8 Mbit/s, delay: 10 ms }
                up: { bandwidth: 3 Mbit/s, delay: 10 ms }
                """, to: "known.yaml")
            let name = directory.path + "/home"
            let result = try await SandboxedRun(
                profile, "--uplink", "none", "--server", "iperf3 --server >/dev/null",
                "--server", "iperf3 --server --port 5202 >/dev/null", "--server-ready", "5201",
                "--server-ready", "5202", "--", try SandboxedRun.program(), "trace", "record",
                name, "--", "sh", "-c",
                """
                iperf3 --client server.linkcond --reverse --time 3 >/dev/null
                iperf3 --client server.linkcond --port 5202 --time 3 >/dev/null; exit 7
                """
            ).result()
            #expect(result.exitCode == 7, "\(result.standardError)")
            for (file, rate) in [("\(name).down", 8e6), ("\(name).up", 3e6)] {
                let numbers = try await Self.numbers(file)
                // What belongs to the other transfer is cut off.
                #expect((1...6).contains(numbers.periodSeconds), "\(file)")
                // On a busy machine TCP pauses; while it sends, the link decides.
                let upper = try #require(numbers.percentileBitsPerSecond["p75"])
                #expect((0.6...1.2).contains(upper / rate), "\(file): \(upper)")
            }
        }
    }

    @Test func `a file that is there is not written over`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let name = directory.path + "/old"
            try directory.write("kept", to: "old.up")
            let result = try await SandboxedRun(
                "LTE", "--uplink", "none", "--", try SandboxedRun.program(), "trace", "record",
                name, "-i", "eth0", "--", "echo", "started"
            ).result()
            #expect(result.exitCode == 73)
            #expect(result.standardOutput == "")
            #expect(result.standardError.contains("old.up: already exists"))
        }
    }

    @Test func `what came is kept though the interface went down, and nobody goes on`() async throws
    {
        try await withTemporaryDirectory { directory in
            try await TestNetwork.with { network in
                let name = directory.path + "/shaky"
                let ping = "ping -q -f -c 300 \(TestNetwork.serverIPv4)"
                let command = """
                    trap '' TERM; \(ping); ip link set eth0 down; ip link set eth0 up; \(ping)
                    touch \(directory.path)/started; while :; do sleep 0.1; done
                    """
                let result = try await network.linkcond(
                    ["trace", "record", name, "-i", "eth0", "--for", "4s"]
                        + ["--", "sh", "-c", command])
                #expect(result.exitCode == 0, "\(result)")
                let packets = try String(contentsOfFile: name + ".down", encoding: .utf8)
                #expect(packets.split(separator: "\n").count > 30)
                let left = try await runProcess("ip", ["netns", "pids", network.app])
                // The command's last sleep.
                #expect(left.standardOutput.split(separator: "\n").count <= 1, "\(left)")
            }
        }
    }

    @Test func `nothing that came is no trace and leaves no file`() async throws {
        try await withTemporaryDirectory { directory in
            let name = directory.path + "/silent"
            let result = try await SandboxedRun(
                "LTE", "--uplink", "none", "--", try SandboxedRun.program(), "trace", "record",
                name, "-i", "eth0", "--for", "200ms"
            ).result()
            #expect(result.exitCode == 1)
            #expect(result.standardError.contains("keep the link busy"))
            #expect(!FileManager.default.fileExists(atPath: "\(name).down"))
        }
    }

    @Test(arguments: Caller.allCases)
    func `a run is drawn over time`(caller: Caller) async throws {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path)")
            for name in ["run.html", "run.svg"] {
                let file = "\(directory.path)/\(name)"
                let result = try await SandboxedRun(
                    "LTE", "--uplink", "none", "--timeline", file, "--", "sh", "-c",
                    "ping -n -c 20 -i 0.02 198.18.0.1 >/dev/null; exit 4", by: caller
                ).result()
                #expect(result.exitCode == 4, "\(result.standardError)")
                let drawing = try String(contentsOfFile: file, encoding: .utf8)
                #expect(drawing.hasPrefix(name.hasSuffix("html") ? "<!DOCTYPE html>" : "<svg "))
                #expect(drawing.contains("LTE: sh -c ping -n -c 20"))
                #expect(drawing.contains(">Throughput<"))
                #expect(drawing.contains(">Delay on the link<"))
            }
        }
    }

    @Test func `a drawing that cannot be written is an error before anything happens`()
        async throws
    {
        let result = try await SandboxedRun(
            "LTE", "--uplink", "none", "--timeline", "/proc/none", "--", "echo", "started"
        ).result()
        #expect(result.exitCode == 73)
        #expect(result.standardOutput == "")
    }
}
