import Foundation
import LinkModel
import LinkTesting
import LinkUnits
import Testing

/// The schemas of what people write say what a direction is, each for itself, since an editor reads
/// one file.
@Suite("Schemas of a direction", .tags(.unit))
struct SchemaTests {
    private typealias Object = [String: Any]

    private func root(of schema: String) throws -> Object {
        let path = "\(BuiltProduct.packageDirectory)/Profiles/schema/\(schema).schema.json"
        let data = try Data(contentsOf: URL(filePath: path))
        return try #require(try JSONSerialization.jsonObject(with: data) as? Object)
    }

    /// What defines `name` in a schema.
    private func definition(_ name: String, in schema: String) throws -> Object {
        try #require((root(of: schema)["$defs"] as? Object)?[name] as? Object)
    }

    @Test func `every field is printed`() throws {
        let direction = try root(of: "direction")
        let properties = try #require(direction["properties"] as? Object)
        let required = try #require(direction["required"] as? [String])
        let keys = Set(ConditionField.all.flatMap { $0.json(DirectionConditions()).keys })
        #expect(Set(properties.keys) == keys)
        #expect(Set(required) == keys)
    }

    @Test(arguments: ["list", "show", "show-scenario", "statistics", "status"])
    func `what linkcond prints of a direction is the same everywhere`(schema: String) throws {
        let direction = try definition("direction", in: schema)
        #expect(direction["$ref"] as? String == "linkcond:direction")
        #expect(direction["unevaluatedProperties"] as? Bool == false)
    }

    @Test func `a profile has every field, a scenario a pattern for each`() throws {
        let direction = try definition("direction", in: "profile")
        let properties = try #require(direction["properties"] as? Object)
        #expect(Set(properties.keys) == Set(ConditionField.keys))

        let settings = try definition("settings", in: "scenario")
        let patterns = try #require(settings["patternProperties"] as? Object)
        for path in ["down", "up"].flatMap({ way in ConditionField.keys.map { "\(way).\($0)" } }) {
            let matches = try patterns.keys.filter { try path.contains(Regex($0)) }
            #expect(matches.count == 1, "\(path)")
        }
    }

    /// An editor reads one file, so each schema has its own definition.
    private func durationPattern() throws -> Regex<AnyRegexOutput> {
        let patterns = try ["profile", "scenario", "matrix"].map {
            try definition("duration", in: $0)["pattern"] as? String
        }
        #expect(Set(patterns).count == 1)
        return try Regex(try #require(patterns[0]))
    }

    @Test(arguments: ["profile", "scenario", "matrix"])
    func `the schemas know durations in one place, with examples that are read`(
        schema: String
    ) throws {
        let pattern = try durationPattern()
        let examples = try definition("duration", in: schema)["examples"] as? [String]
        for example in try #require(examples) {
            #expect(example.wholeMatch(of: pattern) != nil, "\(example)")
            _ = try Duration(parsing: example)
        }
        let path = "\(BuiltProduct.packageDirectory)/Profiles/schema/\(schema).schema.json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.components(separatedBy: "minutes?").count == 3, "one pattern names it twice")
        #expect(!text.contains("A-Za-z\u{b5}"))
    }

    /// What has a number and a unit.
    enum Quantity: CaseIterable {
        case duration, bandwidth, percentage, queue, size

        /// What may be a unit of it, and what is not.
        var units: [String] {
            switch self {
            case .duration:
                [
                    "d", "day", "days", "h", "hr", "hrs", "hour", "hours", "m", "min", "mins",
                    "minute", "minutes", "s", "sec", "secs", "second", "seconds", "ms", "msec",
                    "msecs", "millisecond", "milliseconds", "us", "usec", "usecs", "\u{b5}s",
                    "\u{3bc}s", "microsecond", "microseconds", "ns", "nsec", "nanosecond",
                    "nanoseconds", "weeks", "x",
                ]
            case .bandwidth:
                ["bit/s", "kbit", "Mbit/s", "GBIT/S", "tbit", "bps", "/s", "Mbit/", "k", "x"]
            case .percentage: ["%", "percent", "x"]
            case .queue: ["packet", "packets", "KiB", "mb", "B", "GiB", "ms", "s", "KB/s", "x"]
            case .size: ["b", "B", "kB", "KB", "MB", "gb", "KiB", "mib", "GiB", "i", "TB", "x"]
            }
        }

        func read(_ text: String) throws(QuantityError) {
            switch self {
            case .duration: _ = try Duration(parsing: text)
            case .bandwidth: _ = try Bandwidth(parsing: text)
            case .percentage: _ = try Ratio(parsing: text)
            case .queue: _ = try QueueLimit(parsing: text)
            case .size: _ = try ByteCount(parsing: text)
            }
        }
    }

    /// The patterns of the schemas for it, any of which is enough.
    private func patterns(for quantity: Quantity) throws -> [Regex<AnyRegexOutput>] {
        let settings = try definition("settings", in: "scenario")
        let fields = try #require(settings["patternProperties"] as? Object)
        func pattern(_ value: Any?) throws -> String {
            try #require((value as? Object)?["pattern"] as? String)
        }
        let duration = try durationPattern()
        switch quantity {
        case .duration: return [duration]
        case .bandwidth:
            let text = try pattern(definition("bandwidth", in: "profile"))
            #expect(
                try pattern(fields["^(down|up)\\.bandwidth$"])
                    == "^(unlimited|\(text.dropFirst().dropLast()))$")
            return [try Regex(text)]
        case .percentage:
            let text = try pattern(definition("percentage", in: "profile"))
            #expect(try pattern(definition("percentage", in: "scenario")) == text)
            return [try Regex(text)]
        case .queue:
            let direction = try definition("direction", in: "profile")
            let places = try [
                #require(direction["properties"] as? Object)["queue"],
                fields["^(down|up)\\.queue$"],
            ]
            let texts = try places.map { place in
                try pattern(((place as? Object)?["anyOf"] as? [Any])?.first)
            }
            #expect(texts[0] == texts[1])
            return [try Regex(texts[0]), duration]
        case .size:
            let entry = try definition("entry", in: "scenario")
            return [try Regex(pattern(#require(entry["properties"] as? Object)["limit"]))]
        }
    }

    @Test(arguments: Quantity.allCases)
    func `what a schema takes for a quantity is what is read as one`(quantity: Quantity) throws {
        let patterns = try patterns(for: quantity)
        let numbers = ["1", "0.5", ".5", "5.", "30", "007"]
        let words = numbers + [" ", " ", "-", ","] + quantity.units
        var generator = SeededGenerator(seed: 16)
        var taken = 0
        for _ in 0..<20_000 {
            // Numbers and anything by turns, so that many are quantities.
            let text = (0..<Int.random(in: 1...6, using: &generator)).compactMap { place in
                (place.isMultiple(of: 2) ? numbers : words).randomElement(using: &generator)
            }.joined()
            guard text.last != " " else { continue }
            let matches = patterns.contains { text.wholeMatch(of: $0) != nil }
            do throws(QuantityError) {
                try quantity.read(text)
                #expect(matches, "\(text)")
                taken += 1
            } catch {
                // No pattern tells how large a number is, and few whether bytes are whole.
                let isTooMuch = ["is outside", "too many", "not a whole"].contains {
                    error.description.contains($0)
                }
                #expect(!matches || isTooMuch, "\(text): \(error)")
            }
        }
        #expect(taken > 200)
    }
}
