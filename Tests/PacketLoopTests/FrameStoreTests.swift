import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import PacketLoop

@Suite("Frame store", .tags(.unit))
struct FrameStoreTests {
    private static let limit = ByteCount(bytes: 200_000)

    @Test
    func `Slots in use stay below the limit, and each is there again when it is released`() throws {
        var store = try FrameStore(limit: Self.limit)
        var taken: [FrameStore.ID] = []
        while let id = store.take(.small) { taken.append(id) }
        #expect(taken.count == 200_000 / 1728)
        let further = store.take(.large)
        #expect(further == nil)
        for id in taken { store.release(id) }
        let used = store.used
        #expect(used == 0)
        for _ in 0..<3 { taken.append(try store.mustTake(.large)) }
        let fourth = store.take(.large)
        #expect(fourth == nil)
        for id in taken.suffix(3) { store.release(id) }
        for _ in 0..<1000 {
            let id = try store.mustTake(.small)
            #expect(taken.contains(id))
            store.release(id)
        }
    }

    @Test
    func `No two slots overlap`() throws {
        var store = try FrameStore(limit: Self.limit)
        var ranges: [Range<Int>] = []
        for size in [FrameStore.SlotSize.small, .large, .medium, .small, .medium, .large] {
            ranges.append(store.room(of: try store.mustTake(size)))
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        for (left, right) in zip(ranges, ranges.dropFirst()) {
            #expect(left.upperBound <= right.lowerBound)
        }
    }

    @Test
    func `A slot stays until its last reference is gone`() throws {
        var store = try FrameStore(limit: Self.limit)
        let id = try store.mustTake(.small)
        store.retain(id, count: 2)
        store.release(id)
        store.release(id)
        let used = store.used
        #expect(used == FrameStore.SlotSize.small.rawValue)
        store.release(id)
        let rest = store.used
        #expect(rest == 0)
    }

    @Test
    func `A tag that was taken out is put back, and offsets move with it`() throws {
        var store = try FrameStore(limit: Self.limit)
        let frame = SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, [1, 2, 3]))
        var virtual = VirtualHeader()
        virtual.isChecksumPartial = true
        (virtual.checksumStart, virtual.checksumOffset) = (34, 6)
        let id = try store.put(frame, virtual)
        store.insert(etherType: 0x8100, control: 0x602a, into: id)
        store.withFrame(id) { found, bytes in
            #expect(found.checksumStart == 38 && found.checksumOffset == 6)
            let expected =
                frame.bytes[..<12] + [0x81, 0, 0x60, 0x2a] + frame.bytes[12...]
            #expect(Array(bytes) == Array(expected))
        }
        // The slot's next frame begins where frames begin.
        store.release(id)
        let next = try store.mustTake(.small)
        let (range, room) = (store[next].range, store.room(of: next))
        #expect(next == id && range.lowerBound == room.lowerBound)
    }

    @Test
    func `A corrupted packet has one other bit, and had its checksum finished before`() throws {
        var store = try FrameStore(limit: Self.limit)
        let transport = SampleFrame.udp(target: 9, [1, 2, 3, 4, 5])
        var frame = SampleFrame.ipv4(protocol: 17, transport)
        let pseudo = pseudoHeaderSum(
            addresses: SampleFrame.sourceV4 + SampleFrame.targetV4, protocol: 17, length: 13)
        (frame.bytes[40], frame.bytes[41]) = (big(pseudo)[0], big(pseudo)[1])
        var virtual = VirtualHeader()
        virtual.isChecksumPartial = true
        (virtual.checksumStart, virtual.checksumOffset) = (34, 6)
        let id = try store.put(frame, virtual)
        store[id].network = 14
        store[id].length = 33
        for bit: UInt64 in [0, 9, 28 * 8, 33 * 8 - 1, 33 * 8] {
            guard let copy = store.corruptedCopy(of: Ticket(frame: id), bit: bit) else {
                throw StoreFull()
            }
            store.withFrame(copy) { found, bytes in
                var bytes = Array(bytes)
                #expect(!found.isChecksumPartial)
                bytes[14 + Int(bit % 264) / 8] ^= 0x80 >> UInt8(bit % 8)
                #expect(onesSum(big(pseudo) + bytes[34...]) == 0xffff)
                #expect(bytes[..<40] == frame.bytes[..<40])
            }
            store.release(copy)
        }
        let used = store.used
        #expect(used == FrameStore.SlotSize.small.rawValue)
    }
}

private struct StoreFull: Error {}

extension FrameStore {
    mutating func mustTake(_ size: SlotSize) throws -> ID {
        guard let id = take(size) else { throw StoreFull() }
        return id
    }

    /// A slot with a frame, as if it had been received.
    mutating func put(_ frame: SampleFrame, _ virtual: VirtualHeader) throws -> ID {
        let id = try mustTake(.fitting(VirtualHeader.count + frame.bytes.count))
        setCount(VirtualHeader.count + frame.bytes.count, of: id)
        memory.withMutableBytes(in: self[id].range) { bytes in
            virtual.write(to: &bytes)
            for (index, byte) in frame.bytes.enumerated() {
                bytes[VirtualHeader.count + index] = byte
            }
        }
        return id
    }
}

extension Array where Element == UInt8 {
    init(_ span: Span<UInt8>) {
        self = span.indices.map { span[$0] }
    }
}
