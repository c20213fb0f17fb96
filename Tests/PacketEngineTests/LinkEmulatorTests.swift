import LinkModel
import LinkUnits
import PacketEngine
import Testing

@Suite("Link emulator")
struct LinkEmulatorTests {
    @Test func `a link that only delays delivers in order, each packet after the delay`() {
        var link = LinkEmulator(DirectionConditions(delay: .milliseconds(40)), seed: 1)
        for slot in 0..<3 as Range<UInt32> {
            link.enqueue(
                Packet(slot: slot, length: ByteCount(bytes: 1500)), at: .milliseconds(Int(slot)))
        }
        #expect(link.nextEvent == .milliseconds(40))
        #expect(link.nextVerdict(at: .milliseconds(39)) == nil)
        let events = (0..<3).compactMap { _ in link.nextVerdict(at: .seconds(1)) }
        #expect(events.map(\.slot) == [0, 1, 2])
        #expect(events.map(\.time) == [40, 41, 42].map { .milliseconds($0) })
        #expect(link.nextEvent == nil)
    }
}
