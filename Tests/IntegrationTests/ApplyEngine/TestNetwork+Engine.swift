import Foundation
import LinkTesting
import Testing

/// A network whose app's interface is conditioned by the packet engine.
extension TestNetwork {
    /// Runs `body` with a network of its own, and sees to it that `clear` leaves nothing.
    static func withEngine<Result>(
        _ body: (TestNetwork) async throws -> Result
    ) async throws -> Result {
        try await with { network in
            let before = try await network.engineState()
            let result: Result
            do {
                result = try await body(network)
            } catch {
                _ = try? await network.mustRun("clear")
                throw error
            }
            try await network.mustRun("clear")
            try await network.expectNothingLeft(since: before)
            return result
        }
    }

    /// Applies conditions by the packet engine and fails unless that is said to be done.
    @discardableResult
    func applyEngine(_ arguments: String...) async throws -> String {
        let result = try await linkcond(["apply", "--backend", "engine"] + arguments)
        guard result.exitCode == 0 else { throw Failure("apply failed: \(result.standardError)") }
        return result.standardError
    }

    /// Applies conditions by the packet engine, which gets its packets in this way.
    @discardableResult
    func applyEngine(by hooks: EngineHooks, _ arguments: String...) async throws -> ProcessResult {
        let program = try Self.program()
        let words = [program, "apply", "--backend", "engine"] + arguments
        return try await run("env", ["LINKCOND_ENGINE_HOOKS=\(hooks.rawValue)"] + words)
    }

    /// What the engine could leave behind: interfaces, qdiscs, tables.
    func engineState() async throws -> String {
        // Without what is in sets: the time that it has left, as long as the engine lives.
        let script = """
            ip -o link | cut -d' ' -f2; tc qdisc show; nft list ruleset | grep -v 'elements = '
            tc filter show
            """
        return try await run("sh", ["-c", script]).standardOutput
    }

    /// Fails with what has changed since an earlier `engineState()`, and with engines that run.
    func expectNothingLeft(
        since before: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // The kernel ends the engine's nft, which takes it a moment.
        try await wait { try await processes().isEmpty }
        #expect(try await processes() == [], sourceLocation: sourceLocation)
        let after = try await engineState()
        #expect(after == before, sourceLocation: sourceLocation)
    }

    /// All processes of the app's namespace.
    private func processes() async throws -> [Int32] {
        let pids = try await runProcess("ip", ["netns", "pids", app]).standardOutput
        return pids.split(whereSeparator: \.isNewline).compactMap { Int32($0) }
    }

    /// The packet engines of the app's namespace.
    func engineProcesses() async throws -> [Int32] { try await processes("linkcond-engine") }

    /// The processes of the app's namespace that have this name.
    func processes(_ name: String) async throws -> [Int32] {
        try await processes().filter { pid in
            // A process that has just ended has no name any more.
            (try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)) == name + "\n"
        }
    }

    /// Waits until something is so, or it has taken too long.
    func wait(until isSo: () async throws -> Bool) async throws {
        for _ in 0..<500 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Kills the engine and waits until it is gone.
    func killEngine(signal: Int32 = SIGKILL) async throws {
        let process = try #require(try await engineProcesses().first)
        kill(process, signal)
        try await wait { kill(process, 0) != 0 }
        #expect(try await engineProcesses() == [])
    }

    /// Fails if no round trip is fast, in milliseconds, however often it is tried.
    func expectFast(
        sourceLocation: SourceLocation = #_sourceLocation, _ time: () async throws -> Double
    ) async throws {
        var best = Double.infinity
        for _ in 0..<20 where best >= 50 { best = min(best, try await time()) }
        #expect(best < 50, sourceLocation: sourceLocation)
    }

    /// The engine's status, of the app's interface.
    func engineStatus() async throws -> Status.Interface {
        try #require(try await status().conditioned.first)
    }
}
