import Foundation
import JSONReading
import LinkTesting
import Testing

@testable import ProfileImport

/// Where a text stops being JSON, against a parser that is not ours.
@Suite("Faults of JSON", .tags(.unit)) struct JSONFaultTests {
    static let faults: [(text: String, line: Int, problem: String)] = [
        ("{\"a\": 1,\n \"b\": tru}", 2, "Unexpected t, a value belongs here"),
        ("{\"a\": 1,\n\n}", 3, "Unexpected }, a key in quotes belongs here"),
        ("{'a': 1}", 1, "Unexpected ', a key in quotes belongs here"),
        ("{\"a\" 1}", 1, "Unexpected 1, a colon belongs here"),
        ("[1\n 2]", 2, "Unexpected 2, a comma or ] belongs here"),
        ("[1]\n\nx", 3, "Unexpected x, the text should end here"),
        ("[01]", 1, "A number may not begin with 0"),
        ("[1.]", 1, "Unexpected ], a digit belongs here"),
        ("[\"a\nb\"]", 1, "A text has to end on its line"),
        ("[\"\\x\"]", 1, "Unexpected x, this is no escape in a text"),
        ("[\"\\u12g4\"]", 1, "\\u needs four hexadecimal digits"),
        ("[é]", 1, "Unexpected é, a value belongs here"),
        ("[1,\n\"a", 2, "Unexpected end of file"),
        ("[\"a\\", 1, "Unexpected end of file"),
        ("", 1, "Unexpected end of file"),
        (String(repeating: "[", count: 100_000), 1, "Nested deeper than 64 levels"),
    ]

    private static func fault(in text: String, allowsRepeatedKeys: Bool = false) -> JSONSyntaxError?
    {
        do {
            _ = try JSONValue(
                parsing: Array(text.utf8), allowsRepeatedKeys: allowsRepeatedKeys)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: faults)
    func `a fault is found where it is`(text: String, line: Int, problem: String) throws {
        let fault = try #require(Self.fault(in: text))
        #expect(fault.line == line)
        #expect(fault.sentence == problem)
    }

    @Test func `it finds a fault in what another parser refuses, and in nothing else`() throws {
        let text = #"{"a": [1, -2.5e+3, 0, true, null], "b\u00e9\n": {"c": "", "d": {}}, "e": []}"#
        #expect(Self.fault(in: text) == nil)
        var random = SeededGenerator(seed: 7)
        var valid = 0
        for _ in 0..<3000 {
            let changed = TextMutation.mutated([text], &random)
            // Only the other parser skips a byte order mark, and knows surrogates and what a
            // `Double` holds.
            guard !changed.hasPrefix("\u{feff}"), !changed.contains("\\ud8"),
                !changed.contains("1e309")
            else { continue }
            let isValid =
                (try? JSONSerialization.jsonObject(
                    with: Data(changed.utf8), options: .fragmentsAllowed)) != nil
            valid += isValid ? 1 : 0
            // The other parser takes one of two equal keys.
            #expect(
                (Self.fault(in: changed, allowsRepeatedKeys: true) == nil) == isValid,
                "\(changed)")
        }
        #expect(valid > 10)
    }
}
