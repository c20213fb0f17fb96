import LinkTesting
import Testing
import YAMLReading

@Suite("YAML documents", .tags(.unit)) struct YAMLDocumentTests {
    @Test func `values come as written, with their lines`() throws {
        let root = try #require(
            try YAMLDocument.read(
                """
                # A comment
                name: Café   # another
                quoted: "a\\tb\\0"
                list: [1, yes, null, '']
                down:
                  delay: 50 ms
                "5": |
                  two
                  lines
                """))
        guard case .mapping(let mapping) = root else {
            Issue.record("is \(root)")
            return
        }
        #expect(mapping.map(\.key.string) == ["name", "quoted", "list", "down", "5"])
        #expect(mapping.map(\.key.line) == [2, 3, 4, 5, 7])
        #expect(mapping["name"] == .scalar(.init("Café", line: 2)))
        #expect(mapping["quoted"]?.string == "a\tb\0")
        #expect(mapping["list"]?.elements?.map(\.string) == ["1", "yes", "null", ""])
        #expect(mapping["5"]?.string == "two\nlines")
        guard case .mapping(let down) = mapping["down"] else {
            Issue.record("is \(mapping)")
            return
        }
        #expect(down["delay"]?.line == 6 && down["loss"] == nil)
    }

    @Test(arguments: ["", " \n", "# only a comment\n"])
    func `a text of nothing has no value`(text: String) throws {
        #expect(try YAMLDocument.read(text) == nil)
    }

    @Test func `an alias stands for the latest value of its name`() throws {
        let root = try YAMLDocument.read("[&a 1, *a, &a {x: 2}, *a]")
        let elements = try #require(root?.elements)
        #expect(elements[1] == elements[0])
        #expect(elements[3] == elements[2] && elements[3] != elements[0])
    }

    static let bad: [(text: String, error: YAMLError)] = [
        ("a: 1\nb: [", .invalid(line: 3, problem: "did not find expected node content")),
        (
            "a: 1\n b: 2",
            .invalid(line: 2, problem: "mapping values are not allowed in this context")
        ),
        ("a: *b", .invalid(line: 1, problem: "found undefined alias")),
        ("\na: &b [*b]", .invalid(line: 2, problem: "found undefined alias")),
        ("b: 1\na: 2\nb: 3\na: 4\nc: 5", .duplicateKeys(["a", "b"], line: 2)),
        ("x: 1\n'x': 2", .duplicateKeys(["x"], line: 1)),
        ("a: 1\n---\nb: 2", .furtherDocument(line: 2)),
        ("a: 1\nb: \u{1}", .forbiddenCharacter(line: 2)),
        (
            String(repeating: "[", count: 101),
            .invalid(line: 1, problem: "nested more than 100 deep")
        ),
    ]

    @Test(arguments: bad)
    func `what is wrong is said with its line`(text: String, error: YAMLError) {
        #expect(throws: error) { try YAMLDocument.read(text) }
    }

    @Test func `whatever is cut or changed ends in a value or an error`() throws {
        let text =
            "%YAML 1.1\n---\na: &x [1, {b: *x}]\n? [k]\n: |\n  text\nc: \"\\u00e9\\\n  d\"\n..."
        var random = SeededGenerator(seed: 1)
        for _ in 0..<3000 {
            let changed = TextMutation.mutated([text], &random)
            _ = try? YAMLDocument.read(changed)
            _ = try? YAMLDocument.read(
                String(changed.prefix(Int.random(in: 0...60, using: &random))))
        }
    }
}
