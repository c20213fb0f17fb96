import LinkTesting
import LinkUnits
@testable import Netlink
import Testing

@testable import TrafficControl

@Suite("Hostile traffic control messages", .tags(.unit))
struct HostileTrafficTests {
    private static let ifb = Interface(index: 5, name: "lcu5")

    private static var wholeMessages: [NetlinkMessage] {
        let kinds: [Qdisc.Kind] = [
            .netem(Netem(delay: .seconds(1), loss: .gilbert(p: .percent(1), r: .percent(9)))),
            .tokenBucket(
                TokenBucket(
                    rate: .megabitsPerSecond(1), burst: ByteCount(bytes: 3000),
                    limit: ByteCount(bytes: 3000))),
            .priority(bands: 2), .hierarchicalTokenBucket(defaultClass: 1),
            .activeQueue(ActiveQueue(algorithm: .codel, limit: 1, marks: true)), .classifierActions,
        ]
        return kinds.map {
            Qdisc(interface: ifb, handle: .init(major: 1), parent: .root, kind: $0).add()
        } + [
            TrafficClass(
                interface: ifb, handle: .init(major: 1, minor: 1), rate: .megabitsPerSecond(1),
                burst: ByteCount(bytes: 3000)
            ).replace(),
            Filter(
                interface: ifb, parent: .clsactEgress, preference: 1, networkProtocol: .ipv4,
                verdict: .redirect(to: ifb, cookie: [1])
            ).add(),
        ]
    }

    @Test("Damaged messages are read as whatever they are, without a trap")
    func damage() {
        var random = SeededGenerator(seed: 6)
        let whole = Self.wholeMessages.map(\.bytes)
        for _ in 0..<30_000 {
            var bytes = whole[Int.random(in: 0..<whole.count, using: &random)]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                // The header says how much is read, and is the session's business.
                let place = Int.random(in: 16..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            Self.read(bytes)
        }
    }

    @Test("Truncated messages are read as whatever they are, without a trap")
    func truncation() {
        for message in Self.wholeMessages {
            for length in 16...message.bytes.count {
                Self.read(Array(message.bytes.prefix(length)))
            }
        }
    }

    @Test("Options full of ones and of zeros are read without a trap")
    func extremes() {
        for name in ["netem", "tbf", "prio", "htb", "codel", "fq_codel", "pie", "clsact", "x"] {
            for filler in [UInt8(0), 0x7f, 0x80, 0xff] {
                for length in 0...64 {
                    let builder = MessageBuilder(type: 36)
                    builder.append((UInt64(0), UInt64(0), UInt32(0)))
                    builder.put(1, name)
                    builder.put(2, bytes: Array(repeating: filler, count: length))
                    Self.read(builder.finish().bytes)
                    let nested = MessageBuilder(type: 36)
                    nested.append((UInt64(0), UInt64(0), UInt32(0)))
                    nested.put(1, name)
                    nested.nest(2) { nested in
                        for type in 1...14 {
                            nested.put(type, bytes: Array(repeating: filler, count: length))
                        }
                    }
                    Self.read(nested.finish().bytes)
                }
            }
        }
    }

    private static func read(_ bytes: [UInt8]) {
        let message = NetlinkMessage(bytes: bytes)
        if let state = QdiscState(message) { _ = state.kind.tcText }
        _ = FilterState(message)
        if let found = TrafficClass(message) { _ = found.tcText }
    }
}
