/// The numbers that tell the conditions of one interface apart.
public enum Slot {
    /// As many conditions as an interface can have on any data plane: the indexes of the kernel
    /// plane's ifbs end at 0x7fff_ffff.
    public static let all = 0..<24

    /// The slot for new conditions beside those in `taken`: behind all of them, since what came
    /// first chooses first. Nil if none is free.
    public static func next(beside taken: Set<Int>) -> Int? {
        let next = taken.max().map { $0 + 1 } ?? 0
        return all.contains(next) ? next : all.last { !taken.contains($0) }
    }
}
