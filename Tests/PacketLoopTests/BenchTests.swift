import LinkTesting
import Testing

/// The benches of the engine run, however slow the machine.
@Suite("The benches of the engine", .serialized, .requiresNamespaces)
struct BenchTests {
    @Test
    func `A short soak loses nothing that its conditions do not lose`() async throws {
        let output = try await bench("soak", ["--minutes", "0.05", "--rate", "1000"])
        #expect(output.contains(/packets lost otherwise +0 +at most 0 +ok/), "\(output)")
    }

    @Test
    func `A table has what the engine and a bridge carry`() async throws {
        let output = try await bench(
            "engine", ["--only", "flood", "--repeat", "1", "--seconds", "0.2"])
        #expect(output.contains(/64-byte packets.s, engine segmenting +[0-9]+/), "\(output)")
    }

    private func bench(_ name: String, _ arguments: [String]) async throws -> String {
        let script = "\(BuiltProduct.packageDirectory)/Scripts/benches/\(name)"
        let probe = try BuiltProduct.path(of: "PacketLoopProbe")
        let result = try await runProcess(
            "env", ["PACKET_LOOP_PROBE=\(probe)", "python3", script] + arguments)
        #expect(result.exitCode == 0, "\(result)")
        return result.standardOutput
    }
}
