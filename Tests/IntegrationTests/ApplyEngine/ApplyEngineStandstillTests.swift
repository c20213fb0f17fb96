import Foundation
import LinkTesting
import Testing

/// A packet engine that stands still or dies, in both ways in which it gets its packets.
@Suite("Standstill of the packet engine", .requiresEngineHooks, .tags(.anyKernel))
struct ApplyEngineStandstillTests {
    @Test(arguments: EngineHooks.available)
    func `an engine that is stopped under load is ended, and traffic flows`(
        _ hooks: EngineHooks
    ) async throws {
        try await TestNetwork.withEngine { network in
            #expect(try await network.applyEngine(by: hooks, "Edge").exitCode == 0)
            async let probing = network.probe(down: true, count: 1200, rate: 300)
            let process = try #require(try await network.engineProcesses().first)
            kill(process, SIGSTOP)
            #expect(try await network.flows())
            let probe = try await probing
            #expect(probe.duplicates == 0, "\(probe)")
            let status = try await network.engineStatus()
            #expect(status.problem?.contains("stood still and was ended") == true, "\(status)")
            #expect(try await network.engineProcesses() == [])
            #expect(try await network.applyEngine(by: hooks, "LTE").exitCode == 0)
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
        }
    }

    @Test(arguments: EngineHooks.available)
    func `an engine that is killed lets traffic flow, and its guardian leaves nothing else`(
        _ hooks: EngineHooks
    ) async throws {
        try await TestNetwork.withEngine { network in
            #expect(try await network.applyEngine(by: hooks, "Edge").exitCode == 0)
            async let probing = network.probe(down: true, count: 1200, rate: 300)
            try await network.killEngine()
            #expect(try await network.flows())
            let probe = try await probing
            #expect(probe.duplicates == 0, "\(probe)")
            let status = try await network.engineStatus()
            #expect(status.problem?.contains("has died") == true, "\(status)")
            try await network.wait { try await network.processes("linkcond-guard").isEmpty }
            #expect(try await !network.filters().contains("linkcond"))
        }
    }

    @Test(arguments: EngineHooks.available)
    func `without its guardian an engine ends, and it is known that there were conditions`(
        _ hooks: EngineHooks
    ) async throws {
        try await TestNetwork.withEngine { network in
            #expect(try await network.applyEngine(by: hooks, "LTE").exitCode == 0)
            for guardian in try await network.processes("linkcond-guard") {
                kill(guardian, SIGKILL)
            }
            try await network.wait { try await network.engineProcesses().isEmpty }
            let status = try await network.engineStatus()
            #expect(status.problem?.contains("guardian") == true, "\(status)")
            #expect(status.profile == "apple/LTE")
            #expect(try await network.flows())
            #expect(try await !network.filters().contains("linkcond"))
        }
    }

    @Test(arguments: EngineHooks.available)
    func `when engine and guardian are both stopped, traffic flows, and waits for neither`(
        _ hooks: EngineHooks
    ) async throws {
        try await TestNetwork.withEngine { network in
            #expect(try await network.applyEngine(by: hooks, "LTE").exitCode == 0)
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
            let guardians = try await network.processes("linkcond-guard")
            let processes = guardians + (try await network.engineProcesses())
            #expect(processes.count == 2)
            // The guardian first: it would kill the engine.
            async let probing = network.probe(down: true, count: 1200, rate: 300)
            try await Task.sleep(for: .milliseconds(500))
            for process in processes { kill(process, SIGSTOP) }
            #expect(try await network.flows())
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) < 50)
            for process in processes.reversed() { kill(process, SIGCONT) }
            // What was under way would come after what has passed meanwhile.
            let probe = try await probing
            #expect(probe.reordered == 0 && probe.duplicates == 0, "\(probe)")
            let problem = try await network.engineStatus().problem
            #expect(problem?.contains("passed as without conditions") == true, "\(problem ?? "")")
            try await network.mustRun("clear")
        }
    }

    @Test func `an engine that is slow for a moment goes on`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let process = try #require(try await network.engineProcesses().first)
            let script = """
                for round in 1 2 3 4 5 6; do
                    kill -STOP \(process); sleep 0.1; kill -CONT \(process); sleep 0.2
                done
                """
            _ = try await runProcess("sh", ["-c", script])
            #expect(try await network.engineProcesses() == [process])
            #expect(try await network.engineStatus().defect == nil)
        }
    }

    @Test func `who is to end the conditions of a killed engine is known, and dismissed`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--for", "1h")
            try await network.killEngine()
            let status = try await network.engineStatus()
            #expect(status.until != nil && status.problem?.contains("has died") == true)
            let alias = try await network.run("ip", ["link", "show", "lcu100"]).standardOutput
            let watcher = try #require(alias.firstMatch(of: /watch=([0-9a-z]+)/)?.output.1)
            func lives() async throws -> Bool {
                try await runProcess("pgrep", ["-f", "linkcond watch \(watcher) "]).exitCode == 0
            }
            #expect(try await lives())
            try await network.mustRun("clear")
            try await network.wait { try await !lives() }
            #expect(try await !lives())
        }
    }

    @Test(arguments: EngineHooks.available)
    func `conditions that come first are named, and a dry run knows its place beside them`(
        _ hooks: EngineHooks
    ) async throws {
        try await TestNetwork.withEngine { network in
            let web = try await network.applyEngine(
                by: hooks, "LTE", "--name", "web", "--protocol", "tcp")
            #expect(web.exitCode == 0, "\(web)")
            let dry = try await network.applyEngine(by: hooks, "3G", "--name", "x", "--dry-run")
            #expect(dry.standardOutput.contains("ip link add lcu100.1 "), "\(dry)")
            #expect(dry.standardOutput.contains("called web, which stand there"), "\(dry)")
            let other = try await network.applyEngine(
                by: hooks, "3G", "--name", "dns", "--protocol", "udp", "--port", "53")
            #expect(other.exitCode == 0, "\(other)")
            let all = try await network.applyEngine(by: hooks, "3G")
            #expect(all.exitCode == 0 && all.standardError.contains("called web, dns come first"))
            #expect(!other.standardError.contains("come first"), "\(other)")
        }
    }
}
