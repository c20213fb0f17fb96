import LinkModel
import LinkTesting
import ProfileFormat
import Testing

@Suite("Texts that are hardly profiles", .tags(.unit))
struct HostileTextTests {
    private static let notYAML = "not valid YAML: "

    private static let texts: [(String, String)] = [
        ("", ": is empty; the first line of a profile is \"name: ...\""),
        ("\n\n", ": is empty; the first line of a profile is \"name: ...\""),
        ("# only a comment\n", ": is empty; the first line of a profile is \"name: ...\""),
        ("---\n", ": is empty; the first line of a profile is \"name: ...\""),
        ("name: A\nname: B\n", ":1: name is given twice; keep one"),
        ("name: A\ndown: { delay: 1 ms, delay: 2 ms }", ":2: delay is given twice; keep one"),
        ("name: A\n---\nname: B\n", ":2: a second profile begins here; a file holds one"),
        (
            "name: A\ndown:\n\tdelay: 5 ms\n",
            ":3: not valid YAML: a tab indents this line; indent with blanks"
        ),
        (
            "name: A\nsummary: a\u{1}b\n",
            ":2: has characters that no text has; a profile is a YAML text in UTF-8"
        ),
        ("name: A\0", ":1: has characters that no text has; a profile is a YAML text in UTF-8"),
        ("name: *nobody\n", ":1: not valid YAML: found undefined alias"),
        (
            "name: A\ndown: { delay: 5 ms\n",
            ":3: not valid YAML: did not find expected ',' or '}'"
        ),
        ("name: \"A\n", ":2: not valid YAML: found unexpected end of stream"),
        ("name: A: B\n", ":1: not valid YAML: mapping values are not allowed in this context"),
        ("name: @A\n", ":1: not valid YAML: found character that cannot start any token"),
        ("name: \"\\ud800\"", ":1: not valid YAML: found invalid Unicode character escape code"),
        ("{{}: a}", ":1: a key has to be a word; known here: \(known)"),
        ("? [a]\n: b", ":1: a key has to be a word; known here: \(known)"),
        ("<<: { name: A }", ":1: <<: unknown key; known here: \(known)"),
    ]

    private static let known =
        "name, family, aliases, summary, source, interface, down, up, dns, expensive, "
        + "constrained, blackhole, middle"

    @Test("They bring one line that says where and why", arguments: texts)
    func errors(text: String, message: String) {
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(from: text, file: "a.yaml")
        }
        #expect(error?.description == "a.yaml\(message)")
    }

    @Test(
        "Line ends, a byte order mark and comments do not matter",
        arguments: [
            "name: A\r\ndown:\r\n  delay: 5 ms\r\n", "\u{feff}name: A\ndown: { delay: 5 ms }\n",
            "name: A\rdown: { delay: 5 ms }\r",
            "# ***\n--- # *\nname: A\ndown: {delay: 5 ms}\n...\n",
            "{name: A, down: {delay: 5ms}}", "!!map {name: !!str A, down: {\"delay\": '5 ms'}}",
            "name: A\nup: &x {}\ndown: {delay: 5 ms}",
        ])
    func harmless(text: String) throws {
        let profile = try ProfileReader.profile(from: text, file: "a.yaml")
        #expect(
            profile
                == Profile(
                    name: "A", family: "user",
                    conditions: LinkConditions(down: .init(delay: .milliseconds(5)))))
    }

    @Test("A line is counted right behind every line end")
    func lineNumbers() {
        for newline in ["\n", "\r\n"] {
            let text = ["name: A", "# é", "down:", "  delay: 5"].joined(separator: newline)
            let error = #expect(throws: ProfileError.self) {
                try ProfileReader.profile(from: text, file: "a.yaml")
            }
            #expect(error?.line == 4)
        }
    }

    @Test("A direction may be an alias of the other")
    func anchors() throws {
        let text = "name: A\ndown: &same { delay: 5 ms }\nup: *same\n"
        let profile = try ProfileReader.profile(from: text, file: "a.yaml")
        #expect(profile.conditions.up.delay == .milliseconds(5))
    }

    @Test(
        "Aliases that stand for millions of copies are refused at once",
        arguments: [
            // As a value, as a key, and as the key of a nested mapping.
            "name: ", "? ", "down: { ? ",
        ])
    func bomb(prefix: String) {
        var text = "a0: &a0 [x]\n"
        for level in 1...40 {
            let aliases = [String](repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        text += prefix + "*a40" + (prefix.hasPrefix("down") ? " : 1 }" : "\n")
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(from: text, file: "a.yaml")
        }
        #expect(
            error?.description == "a.yaml: has more than 20 aliases (*name); write the values out")
    }

    @Test("As many aliases as are allowed cost no time", .timeLimit(.minutes(1)))
    func largestExpansion() {
        var text = "a0: &a0 [x]\n"
        for level in 1...6 {
            text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1), *a\(level - 1)]\n"
        }
        text += "? [*a6, *a6]\n: 1\n"
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(from: text, file: "a.yaml")
        }
        #expect(error?.description.contains("unknown key") == true)
    }

    @Test(
        "Deep nesting is an error, not the end of the stack",
        arguments: ["[", "{a: ", "- ", "? ", "{? ", "[{a: [", "&a [", "!!seq ["])
    func nesting(opening: String) {
        for depth in [50, 990, 5000, 60000 / opening.count] {
            let text = "name: " + String(repeating: opening, count: depth)
            #expect(throws: ProfileError.self) {
                try ProfileReader.profile(from: text, file: "a.yaml")
            }
            let closing = opening.reversed().compactMap { ["[": "]", "{": "}"][$0] }.joined()
            let closed =
                String(repeating: opening, count: depth) + "1"
                + String(repeating: closing, count: depth)
            #expect(throws: ProfileError.self) {
                try ProfileReader.profile(from: closed, file: "a.yaml")
            }
        }
    }

    @Test("Texts of every short length are read whole")
    func shortTexts() throws {
        // Strings of up to 15 bytes are stored differently.
        for count in 1...40 {
            let name = String(repeating: "n", count: count)
            #expect(try ProfileReader.profile(from: "name: \(name)", file: "a.yaml").name == name)
        }
    }

    @Test("An error is one printable line, whatever the file is called")
    func fileNames() {
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(from: "", file: "a\u{1b}[31m\nb.yaml")
        }
        #expect(error?.description.hasPrefix("a\\u{1b}[31m\\u{a}b.yaml: is empty") == true)
    }
}
