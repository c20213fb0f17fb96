/// The slots that distinguish the conditions of one interface.
public enum Slot {
    /// The slots that every data plane supports: the indexes of the kernel plane's ifbs end at
    /// 0x7fff_ffff.
    public static let all = 0..<24

    /// The slot for new conditions: after all in `taken`, since earlier conditions take precedence.
    /// Nil if none is free.
    public static func next(beside taken: Set<Int>) -> Int? {
        let next = taken.max().map { $0 + 1 } ?? 0
        return all.contains(next) ? next : all.last { !taken.contains($0) }
    }
}
