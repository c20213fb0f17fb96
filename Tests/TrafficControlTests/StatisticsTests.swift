import LinkTesting
import Netlink
import Testing

@testable import TrafficControl

@Suite("Traffic statistics", .tags(.unit))
struct StatisticsTests {
    /// A qdisc with the attributes of `TCA_STATS2`.
    private static func statistics(
        _ attributes: [(type: Int, bytes: [UInt8])], kind: String = "pfifo_fast"
    ) throws -> TrafficStatistics {
        let builder = MessageBuilder(type: 36)
        builder.append((UInt64(0), UInt64(0), UInt32(0)))
        builder.put(1, kind)
        builder.nest(7) { builder in
            for (type, bytes) in attributes { builder.put(type, bytes: bytes) }
        }
        return try #require(QdiscState(builder.finish())).statistics
    }

    private static func bytes(_ words: UInt32...) -> [UInt8] {
        words.flatMap { FakeTransport.withBytes(of: $0) }
    }

    @Test("Packets and bytes are counted, in 64 bits where the kernel has them")
    func basic() throws {
        // struct gnet_stats_basic: bytes in 64 bits, packets in 32, and padding.
        let old = try Self.statistics([(1, Self.bytes(1500, 1, 7, 0))])
        #expect(old.bytes == 1500 + 1 << 32)
        #expect(old.packets == 7)
        let wide = try Self.statistics([
            (1, Self.bytes(1500, 0, 7, 0)), (8, Self.bytes(7, 3)),
        ])
        #expect(wide.packets == 7 + 3 << 32)
    }

    @Test("The queue is what waits and what was dropped")
    func queue() throws {
        // struct gnet_stats_queue: packets, bytes, drops, requeues, overlimits.
        let found = try Self.statistics([(3, Self.bytes(5, 7500, 11, 0, 99))])
        #expect(found.queuedPackets == 5)
        #expect(found.drops == 11)
    }

    @Test("The rate is the kernel's estimate, in 64 bits where it does not fit into 32")
    func rate() throws {
        let narrow = try Self.statistics([(2, Self.bytes(1_250_000, 833))])
        #expect(narrow.bytesPerSecond == 1_250_000)
        #expect(narrow.packetsPerSecond == 833)
        let wide = try Self.statistics([
            (2, Self.bytes(.max, 833)), (5, Self.bytes(0, 2, 833, 0)),
        ])
        #expect(wide.bytesPerSecond == 2 << 32)
        #expect(wide.packetsPerSecond == 833)
    }

    @Test("Marks are told by the queues that make them, each in its own way")
    func marks() throws {
        // struct tc_codel_xstats, tc_fq_codel_xstats, tc_pie_xstats; TCA_STATS_APP is 4.
        let codel = Self.bytes(1514, 9, 3, 7000, 100, 0, 41, 1, 0)
        #expect(try Self.statistics([(4, codel)], kind: "codel").marks == 41)
        let fair = Self.bytes(0, 1514, 0, 42, 5, 1, 1, 0, 0, 0)
        #expect(try Self.statistics([(4, fair)], kind: "fq_codel").marks == 42)
        let pie = Self.bytes(0, 0, 15_000, 0, 0, 900, 3, 0, 12, 43)
        #expect(try Self.statistics([(4, pie)], kind: "pie").marks == 43)
        #expect(try Self.statistics([(4, pie)], kind: "netem").marks == nil)
        #expect(try Self.statistics([(4, [1, 2])], kind: "pie").marks == nil)
    }

    @Test("A qdisc that tells nothing has counted nothing")
    func none() throws {
        #expect(try Self.statistics([]) == TrafficStatistics())
        #expect(try Self.statistics([(1, [1, 2, 3]), (3, [1])]) == TrafficStatistics())
    }
}
