import Foundation
import LinkTesting
import LinuxKernel
import Testing

/// How quickly idle processors wake up is one setting of the whole machine.
@Suite(
    "Wake-ups of processors for the packet engine", .serialized, .requiresEngineHooks,
    .enabled(
        if: KernelThread.mayPrecede && QuickWakeUps() != nil,
        "nobody may go before others, or ask processors to wake up quickly"),
    .tags(.measure))
struct ApplyEngineWakeUpTests {
    /// The longest that a wake-up may take, in microseconds, by all requests together.
    private static func limit() throws -> Int32 {
        let device = try #require(FileHandle(forReadingAtPath: "/dev/cpu_dma_latency"))
        let bytes = try #require(try device.read(upToCount: 4))
        return bytes.reversed().reduce(0) { $0 << 8 | Int32($1) }
    }

    @Test(arguments: [false, true])
    func `they are quick while packets are on the link, and no longer`(
        engineIsKilled: Bool
    ) async throws {
        try await TestNetwork.withEngine { network in
            // The engine of a test before may just have ended.
            try await network.wait { try Self.limit() > 20 }
            let usual = try Self.limit()
            try #require(usual > 20, "somebody else asks for quick wake-ups")
            try await network.applyEngine("LTE")
            async let pings = network.run(
                "ping", ["-q", "-c", "50", "-i", "0.02", "-w", "30", TestNetwork.serverIPv4])
            var limits: [Int32] = []
            try await network.wait {
                limits.append(try Self.limit())
                return limits.last ?? usual <= 20
            }
            #expect(limits.last ?? usual <= 20, "\(limits)")
            if engineIsKilled { try await network.killEngine() }
            #expect(try await pings.exitCode == 0)
            try await network.wait { try Self.limit() == usual }
            #expect(try Self.limit() == usual)
        }
    }
}
