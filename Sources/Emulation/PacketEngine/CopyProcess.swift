import LinkModel
import LinkUnits

/// Decides which packets are duplicated, and in which ones a bit is flipped.
struct CopyProcess: Sendable {
    private var duplicate: Ratio
    private var corrupt: Ratio
    private var duplicateRandom: RandomStream
    private var corruptRandom: RandomStream

    init(_ conditions: DirectionConditions, seed: UInt64) {
        duplicate = conditions.duplicate
        corrupt = conditions.corrupt
        duplicateRandom = RandomStream(seed: seed, for: .duplicate)
        corruptRandom = RandomStream(seed: seed, for: .corrupt)
    }

    /// Changes the probabilities; the random stream continues.
    mutating func change(to conditions: DirectionConditions) {
        duplicate = conditions.duplicate
        corrupt = conditions.corrupt
    }

    /// Whether the next packet is duplicated.
    mutating func duplicatesNext() -> Bool {
        duplicate > .zero && duplicateRandom.isChosen(duplicate)
    }

    /// The verdict on the next packet; a flip hits each of its bits with the same probability.
    mutating func verdict(on packet: Packet) -> Verdict {
        guard corrupt > .zero, corruptRandom.isChosen(corrupt) else { return .delivered }
        let (bits, isTooMany) = packet.length.bytes.multipliedReportingOverflow(by: 8)
        let count = isTooMany ? UInt64.max : bits
        return count == 0 ? .delivered : .corrupted(bit: corruptRandom.index(below: count))
    }
}
