import Glibc
import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import PacketEngine
import Testing

@testable import PacketLoop

/// Frames made by hand across a loop in real time.
@Suite("Frames across a loop", .serialized, .requiresNamespaces)
struct LoopFrameTests {
    private static let delayed = LinkConditions(
        down: .init(delay: .milliseconds(30)), up: .init(delay: .milliseconds(30)))

    /// Numbered packets, the number in the UDP payload.
    private static func numbered(_ count: Int, size: Int = 40) -> [[UInt8]] {
        (0..<count).map { number in
            let payload = big(UInt16(number)) + [UInt8](repeating: 7, count: size - 2)
            return SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, payload)).bytes
        }
    }

    private static func numbers(_ frames: [ReceivedBytes]) -> [Int] {
        frames.map { Int($0.bytes[42]) << 8 | Int($0.bytes[43]) }
    }

    @Test
    func `Frames of all sizes cross both ways byte for byte`() async throws {
        try await TestWires.with { wires in
            let loop = try wires.loop(Self.delayed)
            let ends = (try wires.end("app"), try wires.end("far"))
            let frames = [14, 60, 1500, 1714, 1715, 1716, 4000, 8986].map { size in
                SampleFrame.ethernet + [0x12, 0x34]
                    + (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            }
            for (from, to) in [(ends.0, ends.1), (ends.1, ends.0)] {
                try from.send(frames)
                #expect(try to.receive(frames.count).map(\.bytes) == frames)
            }
            let packets = Self.numbered(50, size: 3000)
            try ends.0.send(packets)
            #expect(try ends.1.receive(50).map(\.bytes) == packets)
            loop.stop()
            #expect(loop.statistics.up.unwantedDrops == 0)
            #expect(loop.statistics.down.unwantedDrops == 0)
            #expect(loop.statistics.up.exempt == 8 && loop.statistics.down.exempt == 8)
            #expect(loop.statistics.up.link.deliveredPackets == 50)
        }
    }

    @Test
    func `A packet comes later by the delay`() async throws {
        try await TestWires.with { wires in
            let records = Records()
            let loop = try wires.loop(Self.delayed, observer: records)
            let (app, far) = (try wires.end("app"), try wires.end("far"))
            var delays: [Duration] = []
            for frame in Self.numbered(20) {
                let start = KernelClock.monotonic
                try app.send([frame])
                let arrival = try #require(try far.receive(1).first).arrival
                delays.append(arrival - start)
            }
            loop.stop()
            delays.sort()
            #expect(delays[0] >= .milliseconds(30))
            #expect(delays[10] < .milliseconds(40), "\(delays)")
            let scheduled = records.all.map { $0.record.departure - $0.record.arrival }
            #expect(scheduled == Array(repeating: .milliseconds(30), count: 20))
        }
    }

    @Test
    func `A checksum within a tunnel is finished, and others stay as they came`() async throws {
        try await TestWires.with { wires in
            let loop = try wires.loop(Self.delayed)
            let (app, far) = (try wires.end("app"), try wires.end("far"))
            let content = (0..<777).map { UInt8(truncatingIfNeeded: $0 &* 13) }
            let partial = pseudoHeaderSum(
                addresses: SampleFrame.sourceV4 + SampleFrame.targetV4, protocol: 6,
                length: 32 + content.count)
            let tcp = SampleFrame.tcp(flags: 0x18, checksum: partial, content)
            let inner = SampleFrame.ipv4(protocol: 6, tcp).bytes
            var virtual = VirtualHeader()
            virtual.isChecksumPartial = true
            (virtual.checksumStart, virtual.checksumOffset) = (34, 16)
            try app.send([inner], virtual: virtual)
            let plain = try #require(try far.receive(1).first)
            #expect(plain.bytes == inner && plain.virtual.isChecksumPartial)

            // VXLAN.
            let outer = SampleFrame.ipv4(
                protocol: 17, SampleFrame.udp(target: 4789, [8, 0, 0, 0, 0, 0, 7, 0] + inner))
            virtual.checksumStart = 84
            try app.send([outer.bytes], virtual: virtual)
            let crossed = try #require(try far.receive(1).first)
            var expected = outer.bytes
            (expected[100], expected[101]) = (0, 0)
            let sum = big(~onesSum(big(partial) + expected[84...]))
            (expected[100], expected[101]) = (sum[0], sum[1])
            #expect(crossed.bytes == expected && !crossed.virtual.isChecksumPartial)
            loop.stop()
        }
    }

    @Test
    func `A VLAN tag crosses`() async throws {
        try await TestWires.with { wires in
            for conditions in [Self.delayed, LinkConditions(up: .init(loss: .random(.percent(1))))]
            {
                let loop = try wires.loop(conditions)
                let (app, far) = (try wires.end("app"), try wires.end("far"))
                let tagged = SampleFrame.ipv4(
                    protocol: 17, SampleFrame.udp(target: 9, [1, 2, 3]), tags: [0x81, 0, 0x60, 42])
                try app.send([tagged.bytes])
                let received = try #require(try far.receive(1).first)
                // The kernel takes it out again, here as at the loop.
                #expect(received.tag == .init(etherType: 0x8100, control: 0x602a))
                #expect(received.bytes == Array(tagged.bytes[..<12] + tagged.bytes[16...]))
                loop.stop()
                #expect(loop.statistics.up.link.arrivedBytes == ByteCount(bytes: 31))
            }
        }
    }

    @Test
    func `Neighbours find each other on a link where all is lost`() async throws {
        try await TestWires.with { wires in
            let loop = try wires.loop(LinkConditions(isBlackhole: true))
            let (app, far) = (try wires.end("app"), try wires.end("far"))
            let solicitation = SampleFrame.ipv6(next: 58, [135] + [UInt8](repeating: 0, count: 23))
            try app.send(Self.numbered(1) + [SampleFrame.arp().bytes, solicitation.bytes])
            let expected = [SampleFrame.arp().bytes, solicitation.bytes]
            #expect(try far.receive(2).map(\.bytes) == expected)
            #expect(try far.receive(within: .milliseconds(300)).isEmpty)
            loop.stop()
            #expect(loop.statistics.up.link.lostPackets == 1)
        }
    }

    @Test
    func `The same seed loses the same packets, whenever they come`() async throws {
        try await TestWires.with { wires in
            let conditions = LinkConditions(
                up: .init(delay: .milliseconds(5), loss: .random(.percent(20))))
            func survivors(seed: UInt64, pace: Int) throws -> [Int] {
                let loop = try wires.loop(conditions, seed: seed)
                defer { loop.stop() }
                let (app, far) = (try wires.end("app"), try wires.end("far"))
                let frames = Self.numbered(500)
                for start in stride(from: 0, to: 500, by: pace) {
                    try app.send(Array(frames[start..<start + pace]))
                    if pace < 500 { try shell("sleep 0.01") }
                }
                let deadline = ContinuousClock.now + .seconds(10)
                while loop.statistics.up.link.arrivedPackets < 500, .now < deadline {
                    usleep(1000)
                }
                let lost = Int(loop.statistics.up.link.lostPackets)
                return Self.numbers(try far.receive(500 - lost))
            }
            let first = try survivors(seed: 5, pace: 500)
            #expect(first.count > 340 && first.count < 460)
            #expect(try survivors(seed: 5, pace: 50) == first)
            #expect(try survivors(seed: 6, pace: 500) != first)
        }
    }

    @Test
    func `A super-packet crosses whole, or as the packets it holds, with the same content`()
        async throws
    {
        try await TestWires.with { wires in
            let content = (0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }
            let partial = pseudoHeaderSum(
                addresses: SampleFrame.sourceV4 + SampleFrame.targetV4, protocol: 6,
                length: 30_032)
            let frame = SampleFrame.ipv4(
                protocol: 6, SampleFrame.tcp(flags: 0x18, checksum: partial, content))
            var virtual = VirtualHeader()
            virtual.isChecksumPartial = true
            virtual.segmentation = .tcpIPv4
            virtual.segmentSize = 1000
            (virtual.checksumStart, virtual.checksumOffset, virtual.headerLength) = (34, 16, 66)

            let whole = try wires.loop(Self.delayed)
            let (app, far) = (try wires.end("app"), try wires.end("far"))
            try app.send([frame.bytes], virtual: virtual)
            let crossed = try #require(try far.receive(1).first)
            #expect(crossed.bytes == frame.bytes && crossed.virtual.segmentSize == 1000)
            whole.stop()
            #expect(whole.statistics.up.link.arrivedPackets == 1)

            // 1,052 bytes take 8.4 ms at this rate: each packet is on the link by itself. Those
            // that a busy machine sends too late leave together, as a part of what came.
            let slow = LinkConditions(up: .init(bandwidth: .megabitsPerSecond(1)))
            let cut = try wires.loop(slow)
            try app.send([frame.bytes], virtual: virtual)
            let pieces = try far.receive(content.count) { $0.bytes.count - 66 }
            #expect(pieces.flatMap { $0.bytes[66...] } == content)
            var sequence: UInt32 = 1000
            for piece in pieces {
                let payload = piece.bytes.count - 66
                #expect(payload.isMultiple(of: 1000))
                #expect(piece.virtual.segmentSize == (payload == 1000 ? 0 : 1000))
                #expect(piece.bytes.span.long(at: 38) == sequence)
                sequence += UInt32(payload)
            }
            cut.stop()
            #expect(cut.statistics.up.link.arrivedPackets == 30)
        }
    }

    @Test
    func `Records tell each packet of a super-packet with its fate and its bytes`() async throws {
        try await TestWires.with { wires in
            let records = Records()
            let loop = try wires.loop(
                LinkConditions(up: .init(loss: .random(.percent(30)))), observer: records)
            let app = try wires.end("app")
            let content = [UInt8](repeating: 5, count: 20_000)
            let frame = SampleFrame.ipv4(protocol: 17, SampleFrame.udp(target: 9, content))
            var virtual = VirtualHeader()
            virtual.isChecksumPartial = true
            virtual.segmentation = .udp
            virtual.segmentSize = 200
            (virtual.checksumStart, virtual.checksumOffset, virtual.headerLength) = (34, 6, 42)
            try app.send([frame.bytes, SampleFrame.arp().bytes], virtual: virtual)
            for _ in 0..<500 where records.all.count < 101 { try shell("sleep 0.02") }
            loop.stop()
            let judged = records.all.filter { $0.record.fate != .exempt }
            let lost = judged.filter { $0.record.fate == .judged(.lost) }
            #expect(judged.count == 100 && lost.count > 10 && lost.count < 60)
            #expect(judged.allSatisfy { $0.bytes.count == 242 })
            #expect(judged.allSatisfy { $0.record.length == ByteCount(bytes: 228) })
            let identifications = judged.map { $0.bytes.span.word(at: 18) }
            #expect(identifications.sorted() == (0..<100).map { 7 + $0 })
        }
    }

    @Test
    func `A change loses nothing that is on the link`() async throws {
        try await TestWires.with { wires in
            let loop = try wires.loop(Self.delayed)
            let (app, far) = (try wires.end("app"), try wires.end("far"))
            for round in 0..<10 {
                try app.send(Array(Self.numbered(100)[round * 10..<round * 10 + 10]))
                loop.change(
                    to: LinkConditions(
                        up: .init(
                            bandwidth: round.isMultiple(of: 2) ? nil : .megabitsPerSecond(5),
                            delay: .milliseconds(round * 3))))
            }
            #expect(Self.numbers(try far.receive(100)) == Array(0..<100))
            loop.stop()
        }
    }

    @Test
    func `Memory has a bound, and what does not fit is counted`() async throws {
        try await TestWires.with { wires in
            let bound = ByteCount(bytes: 6 << 20)
            let loop = try wires.loop(
                LinkConditions(up: .init(delay: .seconds(10))), memory: bound)
            let (app, far) = (try wires.end("app"), try wires.end("far"))
            for _ in 0..<10 { try app.send(Self.numbered(200)) }
            // On a busy machine the socket itself may be full before the loop gets to read, and
            // the first packets may leave before the last ones come.
            func known(_ up: DirectionStatistics) -> UInt64 {
                up.link.arrivedPackets + up.memoryDrops + up.socketDrops
            }
            var full = loop.statistics.up
            for _ in 0..<500 where known(full) < 2000 {
                try shell("sleep 0.02")
                full = loop.statistics.up
            }
            #expect(full.memory <= bound && full.memoryDrops > 0)
            #expect(known(full) == 2000)
            let accepted = full.link.arrivedPackets
            #expect(try far.receive(Int(accepted), within: .seconds(60)).count == accepted)
            #expect(loop.statistics.up.memory < ByteCount(bytes: 5 << 20))
            #expect(loop.statistics.up.unwantedDrops > 0)
            loop.change(to: Self.delayed)
            try app.send(Self.numbered(100))
            #expect(try far.receive(100).count == 100)
            loop.stop()
        }
    }

    /// The kernel has no room for what a smaller MTU forbids: to wait for it would hold up the others.
    @Test
    func `An end with a smaller MTU loses what is too long for it, and only that`() async throws {
        try await TestWires.with { wires in
            let loop = try wires.loop(Self.delayed)
            let (app, far) = (try wires.end("app"), try wires.end("far"))
            try shell("ip link set app-end mtu 500")
            let short = Self.numbered(20)
            let frames = zip(short, Self.numbered(20, size: 800)).flatMap { [$1, $0] }
            try far.send(frames)
            #expect(try app.receive(20).map(\.bytes) == short)
            try shell("ip link set app-end mtu 9000")
            try far.send(frames)
            #expect(try app.receive(40).map(\.bytes) == frames)
            loop.stop()
            #expect(loop.statistics.down.undeliverable == 20)
            #expect(loop.statistics.down.unwantedDrops == 0)
        }
    }

    @Test
    func `Interfaces may go down and come up again, and even vanish`() async throws {
        try await TestWires.with { wires in
            let loop = try wires.loop(Self.delayed)
            let (app, far) = (try wires.end("app"), try wires.end("far"))
            for side in ["app", "far"] {
                try shell("ip link set \(side) down; sleep 0.1")
                // Toward the app the loop has nowhere to send; from it nothing comes.
                try? far.send(Self.numbered(3))
                for _ in 0..<500 where loop.statistics.down.sendFailures < 3 {
                    try shell("sleep 0.02")
                }
                // The kernel notices carriers in its own time, and drops what is sent before.
                try shell(
                    """
                    ip link set \(side) up
                    for attempt in $(seq 500); do
                        [ $(ip -o link show up | grep -c 'state UP') = 4 ] && break
                        sleep 0.02
                    done
                    """)
                _ = try app.receive(within: .milliseconds(100))
                _ = try far.receive(within: .milliseconds(100))
                try app.send(Self.numbered(10))
                #expect(Self.numbers(try far.receive(10)) == Array(0..<10))
            }
            #expect(loop.statistics.down.sendFailures == 3)
            try shell("ip link del app")
            try far.send(Self.numbered(3))
            for _ in 0..<500 where loop.statistics.down.sendFailures < 6 { try shell("sleep 0.02") }
            loop.stop()
            #expect(loop.statistics.down.sendFailures == 6)
        }
    }
}
