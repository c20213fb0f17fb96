/// Texts with something broken in them, for the readers of files.
public enum TextMutation {
    private static let pieces = [
        "", " ", "\n", "\t", "\r\n", ":", "- ", "? ", "{", "}", "[", "]", "\"", "'", "#", "&a ",
        "*a",
        "|", ">", "%", "@", "!!binary ", "!!float ", "<<: ", "---\n", "...\n", "null", "~", "0",
        "-1",
        "99999999999999999999", "18446744073709551615", "0.00000000000000000000000000000000000001",
        "1e309", "nan", "inf", ".5", "Mbit/s", " ms", "%", " packets", " KiB", "\0", "\u{feff}",
        "\u{1b}", "\u{2028}", "\u{d7ff}", "\u{1f4a9}", "\\ud800", "\\x00", "é", "½", "٣",
    ]

    /// One of `texts` after up to six edits: pieces inserted, removed, repeated or taken from
    /// another text, bytes flipped.
    public static func mutated(
        _ texts: [String], _ generator: inout SeededGenerator
    ) -> String {
        var text = Array(pick(texts, &generator).utf8)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let start = Int.random(in: 0...text.count, using: &generator)
            let end = min(text.count, start + Int.random(in: 0...20, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: text.removeSubrange(start..<end)
            case 1: text.insert(contentsOf: text[start..<end], at: start)
            case 2:
                let other = Array(pick(texts, &generator).utf8)
                let length = Int.random(in: 0...other.count, using: &generator)
                text.insert(contentsOf: other.suffix(length), at: start)
            case 3 where start < text.count:
                text[start] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 4: text.removeSubrange(end...)
            default: text.insert(contentsOf: Array(pick(pieces, &generator).utf8), at: start)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func pick<Element>(
        _ elements: [Element], _ generator: inout SeededGenerator
    ) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }
}
