import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import PacketLoop
import Testing

@testable import Recording

@Suite("Packet ends in words", .tags(.unit))
struct PacketEndTests {
    private static func comment(
        _ verdict: Verdict?, isCopy: Bool = false, isReordered: Bool = false,
        _ management: QueueManagement = .dropTail
    ) -> String {
        let record = SamplePackets.record(
            isCopy: isCopy, at: .seconds(1), for: .nanoseconds(65_012_500), verdict)
        return PacketEnd(record: record, isReordered: isReordered).comment(management: management)
    }

    @Test func `each fate has its words`() {
        #expect(Self.comment(.delivered) == "delivered after 65.013 ms")
        #expect(
            Self.comment(.delivered, isReordered: true) == "delivered after 65.013 ms, reordered")
        #expect(
            Self.comment(.delivered, isCopy: true) == "duplicate, delivered after 65.013 ms")
        #expect(
            Self.comment(.corrupted(bit: 99)) == "corrupted bit 99, delivered after 65.013 ms")
        #expect(Self.comment(.lost) == "lost")
        #expect(Self.comment(.queueFull) == "queue full")
        #expect(Self.comment(.managed, .pie) == "dropped by PIE")
        #expect(Self.comment(.managed, .fqCodel) == "dropped by FQ-CoDel")
        #expect(Self.comment(nil) == "exempt: passes at once")
    }

    @Test func `the time at the bottleneck is named`() {
        var record = SamplePackets.record(
            for: .milliseconds(65), late: .milliseconds(2), .delivered)
        record.transmission = .microseconds(1200)
        #expect(
            PacketEnd(record: record).comment(management: .dropTail)
                == "delivered after 65.000 ms, 1.200 ms sending, 2.000 ms late")
        record.queueing = .milliseconds(10)
        #expect(
            PacketEnd(record: record).comment(management: .dropTail)
                == "delivered after 65.000 ms, 10.000 ms queued, 1.200 ms sending, 2.000 ms late")
        record.fate = .disconnected
        #expect(PacketEnd(record: record).comment(management: .dropTail) == "interface down")
    }

    @Test func `decimals`() {
        #expect(DecimalText.text(0, decimals: 3) == "0.000")
        #expect(DecimalText.text(7, decimals: 3) == "0.007")
        #expect(DecimalText.text(1234, decimals: 3) == "1.234")
        #expect(DecimalText.text(.max, decimals: 9) == "18446744073.709551615")
    }
}
