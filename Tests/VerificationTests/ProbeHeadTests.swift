import LinkTesting
import Testing

@testable import Verification

@Suite("Head of a probe", .tags(.unit))
struct ProbeHeadTests {
    private static let sample = ProbeHead(
        number: 0x0102_0304, sent: .nanoseconds(1_700_000_000_123_456_789))

    private func payload(_ head: ProbeHead = sample, count: Int) -> [UInt8] {
        var payload = [UInt8](repeating: 0, count: count)
        head.write(to: &payload)
        return payload
    }

    private func read(_ payload: [UInt8]) -> ProbeHead? { ProbeHead(payload.span) }

    @Test("What was written is read", arguments: [24, 25, 1472, 8972])
    func roundTrip(count: Int) {
        let ends = [
            ProbeHead(number: 0, sent: .zero),
            ProbeHead(number: .max, sent: .nanoseconds(Int64.max)),
        ]
        for head in [Self.sample] + ends { #expect(read(payload(head, count: count)) == head) }
    }

    @Test("A head leaves nothing of the one before it")
    func overwriting() {
        var reused = payload(ProbeHead(number: .max, sent: .nanoseconds(Int64.max)), count: 100)
        Self.sample.write(to: &reused)
        #expect(reused == payload(count: 100))
    }

    @Test("Any flipped bit is found")
    func damage() {
        let whole = payload(count: 100)
        for bit in 0..<whole.count * 8 {
            var damaged = whole
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(read(damaged) == nil, "bit \(bit)")
        }
    }

    @Test("A packet of another length than was sent is damaged")
    func length() {
        let whole = payload(count: 100)
        for count in 0..<whole.count { #expect(read(Array(whole.prefix(count))) == nil) }
        #expect(read(whole + [0]) == nil)
    }

    @Test("Noise is no probe")
    func noise() {
        var generator = SeededGenerator(seed: 1)
        for count in 0..<1000 {
            #expect(read([UInt8](repeating: 0, count: count)) == nil)
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(read(noise) == nil)
        }
    }
}
