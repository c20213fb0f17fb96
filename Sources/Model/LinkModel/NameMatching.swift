/// Compares names and suggests corrections for mistyped ones.
public enum NameMatching {
    /// The form in which names are compared: lower case, with hyphens for blanks and underscores.
    public static func normalized(_ name: String) -> String {
        // By bytes, since a start of a run does this for all built-in profiles.
        let bytes = name.lowercased().utf8.map {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The known name nearest to a mistyped one, if it is close enough to be likely.
    public static func suggestion(for name: String, among known: some Sequence<String>) -> String? {
        let wanted = Array(normalized(name))
        var best: (name: String, distance: Int)?
        let farthest = max(1, min(3, wanted.count / 2))
        for candidate in known {
            let letters = Array(normalized(candidate))
            // The comparison takes time proportional to the product of both lengths, noticeable if
            // someone pastes a page of text.
            guard abs(letters.count - wanted.count) <= farthest else { continue }
            let distance = editDistance(wanted, letters)
            guard distance <= farthest else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.name
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours that turn one into
    /// the other (optimal string alignment).
    static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var distance = min(
                    last[column + 1] + 1, current[column] + 1,
                    last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    distance = min(distance, beforeLast[column - 1] + 1)
                }
                current.append(distance)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
