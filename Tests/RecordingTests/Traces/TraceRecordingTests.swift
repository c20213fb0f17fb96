import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@testable import Recording

@Suite("Recorded delivery traces", .tags(.unit))
struct TraceRecordingTests {
    private static func bytes(_ count: UInt64) -> ByteCount { ByteCount(bytes: count) }

    @Test func `an opportunity is 1500 bytes, however many packets they came in`() {
        var recording = TraceRecording()
        recording.add(Self.bytes(1000), at: .seconds(100))
        recording.add(Self.bytes(1000), at: .seconds(100) + .milliseconds(7))
        recording.add(Self.bytes(1000), at: .seconds(100) + .milliseconds(9))
        recording.add(Self.bytes(4500), at: .seconds(100) + .milliseconds(17))
        // It begins when the first 1500 bytes have come.
        #expect(recording.trace?.text == "0\n2\n10\n10\n10\n")
    }

    @Test func `a clock that is set back does not turn the trace around`() {
        var recording = TraceRecording()
        for milliseconds in [50, 60, 40, 45, 70] {
            recording.add(Self.bytes(1500), at: .milliseconds(milliseconds))
        }
        #expect(recording.trace?.text == "0\n10\n10\n10\n20\n")
    }

    @Test func `what is before and after the busy time is cut off, a pause within is not`() {
        var recording = TraceRecording()
        // An opportunity each second, then 200 each second with a pause, then few again.
        for number in 0..<10 { recording.add(Self.bytes(1500), at: .seconds(number)) }
        for number in 0..<800 where !(300..<500).contains(number) {
            recording.add(Self.bytes(1500), at: .seconds(10) + .milliseconds(5 * number))
        }
        for number in 0..<10 { recording.add(Self.bytes(1500), at: .seconds(15 + number)) }
        let trace = recording.trace
        #expect(trace?.opportunityCount == 600)
        #expect(trace?.period == .milliseconds(3995))
    }

    @Test func `too little is no trace`() {
        var recording = TraceRecording()
        #expect(recording.trace == nil)
        recording.add(Self.bytes(1499), at: .seconds(1))
        #expect(recording.trace == nil)
        // One moment has no length.
        recording.add(Self.bytes(1), at: .seconds(2))
        #expect(recording.trace == nil)
    }

    @Test func `acknowledgements count once, over the end of their numbers`() {
        var acknowledged = AcknowledgedBytes()
        func advance(_ connection: UInt32, _ number: UInt32) -> UInt64 {
            acknowledged.advance(connection: connection, to: number).bytes
        }
        // What a connection had before is not known.
        #expect(advance(1, .max - 1447) == 0)
        #expect(advance(2, 500) == 0)
        #expect(advance(1, 1448) == 3000)
        #expect(advance(1, 1448) == 0)
        // An older one that was overtaken.
        #expect(advance(1, 0) == 0)
        #expect(advance(1, 2896) == 1500)
        #expect(advance(2, 1948) == 1500)
    }
}
