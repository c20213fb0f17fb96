import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Testing

@Suite("Settings of the command line", .tags(.unit))
struct SettingTests {
    private static let before = LinkConditions(
        down: .init(
            bandwidth: .megabitsPerSecond(50), delay: .milliseconds(50),
            jitter: Jitter(amount: .milliseconds(5), distribution: .uniform)),
        up: .init(bandwidth: .megabitsPerSecond(10), loss: .random(.percent(3))),
        dnsDelay: .seconds(1))

    private static let settings: [(String, @Sendable (inout LinkConditions) -> Void)] = [
        ("down.loss=2%", { $0.down.loss = .random(.percent(2)) }),
        ("up.loss=0%", { $0.up.loss = .none }),
        (
            "down.loss={mean: 2%, burst: 8}",
            { $0.down.loss = .bursts(mean: .percent(2), burst: 8) }
        ),
        ("up.delay=25ms", { $0.up.delay = .milliseconds(25) }),
        ("down.delay=0 ms", { $0.down.delay = .zero }),
        ("down.bandwidth=unlimited", { $0.down.bandwidth = nil }),
        ("down.bandwidth=1mbit", { $0.down.bandwidth = .megabitsPerSecond(1) }),
        // What is not named stays: the distribution of a jitter that is only made larger.
        (
            "down.jitter=9 ms",
            { $0.down.jitter = Jitter(amount: .milliseconds(9), distribution: .uniform) }
        ),
        (
            "down.distribution=pareto",
            { $0.down.jitter = Jitter(amount: .milliseconds(5), distribution: .pareto) }
        ),
        ("down.jitter=0 ms", { $0.down.jitter = nil }),
        ("up.duplicate=1%", { $0.up.duplicate = .percent(1) }),
        ("up.corrupt=1%", { $0.up.corrupt = .percent(1) }),
        (
            "down.reorder={mean: 1%, gap: 5}",
            { $0.down.reorder = Reordering(mean: .percent(1), gap: 5) }
        ),
        ("down.queue=50 packets", { $0.down.queue = .packets(50) }),
        ("down.aqm=pie", { $0.down.aqm = .pie }),
        ("down.trace=a=b.trace", { $0.down.trace = "a=b.trace" }),
        ("dns.delay=3 s", { $0.dnsDelay = .seconds(3) }),
        ("dns.delay=0 s", { $0.dnsDelay = nil }),
    ]

    @Test("A setting changes the field that it names and no other", arguments: settings.indices)
    func changes(index: Int) throws {
        let (setting, change) = Self.settings[index]
        var expected = Self.before
        change(&expected)
        var conditions = Self.before
        try ProfileReader.apply(setting: setting, to: &conditions)
        #expect(conditions == expected, "\(setting)")
    }

    private static let notAField =
        "is not a field; fields are down.bandwidth, up.delay, dns.delay and the like "
        + "(see linkcond show --help)"

    private static let wrong: [(String, String)] = [
        ("down.loss", "has no value; write it as down.loss=2%"),
        ("", "has no value; write it as down.loss=2%"),
        ("loss=2%", "loss \(notAField)"),
        ("down=2%", "down \(notAField)"),
        ("sideways.loss=2%", "sideways.loss \(notAField)"),
        ("=2%", " \(notAField)"),
        ("down.los=2%", "unknown key; did you mean loss?"),
        ("down.loss=2", "\"2\" has no unit; write \"2%\""),
        ("down.loss=", "has no value; write one or leave the key out"),
        ("down.loss=200%", "\"200%\" is more than 100%"),
        ("down.loss={mean: 2%", "not valid YAML: did not find expected ',' or '}'"),
        ("up.distribution=pareto", "says how jitter is distributed; give a jitter too"),
        ("dns.delay=3", "\"3\" has no unit; write \"3 ms\""),
        ("dns.loss=3%", "unknown key; known here: delay"),
    ]

    @Test("A wrong setting is named as it was typed, and changes nothing", arguments: wrong)
    func errors(setting: String, message: String) {
        var conditions = Self.before
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.apply(setting: setting, to: &conditions)
        }
        #expect(error?.description == "--set \(setting): \(message)")
        #expect(conditions == Self.before)
    }
}
