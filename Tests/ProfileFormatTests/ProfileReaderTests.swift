import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Testing

@Suite("Profile reader", .tags(.unit))
struct ProfileReaderTests {
    @Test("Every key at the top is read")
    func allKeys() throws {
        let text = """
            name: Very Slow
            family: office
            aliases: [slow, very-slow]
            summary: As in the lift
            source: "measured"
            interface: wifi
            down: { bandwidth: 1 Mbit/s }
            up: { delay: 5 ms }
            dns: { delay: 3 s }
            expensive: true
            constrained: true
            blackhole: true
            """
        let profile = try ProfileReader.profile(from: text, file: "a.yaml")
        #expect(
            profile
                == Profile(
                    name: "Very Slow", family: "office", aliases: ["slow", "very-slow"],
                    summary: "As in the lift", source: "measured", interface: .wifi,
                    conditions: LinkConditions(
                        down: .init(bandwidth: .megabitsPerSecond(1)),
                        up: .init(delay: .milliseconds(5)), dnsDelay: .seconds(3),
                        isBlackhole: true), isExpensive: true, isConstrained: true))
    }

    @Test("A name is all that a profile needs")
    func nameAlone() throws {
        let profile = try ProfileReader.profile(from: "name: A", file: "a.yaml")
        #expect(profile == Profile(name: "A", family: "user"))
        let inFamily = try ProfileReader.profile(
            from: "name: A", file: "a.yaml", defaultFamily: "apple")
        #expect(inFamily.family == "apple")
    }

    @Test("Flags may be written out as false, and a lookup may take no longer")
    func nothing() throws {
        let text = "name: A\nexpensive: false\nblackhole: false\ndns: { delay: 0 s }\ndown: {}\n"
        #expect(
            try ProfileReader.profile(from: text, file: "a.yaml")
                == Profile(name: "A", family: "user"))
    }

    @Test("A summary over several lines becomes one")
    func foldedText() throws {
        let text = "name: A\nsummary: >\n  one\n  two\n\nsource: |\n  three\n  four\n"
        let profile = try ProfileReader.profile(from: text, file: "a.yaml")
        #expect(profile.summary == "one two")
        #expect(profile.source == "three four")
    }

    private static let known =
        "name, family, aliases, summary, source, interface, down, up, dns, expensive, "
        + "constrained, blackhole, middle"

    private static let wrong: [(String, String)] = [
        ("family: user", ":1: name: is missing; every profile has one"),
        ("name: ''", ":1: name: has no value; write one or leave the key out"),
        ("name: [A]", ":1: name: has to be a single value"),
        ("name: a/b", ":1: name: \"a/b\" has a slash, which parts family and name"),
        ("name: ' a'", ":1: name: \" a\" starts or ends with a blank; leave it out"),
        ("name: 'a '", ":1: name: \"a \" starts or ends with a blank; leave it out"),
        (
            "name: \"a\\e[31m\"",
            ":1: name: has the character \\u{1b}, which cannot be shown"
        ),
        ("name: \"a\\nb\"", ":1: name: has the character \\u{a}, which cannot be shown"),
        ("name: \"a\\u202Eb\"", ":1: name: has the character \\u{202e}, which cannot be shown"),
        (
            "name: A\nsummary: \"\\x9b\"",
            ":2: summary: has the character \\u{9b}, which cannot be shown"
        ),
        (
            "name: A\naliases: [\"\\a\"]",
            ":2: aliases: has the character \\u{7}, which cannot be shown"
        ),
        (
            "name: A\nfamily: My ProcessTree",
            ":2: family: \"My ProcessTree\" is not lower-case letters, digits and single hyphens"
        ),
        (
            "name: A\nfamily: a/b",
            ":2: family: \"a/b\" is not lower-case letters, digits and single hyphens"
        ),
        ("name: A\naliases: wifi", ":2: aliases: has to be a list, such as [wifi, wlan]"),
        (
            "name: A\naliases: [a/b]",
            ":2: aliases: has to be a list of words without blanks and slashes"
        ),
        (
            "name: A\naliases: [[a]]",
            ":2: aliases: has to be a list of words without blanks and slashes"
        ),
        ("name: A\naliases: [a, b, a]", ":2: aliases: a is given twice; keep one"),
        ("name: A\nsummary: [a]", ":2: summary: has to be a text"),
        (
            "name: A\ninterface: 5g",
            ":2: interface: \"5g\" is not one of wifi, cellular, wired, other"
        ),
        ("name: A\nexpensive: yes", ":2: expensive: \"yes\" is neither true nor false"),
        ("name: A\nconstrained: 1", ":2: constrained: \"1\" is neither true nor false"),
        ("name: A\nblackhole: [true]", ":2: blackhole: has to be a single value"),
        (
            "name: A\ndown: 5 ms",
            ":2: down: has to be a list of fields, such as { bandwidth: ... }"
        ),
        (
            "name: A\nup:",
            ":2: up: has to be a list of fields, such as { bandwidth: ... }"
        ),
        ("name: A\ndns: { delay: 3 }", ":2: dns.delay: \"3\" has no unit; write \"3 ms\""),
        ("name: A\ndns: {}", ":2: dns.delay: is missing; write dns: { delay: 3 s }"),
        (
            "name: A\ndns: { delay: 1 h }",
            ":2: dns.delay: 3600 s is too long; the longest delay is 600 s"
        ),
        ("name: A\ndns: { dealy: 3 s }", ":2: dns.dealy: unknown key; did you mean delay?"),
        ("name: A\ndwon: {}", ":2: dwon: unknown key; did you mean down?"),
        ("name: A\ncolour: red", ":2: colour: unknown key; known here: \(known)"),
        ("name: A\n1: red", ":2: 1: unknown key; known here: \(known)"),
        ("name: A\n\"a\\nb\": red", ":2: a\\u{a}b: unknown key; known here: \(known)"),
        ("- name: A", ":1: is not a profile; the first line of one is \"name: ...\""),
        ("LTE", ":1: is not a profile; the first line of one is \"name: ...\""),
    ]

    @Test("What is wrong is said with file, line, field and the way out", arguments: wrong)
    func errors(text: String, message: String) {
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(from: text, file: "a.yaml")
        }
        #expect(error?.description == "a.yaml\(message)")
    }
}
