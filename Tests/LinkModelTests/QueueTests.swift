import LinkModel
import LinkTesting
import LinkUnits
import Testing

@Suite("Bottleneck queue", .tags(.unit))
struct QueueTests {
    @Test(
        "The default is 100 ms at the bandwidth, but at least 50 packets",
        arguments: [
            (50_000_000, 417), (10_000_000, 84), (6_000_000, 50), (780_000, 50), (8, 50),
            (1_000_000_000, 8334), (1_000_000_000_000, 8_333_334),
        ] as [(UInt64, Int)])
    func byDefault(bits: UInt64, packets: Int) {
        let conditions = DirectionConditions(bandwidth: .bitsPerSecond(bits))
        #expect(conditions.queuePackets == packets)
    }

    @Test("The default is sound at every bandwidth and MTU")
    func byDefaultOfSmallPackets() {
        let conditions = DirectionConditions(
            bandwidth: .bitsPerSecond(1_000_000_000_000), mtu: LinkMTU(bytes: 68))
        #expect(conditions.queuePackets == 10_000_000)
        #expect(conditions.problem == nil)
    }

    @Test("Nothing queues where nothing limits the rate")
    func unlimited() {
        #expect(DirectionConditions(delay: .milliseconds(50)).queuePackets == nil)
    }

    @Test(
        "A limit in bytes or time is as many packets of 1500 bytes, at least one",
        arguments: [
            (.packets(30), 30), (.bytes(ByteCount(bytes: 65536)), 44),
            (.bytes(ByteCount(bytes: 1)), 1), (.time(.milliseconds(200)), 167),
            (.time(.nanoseconds(1)), 1), (.bytes(ByteCount(bytes: .max)), 12_297_829_382_473_035),
        ] as [(QueueLimit, Int)])
    func limits(limit: QueueLimit, packets: Int) {
        let conditions = DirectionConditions(bandwidth: .megabitsPerSecond(10), queue: limit)
        #expect(conditions.queuePackets == packets)
    }

    @Test("A limit is printed as a profile writes it")
    func text() {
        #expect(QueueLimit.packets(50).description == "50 packets")
        #expect(QueueLimit.bytes(ByteCount(bytes: 65536)).description == "64 KiB")
        #expect(QueueLimit.time(.milliseconds(200)).description == "200 ms")
    }
}
