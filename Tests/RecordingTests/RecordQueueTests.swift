import LinkModel
import LinkTesting
import PacketEngine
import PacketLoop
import Testing

@testable import Recording

@Suite("Record queue", .tags(.unit))
struct RecordQueueTests {
    private let frame = [UInt8](repeating: 7, count: 100)

    @Test func `gives back in order what was put in, and that once`() throws {
        let queue = try RecordQueue(bytes: 1000, limit: .max)
        for number in 1...3 {
            queue.append(
                SamplePackets.record(number: UInt64(number), .delivered), frame: frame.span)
        }
        let numbers = queue.takeAll { batch in
            (0..<batch.count).map { index in
                batch.withFrame(index) { #expect($0.count == 100) }
                return batch.record(index).number
            }
        }
        #expect(numbers == [1, 2, 3])
        #expect(queue.takeAll { $0.count } == 0)
        #expect(queue.missing.total == 0)
    }

    @Test func `counts what finds no room, and has room again afterwards`() throws {
        let queue = try RecordQueue(bytes: 1000, limit: .max)
        for _ in 0..<15 {
            queue.append(SamplePackets.record(.down, .lost), frame: frame.span)
        }
        #expect(queue.missing[0, .down] == 5)
        #expect(queue.takeAll { $0.count } == 10)
        queue.append(SamplePackets.record(.up, .lost), frame: frame.span)
        #expect(queue.takeAll { $0.count } == 1)
        #expect(queue.missing.total == 5)
    }

    @Test func `keeps no more of a frame than it should`() throws {
        let queue = try RecordQueue(bytes: 1000, limit: 10)
        for _ in 0..<20 {
            queue.append(SamplePackets.record(.up, .delivered), frame: frame.span)
        }
        #expect(queue.missing.total == 0)
        queue.takeAll { batch in batch.withFrame(0) { #expect($0.count == 10) } }
    }

    @Test func `never more packets than its capacity`() throws {
        let queue = try RecordQueue(bytes: 1 << 20, limit: 0)
        for _ in 0..<PacketBatch.capacity + 1 {
            queue.append(SamplePackets.record(.up, .delivered), frame: frame.span)
        }
        #expect(queue.missing.total == 1)
    }
}
