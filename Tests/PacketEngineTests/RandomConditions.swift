import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine

/// Conditions of every kind, from the seed of `random`.
struct RandomConditions {
    var conditions = DirectionConditions()
    var dnsDelay: Duration?
    var trace: DeliveryTrace?

    init(_ random: inout SeededGenerator) throws {
        func isChosen() -> Bool { Bool.random(using: &random) }
        func ratio() -> Ratio {
            Ratio(knownPartsPerBillion: .random(in: 0...1_000_000_000, using: &random))
        }
        func time() -> Duration { .nanoseconds(Int64(random.nextOfAnySize() >> 30)) }
        conditions.delay = isChosen() ? time() : .zero
        if isChosen() {
            conditions.bandwidth = Bandwidth(bitsPerSecond: random.nextOfAnySize())
        } else if isChosen() {
            let moments = (0..<Int.random(in: 1...20, using: &random))
                .map { _ in Int.random(in: 0...50, using: &random) }
            let lines = (moments.sorted() + [51]).map { "\($0)\n" }.joined()
            trace = try DeliveryTrace(parsing: lines)
        }
        conditions.aqm = QueueManagement.allCases.randomElement(using: &random) ?? .dropTail
        switch Int.random(in: 0...3, using: &random) {
        case 0: conditions.queue = .packets(.random(in: 1...60, using: &random))
        case 1: conditions.queue = .bytes(ByteCount(bytes: random.nextOfAnySize() >> 40))
        case 2: conditions.queue = .time(time())
        default: break
        }
        if isChosen() {
            conditions.jitter = Jitter(
                amount: time(),
                distribution: Jitter.Distribution.allCases.randomElement(using: &random) ?? .normal)
        }
        if isChosen() { conditions.loss = .random(ratio()) }
        if isChosen() {
            conditions.loss = .bursts(mean: ratio(), burst: .random(in: 1...20, using: &random))
        }
        if isChosen() { conditions.duplicate = ratio() }
        if isChosen() { conditions.corrupt = ratio() }
        if isChosen() {
            conditions.reorder = Reordering(
                mean: ratio(), gap: .random(in: 1...10, using: &random))
        }
        if isChosen() { dnsDelay = time() }
    }
}
