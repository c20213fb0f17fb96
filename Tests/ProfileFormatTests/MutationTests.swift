import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Testing

/// Profiles with something broken in them: 10,000 in all, the same in every run.
@Suite("Mutated profiles")
struct MutationTests {
    private static let pieces = [
        "", " ", "\n", "\t", "\r\n", ":", "- ", "? ", "{", "}", "[", "]", "\"", "'", "#", "&a ",
        "*a",
        "|", ">", "%", "@", "!!binary ", "!!float ", "<<: ", "---\n", "...\n", "null", "~", "0",
        "-1",
        "99999999999999999999", "18446744073709551615", "0.00000000000000000000000000000000000001",
        "1e309", "nan", "inf", ".5", "Mbit/s", " ms", "%", " packets", " KiB", "\0", "\u{feff}",
        "\u{1b}", "\u{2028}", "\u{d7ff}", "\u{1f4a9}", "\\ud800", "\\x00", "é", "½", "٣",
    ]

    @Test("Whatever is broken, the error is one line that names the file", arguments: 0..<10)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let texts = try BuiltInFiles.all().map(\.text)
        for _ in 0..<1000 {
            let text = Self.mutated(texts, &generator)
            do {
                let profile = try ProfileReader.profile(from: text, file: "m.yaml")
                // What is read is sound, and can be written down again.
                #expect(profile.conditions.problem == nil)
                let yaml = ProfileWriter.yaml(profile)
                let again = try? ProfileReader.profile(from: yaml, file: "again")
                #expect(again == profile, "\(text.debugDescription) became \(yaml)")
            } catch {
                let line = error.description
                #expect(line.hasPrefix("m.yaml:"), "\(line)")
                #expect(line == line.printable)
            }
        }
    }

    @Test("Whatever is broken, a quantity is read or refused, and read back", arguments: 0..<4)
    func quantities(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let quantities = [
            "10 Mbit/s", "64 KiB", "2.5%", "1.5 s", "50 packets", "780kbit", "0.001 ms",
        ]
        for _ in 0..<2500 {
            let text = Self.mutated(quantities, &generator)
            if let rate = try? Bandwidth(parsing: text) {
                #expect(try Bandwidth(parsing: rate.description) == rate)
            }
            if let count = try? ByteCount(parsing: text) {
                #expect(try ByteCount(parsing: count.description) == count)
            }
            if let ratio = try? Ratio(parsing: text) {
                #expect(try Ratio(parsing: ratio.description) == ratio)
            }
            if let duration = try? Duration(parsing: text) {
                #expect(try Duration(parsing: duration.unitText) == duration)
            }
            var conditions = LinkConditions()
            try? ProfileReader.apply(setting: text, to: &conditions)
            try? ProfileReader.apply(setting: "down.queue=\(text)", to: &conditions)
        }
    }

    /// One of `texts` after up to six edits: pieces inserted, removed, repeated or taken from
    /// another text, bytes flipped.
    private static func mutated(
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
