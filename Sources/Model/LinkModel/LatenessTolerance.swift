/// How late a packet may leave a link without changing the link's character.
public struct LatenessTolerance: Sendable, Hashable {
    /// A hundredth of the delay, and at least a millisecond, since programs are not woken more
    /// punctually on a busy machine.
    public static let standard = LatenessTolerance(fixed: nil)

    private static let share = 100
    private static let least = Duration.milliseconds(1)

    private let fixed: Duration?

    private init(fixed: Duration?) {
        self.fixed = fixed
    }

    /// The same for every delay.
    public static func within(_ limit: Duration) -> Self { Self(fixed: limit) }

    /// Whether the user chose it.
    public var isChosen: Bool { fixed != nil }

    /// The most that a packet may be late on a link with this one-way delay.
    public func limit(delay: Duration) -> Duration {
        fixed ?? max(Self.least, delay / Self.share)
    }
}
