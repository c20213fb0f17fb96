import Foundation
import LinkModel
import LinkTesting
import LinkUnits
import Testing

@Suite("Counters of a direction", .tags(.unit))
struct DirectionCountersTests {
    private static var counted: DirectionCounters {
        var engine = EngineCounters()
        engine.arrivedPackets = 12
        engine.arrivedBytes = ByteCount(bytes: 15_000)
        engine.heldPackets = 4
        engine.longestQueuePackets = 3
        engine.lateness = .init(p50: 10, p99: 50.5, maximum: 60)
        return DirectionCounters(
            packets: 6, bytes: ByteCount(bytes: 9000), dropped: 1, lost: 1, marked: 2,
            queuedPackets: 3, bitsPerSecond: 72_000, engine: engine)
    }

    private static func fields(_ counters: DirectionCounters) throws -> [String: Any] {
        let data = try JSONEncoder().encode(counters)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func `JSON has them side by side, and null for what the kernel does not tell`() throws {
        var counters = Self.counted
        let known = try Self.fields(counters)
        #expect(known.count == 36)
        #expect(known["bytes"] as? Int == 9000 && known["arrivedBytes"] as? Int == 15_000)
        #expect(known["ecnMarkedPackets"] as? Int == 2)
        #expect((known["latenessMicroseconds"] as? [String: Double])?["p99"] == 50.5)
        counters.engine = nil
        let unknown = try Self.fields(counters)
        #expect(Set(unknown.keys) == Set(known.keys))
        #expect(unknown.filter { $0.value is NSNull }.count == 29)
        #expect(unknown["queuedPackets"] as? Int == 3)
    }

    @Test func `are the same when they are read`() throws {
        var counters = Self.counted
        for engine in [counters.engine, EngineCounters(), nil] {
            counters.engine = engine
            let json = try JSONEncoder().encode(counters)
            #expect(try JSONDecoder().decode(DirectionCounters.self, from: json) == counters)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(DirectionCounters.self, from: Data(#"{"packets":1}"#.utf8))
        }
    }

    @Test func `of two links are added up, and the worse of them counts for the lateness`() {
        var other = Self.counted
        other.engine?.longestQueuePackets = 7
        other.engine?.lateness?.p99 = 40
        other.packets = .max
        let sum = Self.counted + other
        #expect(sum.packets == .max && sum.bytes == ByteCount(bytes: 18_000) && sum.marked == 4)
        #expect(sum.engine?.arrivedPackets == 24 && sum.engine?.longestQueuePackets == 7)
        #expect(sum.engine?.lateness?.p99 == 50.5)
        other.engine = nil
        #expect((Self.counted + other).engine == nil)
    }

    @Test func `held are all packets on the link, as far as the data plane tells them apart`() {
        var counters = Self.counted
        #expect(counters.heldPackets == 4)
        counters.engine = nil
        #expect(counters.heldPackets == 3)
    }
}
