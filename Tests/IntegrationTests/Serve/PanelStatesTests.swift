import LinkTesting
import Testing

/// What the panel shows of rare states, in headless Chromium.
@Suite("Rare states in the panel", .requiresEngineHooks, .tags(.anyKernel))
struct PanelStatesTests {
    /// What `panel_states.py` found.
    private struct Findings: Decodable {
        struct Override: Decodable {
            var cost: String
        }

        var overrides: [String]
        var expensive: [Override]
        var `default`: [Override]
        var wrongTrace: String
        var afterWrong: String
        var trace: String
        var refusalIsGone: Bool
        var traceCommand: String
        var countdowns: [Bool]
        var unmeasured: [String]
        var unlisted: [String]
        var nodes: Int
        var rest: String
        var stopCommand: String
        var stopped: String
        var stopIsOver: Bool
        var awake: Bool
        var complaints: [String]
    }

    @Test(.enabled(if: hasPrograms("chromium"), "chromium is not installed"))
    func `traces, long scenarios, clocks that are set, and what is not measured`() async throws {
        let found = try await PanelScript.run("panel_states.py", Findings.self)
        // The command is the one that leads to what is shown.
        let clear = "sudo linkcond override clear -i eth0"
        #expect(
            found.overrides == [
                clear, "sudo linkcond override set -i eth0 --cost expensive", clear,
            ])
        #expect(found.expensive.map(\.cost) == ["expensive"] && found.default.isEmpty)

        #expect(found.wrongTrace.contains("none.up: no such file"), "\(found.wrongTrace)")
        #expect(found.afterWrong == "apple/LTE")
        #expect(found.trace.contains("bus.up: 0:01 of 1.2 Mbit/s on average"), "\(found.trace)")
        #expect(found.refusalIsGone)
        #expect(found.traceCommand.contains(" --set up.bandwidth=unlimited --set up.trace=/"))

        #expect(found.countdowns == [true, true, true, true])
        for figures in [found.unmeasured, found.unlisted] {
            #expect(figures.first?.hasPrefix("not measured, promised 65 ms") == true, "\(figures)")
            #expect(figures.last == "not told by the kernel")
        }

        // Of ten thousand events.
        #expect(found.nodes < 1000)
        #expect(found.rest == "and 9,700 more" || found.rest == "and 9,701 more", "\(found.rest)")
        #expect(found.stopCommand == "sudo kill -INT PID")
        #expect(found.stopped.hasPrefix("Stopped") && found.stopIsOver)
        #expect(found.awake)
        #expect(found.complaints == [])
    }
}
