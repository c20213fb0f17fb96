import LinkTesting
import Recording
import Testing

@testable import Matrix

@Suite("Text in reports", .tags(.unit)) struct TextTests {
    @Test func `whatever is interpolated into markup is escaped`() {
        let hostile = "</script><b a=\"x\" c='y'>&\"\u{301}\u{0}\u{1B}"
        let markup: Markup = "<p title=\"\(hostile)\">\(7)</p>"
        #expect(
            markup.description == """
                <p title="&lt;/script&gt;&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;&quot;\u{301}␀␛">7</p>
                """)
    }

    @Test func `markup in markup is not escaped again`() {
        let inner: Markup = "<b>\("<")</b>"
        let outer: Markup =
            "<p>\(inner)\([inner, inner])\("no", if: false)\(nil as Int?, { "\($0)" })</p>"
        #expect(outer.description == "<p><b>&lt;</b><b>&lt;</b><b>&lt;</b></p>")
    }

    @Test(arguments: [
        ("plain\r\nlines\n", "plain\nlines\n"),
        ("10%\r50%\rdone\n", "done\n"),
        ("kept\r", "kept"),
        ("\u{1B}[1;31mred\u{1B}[0m", "red"),
        ("\u{1B}]0;a title\u{7}text\u{1B}]8;;http://x\u{1B}\\link", "textlink"),
        ("\u{1B}(Btext\u{1B}[?25l\u{1B}[2Kleft", "left"),
        ("a\u{0}b\u{7}c\u{7F}", "a␀bc␡"),
        ("typo\u{8}o", "typo"),
        ("left\u{202E}right", "left\u{FFFD}right"),
        ("cut off \u{1B}[", "cut off "),
        ("no end \u{1B}]0;title\nnext", "no end \nnext"),
    ])
    func `control sequences are read as a terminal does`(_ printed: String, _ seen: String) {
        #expect(TerminalText(printed.utf8).plain == seen)
    }

    @Test func `colours are kept`() {
        let text = TerminalText("a\u{1B}[31;1mb\u{1B}[22mc\u{1B}[38;5;12md\u{1B}[38;2;1;2;3me".utf8)
        #expect(text.runs.map(\.text) == ["a", "b", "c", "d", "e"])
        #expect(text.runs.map(\.style.color) == [nil, 1, 1, 12, 0])
        #expect(text.runs.map(\.style.isBold) == [false, true, false, false, false])
    }

    @Test(
        arguments: [
            ("38;5;208", nil, 3), ("38;5;1", nil, 1), ("38;5;244", nil, 8),
            ("38;2;250;20;10", nil, 9),
            ("48;5;21", 4, nil), ("41;97", 1, 15), ("104", 12, nil), ("38;5", nil, nil),
            ("38;2;1", nil, nil), ("48;5;999", nil, nil), ("38;2;-9;99999999;0", nil, 10),
            ("41;49", nil, nil), ("48;5;196;32", 9, 2),
        ] as [(String, Int?, Int?)])
    func `other colours become the nearest usual one`(
        _ codes: String, _ background: Int?, _ color: Int?
    ) {
        let runs = TerminalText("\u{1B}[\(codes)mx".utf8).runs
        #expect(runs.map(\.style.background) == [background])
        #expect(runs.map(\.style.color) == [color])
    }

    @Test func `bytes that are no text are there, but harmless`() {
        #expect(TerminalText([0x61, 0xFF, 0xC3, 0x28]).plain == "a\u{FFFD}\u{FFFD}(")
    }

    @Test func `of a long log the beginning and more of the end are kept, whole lines each`() {
        let lines = (1...1000).map { "line \($0)\n" }.joined()
        let excerpt = LogExcerpt(Array(lines.utf8), limit: 1000)
        let beginning = String(decoding: excerpt.beginning, as: UTF8.self)
        let end = String(decoding: excerpt.end, as: UTF8.self)
        #expect(lines.hasPrefix(beginning) && beginning.hasSuffix("\n"))
        #expect(lines.hasSuffix(end) && end.hasPrefix("line "))
        #expect(end.utf8.count > beginning.utf8.count)
        #expect(
            UInt64(lines.utf8.count)
                == UInt64(beginning.utf8.count + end.utf8.count) + excerpt.omittedBytes)
        #expect(excerpt.lastLines(2) == "line 999\nline 1000")
    }

    @Test func `a log without line breaks is cut all the same`() {
        let excerpt = LogExcerpt([UInt8](repeating: 0x61, count: 10_000), limit: 1000)
        #expect(excerpt.beginning.count + excerpt.end.count == 1000)
    }

    @Test(arguments: [
        (["npm", "test"], "npm test"), (["a b", "", "it's", "$x"], "'a b' '' 'it'\\''s' '$x'"),
        (["https://x.y/?a=1", "é"], "'https://x.y/?a=1' 'é'"),
    ])
    func `words are quoted for a shell`(_ words: [String], _ text: String) {
        #expect(words.shellText == text)
    }

    @Test(arguments: [
        ("*.xml", "a.xml", true), ("*.xml", "a/b.xml", false), ("**/*.xml", "a/b/c.xml", true),
        ("**/*.xml", "c.xml", true), ("a/**/c?.xml", "a/b/b/c1.xml", true), ("a", "b", false),
        ("**/*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false), ("**", "a/b", true),
    ])
    func `patterns match paths`(_ pattern: String, _ path: String, _ isMatch: Bool) {
        #expect(Glob(pattern).matches(path) == isMatch)
    }
}
