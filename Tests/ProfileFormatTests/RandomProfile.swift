import LinkModel
import LinkTesting
import LinkUnits

/// Sound profiles of every shape, from a seed.
struct RandomProfile {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> Profile {
        Profile(
            name: text(from: "aZ9éß光 -._#:%\"'\\&*{[,?!|>@`", count: 1...12)
                .split(separator: " ").joined(separator: " ").isEmptyReplaced(by: "x"),
            family: text(from: "abc", count: 1...4),
            aliases: chance(3) ? ["a1", "100%", "b.c"] : [], summary: sentence(),
            source: sentence(),
            interface: pick(Profile.InterfaceKind.allCases), conditions: conditions(),
            isExpensive: chance(2), isConstrained: chance(2))
    }

    private mutating func conditions() -> LinkConditions {
        let (down, up) = (direction(), direction())
        // IPv6 does not cross every link.
        let carriesIPv6 = [down, up].allSatisfy { $0.mtu.map { $0.bytes >= 1280 } ?? true }
        let family = chance(3) && carriesIPv6 ? pick(NetworkFamily.allCases) : nil
        return LinkConditions(
            down: down, up: up, dnsDelay: chance(3) ? duration() : nil,
            isBlackhole: chance(5),
            middle: chance(3)
                ? Middlebox(
                    firewall: firewall(),
                    nat: chance(2) || family?.hasIPv4 == false
                        ? [] : [AddressTranslation(kind: pick(AddressTranslation.Kind.allCases))],
                    mss: chance(2) ? 1360 : nil, dns: resolver(),
                    captivePortal: chance(4) ? CaptivePortal(until: .seconds(20)) : nil,
                    family: family)
                : nil)
    }

    private mutating func resolver() -> Resolver? {
        guard chance(2) else { return nil }
        let name = NamePattern(parsing: "*.ads.example")
        return chance(2)
            ? .down
            : Resolver(
                servfail: chance(2) ? .percent(10) : .zero, nxdomain: [name].compactMap(\.self),
                wrongAnswer: chance(2)
                    ? Resolver.WrongAnswer(address: IPv4Address(bits: 0xcb00_7107)) : nil)
    }

    private mutating func firewall() -> Firewall {
        let kinds =
            [
                TrafficKind(.quic), TrafficKind(.icmp), TrafficKind(.tcp, firstPort: 22),
                TrafficKind(.udp, firstPort: 8000, lastPort: 8100),
            ].filter { _ in chance(2) } + [TrafficKind(.tcp, firstPort: 443)]
        return Firewall(
            block: chance(2) ? kinds : [], allow: [], answer: .drop, tcpTimeout: .seconds(30)
        ).answering(pick(Firewall.Answer.allCases))
    }

    private mutating func direction() -> DirectionConditions {
        var conditions = DirectionConditions(delay: duration())
        if chance(3) {
            conditions.mtu = LinkMTU(
                bytes: Int(number(in: 68...65535)), icmp: pick(LinkMTU.Answers.allCases))
        }
        if chance(2) { conditions.bandwidth = .bitsPerSecond(number(in: 8...1_000_000_000_000)) }
        if conditions.bandwidth == nil, chance(3) { conditions.trace = sentence() + ".trace" }
        if chance(2) {
            conditions.jitter = Jitter(
                amount: duration(), distribution: pick(Jitter.Distribution.allCases))
        }
        conditions.loss = loss()
        if chance(3) { conditions.duplicate = ratio() }
        if chance(3) { conditions.corrupt = ratio() }
        if chance(3) {
            conditions.reorder = Reordering(mean: ratio(), gap: Int(number(in: 1...1000)))
        }
        if conditions.bandwidth != nil || conditions.trace != nil {
            conditions.aqm = pick(QueueManagement.allCases)
            if conditions.aqm != .dropTail { conditions.ecn = pick([nil, true, false]) }
            conditions.queue = queue(for: conditions)
        }
        return conditions
    }

    private mutating func loss() -> LossModel {
        if chance(2) { return .random(ratio()) }
        let model = LossModel.bursts(
            mean: ratio(), burst: 1 + Double(number(in: 0...999_999_000)) / 1000)
        return DirectionConditions(loss: model).problem == nil ? model : .none
    }

    private mutating func queue(for conditions: DirectionConditions) -> QueueLimit? {
        let limit: QueueLimit? = pick([
            nil, .packets(Int(number(in: 1...10_000_000))),
            .bytes(ByteCount(bytes: number(in: 1...1_000_000_000))), .time(duration()),
        ])
        var limited = conditions
        limited.queue = limit
        return limited.problem == nil ? limit : nil
    }

    private mutating func duration() -> Duration {
        .nanoseconds(Int64(number(in: 1...600_000_000_000)))
    }

    private mutating func ratio() -> Ratio {
        Ratio(knownPartsPerBillion: UInt32(number(in: 1...1_000_000_000)))
    }

    /// Numbers of every size, not mostly large ones.
    private mutating func number(in range: ClosedRange<UInt64>) -> UInt64 {
        range.lowerBound + generator.nextOfAnySize() % (range.upperBound - range.lowerBound + 1)
    }

    private mutating func sentence() -> String {
        let words = (0...4).map { _ in text(from: "aZ9é光:#-'\"\\{}[]&*!|>%@`~?,.=", count: 1...6) }
        return words.joined(separator: " ")
    }

    private mutating func text(from characters: String, count: ClosedRange<Int>) -> String {
        let characters = Array(characters)
        return String((0..<Int.random(in: count, using: &generator)).map { _ in pick(characters) })
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }

    private mutating func chance(_ one: Int) -> Bool {
        Int.random(in: 1...one, using: &generator) == 1
    }
}

extension String {
    fileprivate func isEmptyReplaced(by other: String) -> String { isEmpty ? other : self }
}

extension Firewall {
    /// It, with this answer if it blocks anything.
    fileprivate func answering(_ answer: Answer) -> Firewall {
        var changed = self
        changed.answer = block.isEmpty ? .drop : answer
        return changed
    }
}
