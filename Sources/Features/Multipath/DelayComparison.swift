/// Which of several interfaces has the shortest round trip, by echoes: a pure value, without clock.
///
/// One that is hardly quicker than the present choice does not take its place, and a single late
/// or early echo changes nothing: what counts is the median of the last three.
public struct DelayComparison: Sendable, Hashable {
    private var echoes: [Int32: [Duration]] = [:]
    /// The interface that is in use; nil before the first echo.
    public private(set) var choice: Int32?

    /// How many echoes of an interface are remembered.
    static let memory = 3
    /// What takes the place of an echo that did not come.
    public static let lost = Duration.seconds(60)
    /// How much quicker another interface has to be: a fifth, and as much as a clock notices.
    private static let share = 0.8
    private static let margin = Duration.milliseconds(5)

    /// Begins without any echo.
    public init() {}

    /// An echo has come over an interface after this time, or it is `lost`.
    public mutating func note(_ roundTrip: Duration, over interface: Int32) {
        echoes[interface, default: []].append(roundTrip)
        if echoes[interface, default: []].count > Self.memory {
            echoes[interface]?.removeFirst()
        }
    }

    /// Only these interfaces are left, the most preferred first.
    public mutating func keep(_ interfaces: [Int32]) {
        echoes = echoes.filter { interfaces.contains($0.key) }
        if let choice, !interfaces.contains(choice) { self.choice = nil }
        if choice == nil { choice = interfaces.first }
    }

    /// Chooses among the interfaces, and returns whether the choice is another one now.
    public mutating func choose() -> Bool {
        let medians = echoes.compactMapValues(Self.median)
        guard
            let quickest = medians.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            quickest.key != choice
        else { return false }
        if let choice, let present = medians[choice] {
            let isClearlyQuicker =
                quickest.value < present * Self.share && quickest.value + Self.margin < present
            guard isClearlyQuicker else { return false }
        } else if choice != nil {
            // Nothing is known of the present one yet.
            return false
        }
        choice = quickest.key
        return true
    }

    /// Nil until there are enough echoes for a judgement.
    private static func median(_ echoes: [Duration]) -> Duration? {
        echoes.count < memory ? nil : echoes.sorted()[memory / 2]
    }
}
