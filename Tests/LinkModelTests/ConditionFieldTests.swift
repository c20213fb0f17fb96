import LinkModel
import LinkTesting
import LinkUnits
import Testing

@Suite("Fields of a direction", .tags(.unit))
struct ConditionFieldTests {
    /// In which every field can have the value of its sample.
    private let base = DirectionConditions(
        bandwidth: .megabitsPerSecond(10), delay: .milliseconds(10),
        jitter: Jitter(amount: .milliseconds(5)), aqm: .codel, mtu: LinkMTU(bytes: 1400))

    /// A value of each field that `base` does not have. A new field needs one.
    private static let samples: [String: FieldValue] = [
        "bandwidth": .scalar("5 Mbit/s"),
        "delay": .scalar("50 ms"),
        "jitter": .scalar("7 ms"),
        "distribution": .scalar("pareto"),
        "loss": .mapping([("mean", "2%"), ("burst", "8")]),
        "duplicate": .scalar("1%"),
        "corrupt": .scalar("0.1%"),
        "reorder": .mapping([("mean", "1%"), ("gap", "5")]),
        "queue": .scalar("64 KiB"),
        "aqm": .scalar("pie"),
        "ecn": .scalar("true"),
        "trace": .scalar("up.trace"),
        "mtu": .scalar("1280"),
        "icmp": .scalar("silent"),
    ]

    private func values(_ conditions: DirectionConditions) -> [String?] {
        ConditionField.all.map { $0.value(conditions)?.description }
    }

    @Test func `every stored property has a row`() {
        let properties = Mirror(reflecting: DirectionConditions()).children.map(\.label)
        for property in properties {
            #expect(ConditionField.keys.contains { $0 == property })
        }
        #expect(Set(ConditionField.keys).count == ConditionField.all.count)
        #expect(Set(ConditionField.asPacketsMeetThem.map(\.key)) == Set(ConditionField.keys))
    }

    @Test func `a perfect link has no values`() {
        #expect(values(DirectionConditions()).allSatisfy { $0 == nil })
    }

    @Test(arguments: ConditionField.keys)
    func `a value is read, written, copied, shown and kept on a ramp, and no other is`(
        key: String
    ) throws {
        let index = try #require(ConditionField.keys.firstIndex(of: key))
        let field = ConditionField.all[index]
        let sample = try #require(Self.samples[key])
        var conditions = base
        try field.read(sample, &conditions)

        var expected = values(base)
        expected[index] = sample.description
        #expect(values(conditions) == expected)

        var copy = base
        field.copy(conditions, &copy)
        #expect(copy == conditions)

        let (json, before) = (field.json(conditions), field.json(base))
        #expect(
            json.mapValues(String.init(describing:)) != before.mapValues(String.init(describing:)))
        #expect(Set(json.keys) == Set(before.keys))
        let isShown = ConditionField.all.contains { $0.text(conditions) != $0.text(base) }
        #expect(isShown)

        let link = LinkConditions(down: conditions, up: base)
        #expect(link.interpolated(to: link, fraction: 0.5) == link)
    }

    @Test func `what is no value is refused with its reason`() {
        func expectRefusal(
            _ field: String, _ value: FieldValue, _ reason: String, _ member: String?
        ) {
            let row = ConditionField.all.first { $0.key == field }
            var conditions = DirectionConditions()
            let error = #expect(throws: FieldError.self) { try row?.read(value, &conditions) }
            #expect(error?.explanation == reason)
            #expect(error?.member == member)
            #expect(conditions == DirectionConditions())
        }
        expectRefusal("delay", .mapping([]), "has to be a single value", nil)
        expectRefusal("ecn", .scalar("yes"), "\"yes\" is neither true nor false", nil)
        expectRefusal(
            "distribution", .scalar("normal"),
            "says how jitter is distributed; give a jitter too", nil)
        let aNumber = "is not a number of bytes; write one such as 1280"
        expectRefusal("mtu", .scalar("1280 kB"), "\"1280 kB\" \(aNumber)", nil)
        expectRefusal("mtu", .scalar("-1e3"), "\"-1e3\" \(aNumber)", nil)
        expectRefusal("mtu", .scalar("67"), "67 is outside 68 to 65535 bytes", nil)
        expectRefusal("mtu", .scalar("65536"), "65536 is outside 68 to 65535 bytes", nil)
        expectRefusal("icmp", .scalar("loud"), "\"loud\" is not one of answered, silent", nil)
        expectRefusal(
            "icmp", .scalar("silent"),
            "says who learns that a packet exceeds the mtu; give an mtu too", nil)
        expectRefusal("loss", .mapping([]), "is missing; write { mean: 2%, ... }", "mean")
        expectRefusal(
            "reorder", .mapping([("mean", "1%"), ("gap", "x")]),
            "\"x\" is not a number of packets, such as 5", "gap")
    }
}
