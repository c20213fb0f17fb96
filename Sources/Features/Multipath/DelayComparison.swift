/// Finds the interface with the shortest RTT from echoes: a pure value without a clock.
///
/// A slightly faster interface does not replace the present choice, and a single outlier changes
/// nothing: the median of the last three echoes counts.
public struct DelayComparison: Sendable, Hashable {
    private var echoes: [Int32: [Duration]] = [:]
    /// The chosen interface; nil before the first echo.
    public private(set) var choice: Int32?

    /// How many echoes per interface are kept.
    static let memory = 3
    /// The value used for a missing echo.
    public static let lost = Duration.seconds(60)
    /// How much faster another interface must be: a fifth, and more than clock resolution.
    private static let share = 0.8
    private static let margin = Duration.milliseconds(5)

    /// Records the RTT of an echo over an interface, or `lost`.
    public mutating func note(_ roundTrip: Duration, over interface: Int32) {
        echoes[interface, default: []].append(roundTrip)
        if echoes[interface, default: []].count > Self.memory {
            echoes[interface]?.removeFirst()
        }
    }

    /// Keeps only these interfaces, most preferred first.
    public mutating func keep(_ interfaces: [Int32]) {
        echoes = echoes.filter { interfaces.contains($0.key) }
        if let choice, !interfaces.contains(choice) { self.choice = nil }
        if choice == nil { choice = interfaces.first }
    }

    /// Updates the choice and returns whether it has changed.
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
            // The present interface has no result yet.
            return false
        }
        choice = quickest.key
        return true
    }

    /// Nil until there are enough echoes.
    private static func median(_ echoes: [Duration]) -> Duration? {
        echoes.count < memory ? nil : echoes.sorted()[memory / 2]
    }
}
