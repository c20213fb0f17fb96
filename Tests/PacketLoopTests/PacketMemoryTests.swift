import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import PacketLoop

@Suite("Memory for packets", .tags(.unit))
struct PacketMemoryTests {
    @Test(
        arguments: [
            (nil, 256 << 20), (512 << 20, 32 << 20), (64 << 20, 12 << 20), (4096, 12 << 20),
            (0, 12 << 20), (1 << 62, 256 << 20),
        ] as [(UInt64?, UInt64)])
    func `is a share of what the process may have`(limit: UInt64?, bytes: UInt64) {
        #expect(PacketMemory.share(of: limit, among: 16) == ByteCount(bytes: bytes))
    }

    @Test func `the least has room for an inbox, and for as much again`() throws {
        var store = try FrameStore(limit: PacketMemory.least)
        for _ in 0..<2 * ReceiveBatch.capacity {
            _ = try store.mustTake(.small)
            _ = try store.mustTake(.large)
        }
    }
}
