import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Testing

/// Profiles with something broken in them: 10,000 in all, the same in every run.
@Suite("Mutated profiles", .tags(.unit))
struct MutationTests {
    @Test("Whatever is broken, the error is one line that names the file", arguments: 0..<10)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let texts = try BuiltInFiles.all().map(\.text)
        for _ in 0..<1000 {
            let text = TextMutation.mutated(texts, &generator)
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
            let text = TextMutation.mutated(quantities, &generator)
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
}
