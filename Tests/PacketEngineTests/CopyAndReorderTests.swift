import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("Copies, flipped bits and overtaking", .tags(.unit))
struct CopyAndReorderTests {
    private static func events(
        _ conditions: DirectionConditions, count: UInt32, bytes: UInt64 = 100, seed: UInt64 = 3
    ) -> [PacketEvent] {
        var link = LinkEmulator(conditions, seed: seed)
        for slot in 0..<count {
            link.enqueue(slot..<slot + 1, bytes: bytes, at: .microseconds(Int(slot) * 100))
        }
        return link.remainingEvents()
    }

    @Test func `a copy leaves right before its packet, which releases the slot`() {
        let count: UInt32 = 50_000
        let events = Self.events(
            DirectionConditions(delay: .milliseconds(3), duplicate: .percent(10)), count: count)
        let copies = events.indices.filter { !events[$0].releasesSlot }
        let share = Double(copies.count) / Double(count)
        #expect(abs(share - 0.1) < shareBound(0.1, count: Int(count)))
        #expect(copies.allSatisfy { events[$0].slot == events[$0 + 1].slot })
        #expect(copies.allSatisfy { events[$0].time == events[$0 + 1].time })
        #expect(events.filter(\.releasesSlot).map(\.slot) == Array(0..<count))
    }

    @Test func `every bit of a packet is as likely to be flipped`() {
        let count: UInt32 = 100_000
        let events = Self.events(
            DirectionConditions(corrupt: .percent(40)), count: count, bytes: 4)
        var flips = [Double](repeating: 0, count: 32)
        for event in events {
            if case .corrupted(let bit) = event.verdict { flips[Int(bit)] += 1 }
        }
        let total = flips.reduce(0, +)
        #expect(abs(total / Double(count) - 0.4) < shareBound(0.4, count: Int(count)))
        // Chi squared with 31 degrees of freedom: one seed in 10,000 exceeds 69.
        let expected = total / 32
        let chiSquared = flips.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
        #expect(chiSquared < 69)
    }

    @Test func `only the packet that releases the slot has a flipped bit`() {
        let events = Self.events(
            DirectionConditions(duplicate: .one, corrupt: .one), count: 100)
        #expect(events.count == 200)
        #expect(events.allSatisfy { ($0.verdict == .delivered) != $0.releasesSlot })
    }

    @Test func `an empty packet has no bit to flip`() {
        let events = Self.events(DirectionConditions(corrupt: .one), count: 10, bytes: 0)
        #expect(events.allSatisfy { $0.verdict == .delivered })
    }

    @Test func `an overtaker skips the delay, its neighbours do not`() {
        let delay = Duration.milliseconds(10)
        let conditions = DirectionConditions(
            delay: delay, reorder: Reordering(mean: .one, gap: 5))
        let events = Self.events(conditions, count: 1000).sorted { $0.slot < $1.slot }
        for event in events {
            let arrival = Duration.microseconds(Int(event.slot) * 100)
            let isOvertaker = event.slot % 5 == 4
            #expect(event.time == arrival + (isOvertaker ? .zero : delay))
        }
    }

    @Test(arguments: [(1, 0.1), (5, 0.5), (20, 0.02)] as [(Int, Double)])
    func `with gap g and mean m one packet in g - 1 + 1/m overtakes, as in netem`(
        gap: Int, mean: Double
    ) throws {
        let count: UInt32 = 60_000
        let conditions = DirectionConditions(
            delay: .milliseconds(10), reorder: Reordering(mean: try #require(Ratio(mean)), gap: gap)
        )
        let events = Self.events(conditions, count: count)
        let overtakers = events.count { $0.time == .microseconds(Int($0.slot) * 100) }
        // Distances between overtakers are g - 1 + a geometric number: deviation sqrt(1 - m) / m.
        let distance = Double(gap) - 1 + 1 / mean
        let found = Double(count) / Double(overtakers)
        let bound = 3.89 * (1 - mean).squareRoot() / mean / Double(overtakers).squareRoot()
        #expect(abs(found - distance) < bound + 0.01)
    }

    @Test func `the caller is woken for overtakers behind a long line`() {
        var link = LinkEmulator(
            DirectionConditions(
                bandwidth: .megabitsPerSecond(12), delay: .seconds(10),
                reorder: Reordering(mean: .one, gap: 2)), seed: 1)
        link.enqueue(0..<2, at: .zero)
        #expect(link.nextEvent == .milliseconds(1))
        let none = link.events(until: .milliseconds(1))
        #expect(none.isEmpty && link.nextEvent == .milliseconds(2))
        let overtaker = link.events(until: .milliseconds(2))
        #expect(overtaker.map(\.slot) == [1])
        #expect(link.nextEvent == .milliseconds(10_001))
    }

    @Test(arguments: [Int.min, -1, 0])
    func `a gap that is none lets any packet overtake`(gap: Int) {
        let conditions = DirectionConditions(
            delay: .seconds(1), reorder: Reordering(mean: .one, gap: gap))
        let events = Self.events(conditions, count: 10)
        #expect(events.allSatisfy { $0.time == .microseconds(Int($0.slot) * 100) })
    }
}
