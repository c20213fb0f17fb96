import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import PacketLoop

@Suite("Memory for packets", .tags(.unit))
struct PacketMemoryTests {
    @Test(
        arguments: [
            (nil, nil, 256 << 20), (nil, 512 << 20, 32 << 20), (400 << 20, nil, 12_800 << 10),
            (400 << 20, 64 << 20, 12 << 20), (1 << 62, 1 << 62, 256 << 20), (0, 4096, 12 << 20),
        ] as [(UInt64?, UInt64?, UInt64)])
    func `is a share of what the process may have`(
        addressSpace: UInt64?, controlGroups: UInt64?, bytes: UInt64
    ) {
        let share = PacketMemory.share(addressSpace: addressSpace, controlGroups: controlGroups)
        #expect(share == ByteCount(bytes: bytes))
    }

    @Test func `the least has room for an inbox, and for as much again`() throws {
        var store = try FrameStore(limit: PacketMemory.least)
        for _ in 0..<2 * ReceiveBatch.capacity {
            _ = try store.mustTake(.small)
            _ = try store.mustTake(.large)
        }
    }
}
