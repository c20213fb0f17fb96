import CNetlink

/// Writes a `PacketProgram` from its end to its beginning, so that the target of each jump, which
/// can only lead forward, is known when the jump is written.
struct ProgramWriter {
    /// An instruction that others can lead to, counted from the end of the program.
    typealias Place = Int
    private typealias Instruction = PacketProgram.Instruction
    private typealias Entry = (range: ClosedRange<UInt32>, place: Place)

    private let header: PacketHeader
    private var reversed: [Instruction] = []
    /// The last jump to each place that was too far for a conditional jump.
    private var relays: [Place: Place] = [:]

    init(_ header: PacketHeader) {
        self.header = header
    }

    /// The end of the program.
    mutating func verdict(matches: Bool) -> Place {
        append(BPF_RET | BPF_K, matches ? .max : 0)
    }

    /// Writes a test that leads to one of two places, and returns its own.
    mutating func write(
        _ test: PacketRule.Test, then: Place, otherwise: Place
    ) -> Place {
        switch test {
        case .field(let field, let ranges):
            return compare(field, Self.joined(ranges), then: then, otherwise: otherwise)
        case .either(let first, let second, let ranges):
            let ranges = Self.joined(ranges)
            let place = compare(second, ranges, then: then, otherwise: otherwise)
            return compare(first, ranges, then: then, otherwise: place)
        case .prefix(let offset, let prefixes):
            return compare(
                at: offset, prefixes.sorted(by: Self.precedes)[...], then: then,
                otherwise: otherwise)
        }
    }

    /// The program that begins at a place.
    mutating func finished(at start: Place) -> [PacketProgram.Instruction] {
        if header == .tagged { writeSearch(for: start) } else { lead(to: start) }
        return reversed.reversed()
    }

    // MARK: Comparisons

    private mutating func compare(
        _ field: PacketField, _ ranges: [ClosedRange<UInt32>], then: Place, otherwise: Place
    ) -> Place {
        let place = choose(ranges.map { ($0, then) }[...], otherwise: otherwise)
        return load(field, then: place)
    }

    /// Compares word by word. The prefixes are sorted.
    private mutating func compare(
        at offset: Int, _ prefixes: ArraySlice<[ClosedRange<UInt32>]>, then: Place,
        otherwise: Place
    ) -> Place {
        var entries: [Entry] = []
        var rest = prefixes
        while let first = rest.first?.first {
            // A shorter prefix comes before those that it contains.
            let group = rest.prefix { $0[0].lowerBound <= first.upperBound }
            rest = rest.dropFirst(group.count)
            let isWhole = group.contains { $0.count == 1 && $0[0] == first }
            let place =
                isWhole
                ? then
                : compare(
                    at: offset + 4, group.map { Array($0.dropFirst()) }[...], then: then,
                    otherwise: otherwise)
            entries.append((first, place))
        }
        let place = choose(entries[...], otherwise: otherwise)
        return load(PacketField(.word, at: offset), then: place)
    }

    private static func precedes(
        _ one: [ClosedRange<UInt32>], _ other: [ClosedRange<UInt32>]
    ) -> Bool {
        for (left, right) in zip(one, other) where left != right {
            return left.lowerBound != right.lowerBound
                ? left.lowerBound < right.lowerBound : left.upperBound > right.upperBound
        }
        return one.count < other.count
    }

    /// Sorted ranges without common or adjacent values.
    private static func joined(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var joined: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last,
                last.upperBound == .max || range.lowerBound <= last.upperBound + 1
            {
                joined[joined.count - 1] =
                    last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// A binary search for the loaded value, which is at least `bound`, in sorted ranges.
    private mutating func choose(
        _ entries: ArraySlice<Entry>, above bound: UInt32 = 0, otherwise: Place
    ) -> Place {
        guard let first = entries.first else { return otherwise }
        guard entries.count > 1 else {
            let (least, most) = (first.range.lowerBound, first.range.upperBound)
            if least == most {
                return branch(BPF_JEQ, least, then: first.place, otherwise: otherwise)
            }
            var place = first.place
            if most < .max { place = branch(BPF_JGT, most, then: otherwise, otherwise: place) }
            if least > bound { place = branch(BPF_JGE, least, then: place, otherwise: otherwise) }
            return place
        }
        let middle = entries.startIndex + entries.count / 2
        let least = entries[middle].range.lowerBound
        let upper = choose(entries[middle...], above: least, otherwise: otherwise)
        let lower = choose(entries[..<middle], above: bound, otherwise: otherwise)
        return branch(BPF_JGE, least, then: upper, otherwise: lower)
    }

    // MARK: Instructions

    /// Loads a field. A packet that is too short for it matches nothing.
    private mutating func load(_ field: PacketField, then: Place) -> Place {
        lead(to: then)
        if let mask = field.mask { _ = append(BPF_ALU | BPF_AND | BPF_K, mask) }
        let size =
            switch field.size {
            case .byte: BPF_B
            case .half: BPF_H
            case .word: BPF_W
            }
        // Not relative to the network header, as the kernel can do too: it would then see only what
        // is in the linear part of the packet's memory.
        return switch header {
        case .after(let length):
            append(BPF_LD | size | BPF_ABS, UInt32(length + field.offset))
        case .tagged: append(BPF_LD | size | BPF_IND, UInt32(field.offset))
        }
    }

    /// Stores the offset of the network header in the index register. A tag is inside the packet if
    /// the kernel calls it the packet's protocol.
    private mutating func writeSearch(for start: Place) {
        lead(to: start)
        let outside = append(BPF_LDX | BPF_IMM, PacketHeader.ethernetLength)
        lead(to: start)
        let inside = append(
            BPF_LDX | BPF_IMM, PacketHeader.ethernetLength + PacketHeader.tagLength)
        let place = branch(BPF_JEQ, UInt32(ETH_P_8021Q), then: inside, otherwise: outside)
        lead(to: place)
        _ = append(
            BPF_LD | BPF_H | BPF_ABS, UInt32(bitPattern: SKF_AD_OFF + SKF_AD_PROTOCOL))
    }

    private mutating func branch(
        _ comparison: Int32, _ value: UInt32, then: Place, otherwise: Place
    ) -> Place {
        guard then != otherwise else { return then }
        let targets = (near(then), near(otherwise))
        let distances = (reversed.count - 1 - targets.0, reversed.count - 1 - targets.1)
        reversed.append(
            Instruction(
                code: UInt16(BPF_JMP | comparison | BPF_K), skippedIfTrue: UInt8(distances.0),
                skippedIfFalse: UInt8(distances.1), operand: value))
        return reversed.count - 1
    }

    /// A place that leads to another and is near enough for a conditional jump; one more instruction
    /// fits in between.
    private mutating func near(_ place: Place) -> Place {
        if isNear(place) { return place }
        if let relay = relays[place], isNear(relay) { return relay }
        let relay = jump(to: place)
        relays[place] = relay
        return relay
    }

    private func isNear(_ place: Place) -> Bool { reversed.count - place < Int(UInt8.max) }

    /// Makes a place follow the next instruction.
    private mutating func lead(to place: Place) {
        if place != reversed.count - 1 { _ = jump(to: place) }
    }

    private mutating func jump(to place: Place) -> Place {
        append(BPF_JMP | BPF_JA, UInt32(reversed.count - 1 - place))
    }

    private mutating func append(_ code: Int32, _ operand: UInt32) -> Place {
        reversed.append(Instruction(code: UInt16(code), operand: operand))
        return reversed.count - 1
    }
}
