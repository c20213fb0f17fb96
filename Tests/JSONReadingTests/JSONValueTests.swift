import Foundation
import JSONReading
import LinkTesting
import Testing

@Suite("JSON", .tags(.unit)) struct JSONValueTests {
    @Test func `is written as it was read, in the same order`() throws {
        let text = #"{"b":1,"a":[true,false,null,-1.5e3,"\"\\\n\u0001é😀"],"":{}}"#
        #expect(try JSONValue(parsing: Array(text.utf8)).description == text)
    }

    @Test func `may write characters as escapes`() throws {
        let text = #""\u00e9\ud83d\ude00\/\ud800x""#
        #expect(try JSONValue(parsing: Array(text.utf8)) == .string("é😀/\u{FFFD}x"))
    }

    @Test(arguments: [
        ("", 1, 1, "the text ends where a value belongs"),
        ("{\n  \"a\": }", 2, 8, "a value belongs here"),
        ("{\"a\": 1 \"b\": 2}", 1, 9, "a comma or } belongs here"),
        ("{a: 1}", 1, 2, "a key in quotes belongs here"),
        ("{\"a\" 1}", 1, 6, "a colon belongs here"),
        ("[1,]", 1, 4, "a value belongs here"),
        ("[01]", 1, 3, "a number may not begin with 0"),
        ("[1.]", 1, 4, "a digit belongs here"),
        ("\"a\nb\"", 1, 3, "a text has to end on its line"),
        ("\"abc", 1, 5, "the text ends within quotes"),
        ("\"\\x\"", 1, 3, "this is no escape in a text"),
        ("\"\\u12\"", 1, 4, "\\u needs four hexadecimal digits"),
        ("{} {}", 1, 4, "the text should end here"),
        ("{\"a\":1,\"a\":2}", 1, 8, "the key \"a\" is here a second time"),
    ])
    func `that is broken is refused with the place`(
        text: String, line: Int, column: Int, problem: String
    ) {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONValue(parsing: Array(text.utf8))
        }
        #expect(error?.description == "line \(line), column \(column): \(problem)")
    }

    @Test func `does not exhaust the stack`() {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONValue(parsing: Array(repeating: UInt8(ascii: "["), count: 1 << 20))
        }
        #expect(error?.problem == "nested deeper than 64 levels")
    }

    @Test func `that is not UTF-8 is refused`() {
        #expect(throws: JSONSyntaxError.self) {
            try JSONValue(parsing: [UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])
        }
    }

    /// FoundationEssentials' reader, which is not ours, judges the same texts.
    @Test(arguments: 1...20) func `is refused where another reader refuses it`(seed: UInt64) throws
    {
        let texts = [
            #"{"name":"db","toxics":[{"type":"loss","toxicity":0.5,"attributes":{"percent":2e0}}]}"#,
            #"[true,false,null,-0,1.5E+3,"\u00e9\"\\/","",{}]"#,
        ]
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let text = TextMutation.mutated(texts, &random)
            // The other does not know lone surrogates, nor exponents that no `Double` has.
            let unknown = ["\\ud8", "1e309", "18446744073709551615", "99999999999999999999"]
            guard !unknown.contains(where: text.contains),
                let value = try? JSONValue(parsing: Array(text.utf8))
            else { continue }
            #expect(try JSONValue(parsing: Array(value.description.utf8)) == value)
            let other = try? JSONSerialization.jsonObject(
                with: Data(text.utf8), options: .fragmentsAllowed)
            #expect(other != nil, "\(text)")
        }
    }
}
