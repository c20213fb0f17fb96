import Foundation
import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@testable import Recording
@testable import PacketLoop

@Suite("Link statistics", .tags(.unit))
struct StatisticsTests {
    private static func direction(
        lateness: Duration = .microseconds(50), packets: Int = 1000,
        delay: Duration = .milliseconds(50)
    ) -> DirectionStatistics {
        var link = LinkEmulator(DirectionConditions(), seed: 1)
        link.enqueue(Packet(slot: 0, length: ByteCount(bytes: 1500)), at: .zero)
        while link.nextVerdict(at: .seconds(1)) != nil {}
        var statistics = DirectionStatistics(link: link.counters)
        statistics.record(
            lateness: lateness, packets: packets,
            limit: LatenessTolerance.standard.limit(delay: delay), at: .seconds(4))
        return statistics
    }

    private static let loop = LoopStatistics(up: direction(), down: direction())

    @Test func `a loop that does as it should is faithful`() {
        #expect(Faithfulness(Self.loop).isGiven)
        #expect(Faithfulness(Self.loop).note == nil)
    }

    @Test func `one that loses what nobody wanted lost is not, and says so`() {
        let busy = "this machine was too busy for the emulation to be exact: "
        let lost = busy + "3 packets were lost that the profile did not lose"
        let unread = "the emulation was not exact: 3 packets could not be read and were lost"
        let notes: [(counter: WritableKeyPath<DirectionStatistics, UInt64>, text: String)] = [
            (\.socketDrops, lost), (\.sendFailures, lost), (\.unreadable, unread),
        ]
        for (counter, note) in notes {
            var loop = Self.loop
            loop.down[keyPath: counter] = 3
            #expect(!Faithfulness(loop).isGiven)
            #expect(Faithfulness(loop).note == note)
        }
    }

    @Test func `what the kernel takes for wrong is not the fault of a busy machine`() {
        var loop = Self.loop
        (loop.down.sendFailures, loop.down.refused) = (3, 3)
        #expect(!Faithfulness(loop).isGiven)
        let refused = "the kernel refused 3 packets, which were lost"
        #expect(Faithfulness(loop).note == "the emulation was not exact: " + refused)
        loop.up.socketDrops = 2
        let lost = "2 packets were lost that the profile did not lose; "
        #expect(
            Faithfulness(loop).note
                == "this machine was too busy for the emulation to be exact: " + lost + refused)
    }

    @Test func `what nobody can receive would be lost without a link, too`() {
        var loop = Self.loop
        (loop.down.sendFailures, loop.down.undeliverable) = (3, 3)
        #expect(Faithfulness(loop).isGiven)
    }

    @Test func `nor is one for whose packets there was too little memory`() {
        var loop = Self.loop
        loop.up.socketDrops = 2
        loop.down.memoryDrops = 3
        let note = "5 packets were lost that the profile did not lose, 3 of them for lack of memory"
        #expect(Faithfulness(loop).note?.hasSuffix(note) == true)
    }

    @Test func `nor is one that is late, unless that was only a packet or two`() {
        var loop = Self.loop
        loop.up = Self.direction(lateness: .milliseconds(20))
        #expect(!Faithfulness(loop).isGiven)
        let lateness = "packets were late, 1% of all by more than 20 ms"
        #expect(Faithfulness(loop).note?.contains(lateness) == true)
        loop.up = Self.direction(lateness: .milliseconds(20), packets: 2)
        #expect(Faithfulness(loop).isGiven)
        loop.up = Self.direction(lateness: .milliseconds(20), packets: 3)
        let note = "3 of 3 packets were late, by up to 20 ms; all in second 4"
        #expect(Faithfulness(loop).note?.hasSuffix(note) == true)
    }

    @Test(arguments: [
        (0, 0.9, true), (0, 1.5, false), (20, 1.5, false), (400, 3.9, true), (400, 4.5, false),
    ])
    func `how late packets may be depends on the delay`(
        delay: Int, lateness: Double, isGiven: Bool
    ) {
        let way = Self.direction(
            lateness: .milliseconds(1) * lateness, delay: .milliseconds(delay))
        #expect(Faithfulness([way]).isGiven == isGiven)
        #expect((Faithfulness([way]).note == nil) == isGiven)
    }

    @Test func `one packet in a hundred may be late, whatever the delay was then`() {
        var way = Self.direction(
            lateness: .milliseconds(3), packets: 990, delay: .milliseconds(400))
        let limit = LatenessTolerance.standard.limit(delay: .zero)
        way.record(lateness: .milliseconds(3), packets: 3, limit: limit, at: .seconds(5))
        way.record(lateness: .milliseconds(3), packets: 7, limit: limit, at: .seconds(6))
        #expect(Faithfulness([way]).isGiven)
        way.record(lateness: .milliseconds(3), packets: 10, limit: limit, at: .seconds(6.5))
        let note =
            "20 of 1010 packets were late, 1% of all by more than 3 ms; "
            + "the most, 17, in second 6"
        #expect(Faithfulness([way]).note?.hasSuffix(note) == true)
        #expect(way.counters.engine?.late.packets == 20)
    }

    @Test func `nor is one that the machine could not fill, unless that was only for a moment`() {
        var loop = Self.loop
        let finding = ShortageWatch.Finding(duration: .milliseconds(300), use: 0.46)
        loop.up.shortage.add(finding, bandwidth: .megabitsPerSecond(5000))
        #expect(Faithfulness(loop).isGiven)
        loop.up.shortage.add(finding, bandwidth: .megabitsPerSecond(5000))
        #expect(!Faithfulness(loop).isGiven)
        let note =
            "for 600 ms it had no processor time left to carry more than 2.3 Gbit/s of 5 Gbit/s"
        #expect(Faithfulness(loop).note?.hasSuffix(note) == true)
    }

    @Test func `counts what passed`() {
        let counters = Self.direction().counters.averaged(over: .seconds(2))
        #expect(counters.engine?.arrivedPackets == 1)
        #expect(counters.packets == 1)
        #expect(counters.bytes == ByteCount(bytes: 1500))
        #expect(counters.bitsPerSecond == 6000)
        #expect(counters.marked == 0)
        #expect(Self.direction().counters.averaged(over: .zero).bitsPerSecond == 0)
    }

    /// Those of two interfaces, each with what `loop` has counted.
    private static func statistics(seed: UInt64) -> LinkStatistics {
        let duration = Duration.milliseconds(1500)
        return LinkStatistics(
            backend: .engine, seed: seed, duration: duration,
            interfaces: ["wifi0", "cell0"].map { name in
                InterfaceStatistics(
                    name: name, profile: "test",
                    counters: loop.counters.averaged(over: duration))
            }, loops: [loop, loop])
    }

    @Test func `of several interfaces are added up`() {
        let statistics = Self.statistics(seed: 1)
        #expect(statistics.up.packets == 2)
        #expect(statistics.down.bytes == ByteCount(bytes: 3000))
        #expect(statistics.down.engine?.arrivedPackets == 2)
        #expect(
            statistics.up.engine?.longestQueuePackets
                == statistics.interfaces[0].up.engine?.longestQueuePackets)
        #expect(statistics.up.engine?.lateness != nil)
    }

    @Test func `survive being sent as JSON`() throws {
        let statistics = Self.statistics(seed: .max)
        #expect(try LinkStatistics(json: statistics.json()) == statistics)
    }

    @Test func `a loopback that was not as it should be spoils the whole`() {
        var statistics = Self.statistics(seed: 1)
        statistics.add(loopback: Self.loop, duration: .seconds(1))
        #expect(statistics.isFaithful == true)
        var lossy = Self.loop
        lossy.up.socketDrops = 1
        statistics.add(loopback: lossy, duration: .seconds(1))
        #expect(statistics.isFaithful == false)
        #expect(statistics.loopback?.up.engine?.socketDroppedPackets == 1)
        #expect(Faithfulness(Self.loop, lossy).note?.contains("1 packets were lost") == true)
    }

    @Test func `what is not known is null and not left out`() throws {
        let counters = DirectionCounters(
            packets: 1, bytes: ByteCount(bytes: 2), dropped: 3, lost: 4, queuedPackets: 5)
        let statistics = LinkStatistics(
            backend: .kernel, seed: nil, duration: .seconds(1), isFaithful: nil,
            counters: LinkCounters(up: counters, down: counters))
        let object = try JSONSerialization.jsonObject(with: Data(statistics.json().utf8))
        let fields = try #require(object as? [String: Any])
        #expect(fields["seed"] is NSNull)
        let up = try #require(fields["up"] as? [String: Any])
        #expect(up["longestQueuePackets"] is NSNull)
        #expect(up["lost"] as? Int == 4)
    }
}
