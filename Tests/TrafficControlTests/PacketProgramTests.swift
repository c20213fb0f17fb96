import LinkTesting
import Testing

@testable import TrafficControl

@Suite("Programs that compare packets", .tags(.unit))
struct PacketProgramTests {
    private typealias Range = ClosedRange<UInt32>

    /// What a program decides about a packet without a link-layer header.
    private static func run(
        _ rules: [PacketRule], _ packet: [UInt8]
    ) throws -> (matches: Bool, steps: Int) {
        let program = try #require(PacketProgram(anyOf: rules, in: .after(0)))
        return try #require(
            ClassicMachine(program.bytes, packet: packet, networkProtocol: 0x0800).run())
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    @Test("Without rules nothing matches, and a rule without tests matches everything")
    func trivial() throws {
        #expect(try Self.run([], []).matches == false)
        #expect(try Self.run([PacketRule([])], []).matches == true)
        let isOne = PacketRule.Test.field(PacketField(.byte, at: 0), in: [1...1])
        #expect(try Self.run([PacketRule([isOne]), PacketRule([])], [2]).matches == true)
    }

    @Test("Ranges contain their ends and nothing beyond, at any size of a field")
    func boundaries() throws {
        let ranges: [Range] = [1025...65534]
        for (port, isInside) in [
            (UInt32(0), false), (1024, false), (1025, true), (1026, true), (40_000, true),
            (65_533, true), (65_534, true), (65_535, false),
        ] {
            let rule = PacketRule([.field(PacketField(.half, at: 2), in: ranges)])
            #expect(try Self.run([rule], Self.bytes(port)).matches == isInside, "\(port)")
        }
        let all = PacketRule([.field(PacketField(.word, at: 0), in: [0...Range.Bound.max])])
        #expect(try Self.run([all], Self.bytes(7)).matches)
        let ends = PacketRule([
            .field(PacketField(.word, at: 0), in: [0...0, Range.Bound.max...Range.Bound.max])
        ])
        for (value, isInside) in [(UInt32(0), true), (1, false), (.max - 1, false), (.max, true)] {
            #expect(try Self.run([ends], Self.bytes(value)).matches == isInside, "\(value)")
        }
    }

    @Test("Random rules decide as they read, through jumps near and far")
    func random() throws {
        var random = SeededGenerator(seed: 17)
        for size in [1, 2, 3, 10, 100, 400] {
            let ranges: [Range] = (0..<size).map { _ in
                let first = UInt32.random(in: 0...60_000, using: &random)
                return first...min(65_535, first + UInt32.random(in: 0...50, using: &random))
            }
            let rules = [
                PacketRule([
                    .field(PacketField(.byte, at: 0, mask: 0xf0), in: [0x40...0x40]),
                    .either(PacketField(.half, at: 2), PacketField(.half, at: 4), in: ranges),
                ]),
                PacketRule([
                    .field(PacketField(.half, at: 4), in: ranges),
                    .field(PacketField(.byte, at: 1), in: [7...9]),
                ]),
            ]
            for _ in 0..<500 {
                var packet = (0..<6).map { _ in UInt8.random(in: 0...255, using: &random) }
                packet[0] = Bool.random(using: &random) ? 0x45 : 0x60
                packet[1] = UInt8.random(in: 5...10, using: &random)
                let first = UInt32(packet[2]) << 8 | UInt32(packet[3])
                let second = UInt32(packet[4]) << 8 | UInt32(packet[5])
                let contains = { (value: UInt32) in ranges.contains { $0.contains(value) } }
                let expected =
                    packet[0] == 0x45 && (contains(first) || contains(second))
                    || contains(second) && (7...9).contains(packet[1])
                #expect(try Self.run(rules, packet).matches == expected)
            }
        }
    }

    @Test("Prefixes of any length are found, those within others too")
    func prefixes() throws {
        var random = SeededGenerator(seed: 18)
        for count in [1, 2, 20, 200] {
            // Few different values, so that many begin alike.
            func word() -> UInt32 { UInt32.random(in: 0...3, using: &random) << 30 }
            let prefixes: [[Range]] = (0..<count).map { _ in
                let whole = (0..<Int.random(in: 0...3, using: &random)).map { _ in word() }
                let last = word()
                let width = UInt32.random(in: 0...1, using: &random) << 30
                return whole.map { $0...$0 } + [last...(last | (width == 0 ? 0 : 0x3fff_ffff))]
            }
            let rule = PacketRule([.prefix(offset: 4, in: prefixes)])
            for _ in 0..<300 {
                let words = (0..<4).map { _ in word() | UInt32.random(in: 0...1, using: &random) }
                let expected = prefixes.contains { prefix in
                    zip(prefix, words).allSatisfy { $0.contains($1) }
                }
                let packet = [0, 0, 0, 0] + words.flatMap(Self.bytes)
                #expect(try Self.run([rule], packet).matches == expected)
            }
        }
    }

    @Test("A hundred values take a few comparisons, not a hundred")
    func cost() throws {
        func steps(_ count: Int) throws -> Int {
            let ranges: [Range] = (0..<count).map { UInt32(10 * $0)...UInt32(10 * $0) }
            let rule = PacketRule([.field(PacketField(.half, at: 0), in: ranges)])
            return try (0..<1000).map { value in
                try Self.run([rule], Array(Self.bytes(UInt32(value)).suffix(2))).steps
            }.max() ?? 0
        }
        #expect(try steps(1) == 3)
        #expect(try steps(100) <= 3 + 7)
    }

    @Test("A packet that ends before a field does not match")
    func short() throws {
        let rule = PacketRule([.field(PacketField(.word, at: 0), in: [0...Range.Bound.max])])
        #expect(try Self.run([rule], [1, 2, 3]).matches == false)
    }

    @Test("What is too long for the kernel is no program")
    func tooLong() {
        func program(_ count: UInt32) -> PacketProgram? {
            let ranges: [Range] = (0..<count).map { (2 * $0)...(2 * $0) }
            return PacketProgram(
                anyOf: [PacketRule([.field(PacketField(.half, at: 0), in: ranges)])],
                in: .after(0))
        }
        #expect(program(1000) != nil)
        #expect(program(2500) == nil)
    }

    @Test("tc is told the same instructions")
    func text() throws {
        let rule = PacketRule([.field(PacketField(.byte, at: 9), in: [6...6])])
        let program = try #require(PacketProgram(anyOf: [rule], in: .after(14)))
        #expect(program.tcText == "4,48 0 0 23,21 1 0 6,6 0 0 0,6 0 0 4294967295")
        #expect(program.bytes.count == 4 * 8)
    }
}
