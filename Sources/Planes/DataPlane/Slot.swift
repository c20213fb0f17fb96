/// The slots that distinguish the conditions of one interface.
public enum Slot {
    /// The slots that every data plane supports: beyond these, preferences of filters would run out.
    public static let all = 0..<100

    /// The slot for new conditions: after all in `taken`, since earlier conditions take precedence.
    /// Nil if none is free.
    ///
    /// - Parameter slots: Those that come into question.
    public static func next(beside taken: Set<Int>, in slots: Range<Int> = all) -> Int? {
        let next = taken.max().map { $0 + 1 } ?? slots.lowerBound
        return slots.contains(next) ? next : slots.last { !taken.contains($0) }
    }
}
