import LinkTesting
import LinkUnits
import Netlink
import Testing

@testable import TrafficControl

@Suite("Netem", .tags(.unit))
struct NetemTests {
    private static let eth0 = Interface(index: 5, name: "eth0")

    private static func roundTrip(_ kind: Qdisc.Kind) throws -> Qdisc.Kind {
        let qdisc = Qdisc(
            interface: eth0, handle: QdiscHandle(major: 0x1c0d), parent: .root, kind: kind)
        let state = try #require(QdiscState(qdisc.add()))
        #expect(state.interfaceIndex == 5)
        #expect(state.handle == qdisc.handle)
        #expect(state.parent == .root)
        return state.kind
    }

    @Test("What is written is read again, but for the distribution")
    func randomRoundTrip() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<400 {
            let netem = Netem(random: &random)
            var expected = netem
            expected.distribution = nil
            #expect(try Self.roundTrip(.netem(netem)) == .netem(expected))
        }
    }

    @Test("A netem that does nothing is read as one that does nothing")
    func nothing() throws {
        #expect(try Self.roundTrip(.netem(Netem())) == .netem(Netem()))
    }

    @Test("A gap without reordering is not sent: it would make the kernel reorder everything")
    func gapAlone() throws {
        #expect(try Self.roundTrip(.netem(Netem(gap: 5))) == .netem(Netem()))
    }

    @Test("Every attribute is sent every time, since the kernel keeps what is left out")
    func completeness() throws {
        let message = Qdisc(
            interface: Self.eth0, handle: QdiscHandle(major: 1), parent: .root,
            kind: .netem(Netem())
        ).replace()
        let text = AnnotatedMessage(message.bytes).description
        for name in ["CORR", "REORDER", "CORRUPT", "RATE", "LATENCY64", "JITTER64"] {
            #expect(text.contains("TCA_NETEM_\(name) "), "\(name)")
        }
    }

    @Test("Jitter comes with a table whatever its shape, since the kernel keeps an older one")
    func tables() {
        for distribution in DelayDistribution.allCases + [nil] {
            for jitter in [Duration.zero, .milliseconds(1)] {
                let netem = Netem(
                    delay: .milliseconds(50), jitter: jitter, distribution: distribution)
                let message = Qdisc(
                    interface: Self.eth0, handle: QdiscHandle(major: 1), parent: .root,
                    kind: .netem(netem)
                ).replace()
                #expect((message.bytes.count > 8192) == (jitter > .zero))
            }
        }
    }

    @Test("A kernel before 4.15 tells delays in ticks")
    func olderKernels() throws {
        let builder = MessageBuilder(type: 36)
        builder.append(UInt64(5) << 32)
        builder.append(UInt64(0xffff_ffff) << 32 | 0x1c0d_0000)
        builder.append(UInt32(0))
        builder.put(1, "netem")
        builder.put(
            2, bytes: [1000, 50, 0, 0, 0, 10].flatMap { FakeTransport.withBytes(of: UInt32($0)) })
        let state = try #require(QdiscState(builder.finish()))
        #expect(
            state.kind
                == .netem(
                    Netem(delay: .microseconds(64), jitter: .nanoseconds(640), limit: 50)))
    }

    @Test("A delay below zero, which only somebody else could have set, is none")
    func negativeDelay() throws {
        let builder = MessageBuilder(type: 36)
        builder.append((UInt64(0), UInt64(0), UInt32(0)))
        builder.put(1, "netem")
        builder.nest(2) { builder in
            builder.append((UInt64(0), UInt64(0), UInt64(0)))
            builder.put(10, Int64.min)
            builder.put(11, Int64(-1))
        }
        let state = try #require(QdiscState(builder.finish()))
        #expect(state.kind == .netem(Netem(limit: 0)))
    }
}

extension Netem {
    /// Any emulator that the kernel can be told, of all sizes.
    init(random: inout SeededGenerator) {
        func ratio(_ random: inout SeededGenerator) -> Ratio {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: .one
            case 1, 2: .zero
            default: Ratio(knownPartsPerBillion: UInt32(random.nextOfAnySize() % 1_000_000_001))
            }
        }
        func duration(_ random: inout SeededGenerator) -> Duration {
            .nanoseconds(Int64(random.nextOfAnySize() % 600_000_000_000))
        }
        self.init()
        delay = duration(&random)
        if Bool.random(using: &random) {
            jitter = duration(&random)
            distribution = (DelayDistribution.allCases + [nil]).randomElement(using: &random) ?? nil
        }
        loss =
            Bool.random(using: &random)
            ? .random(ratio(&random)) : .gilbert(p: ratio(&random), r: ratio(&random))
        duplicate = ratio(&random)
        corrupt = ratio(&random)
        reorder = ratio(&random)
        if reorder > .zero { gap = UInt32(truncatingIfNeeded: random.nextOfAnySize() >> 31) }
        if Bool.random(using: &random) {
            rate = .bitsPerSecond(8 * (1 + random.nextOfAnySize() % 2_000_000_000_000))
            packetOverhead = Int32(truncatingIfNeeded: random.next())
        }
        limit = UInt32(truncatingIfNeeded: random.nextOfAnySize() >> 32)
        if Bool.random(using: &random) { seed = random.next() }
    }
}
