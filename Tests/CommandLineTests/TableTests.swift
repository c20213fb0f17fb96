import LinkTesting
import Testing

@testable import linkcond

@Suite("Tables", .tags(.unit))
struct TableTests {
    @Test("Columns are as wide as their widest cell, lines end without blanks")
    func widths() {
        var table = Table(["NAME", .right("RATE"), "FILE"])
        table.add(["a", "1 kbit/s", ""])
        table.add(["long name", "-", "x"])
        #expect(
            table.text(isStyled: false) == """
                NAME           RATE  FILE
                a          1 kbit/s
                long name         -  x

                """)
    }

    @Test("Wide characters take two cells, marks on a letter none")
    func wideCharacters() {
        #expect(Table.width("abc") == 3)
        #expect(Table.width("é") == 1)
        #expect(Table.width("e\u{301}") == 1)
        #expect(Table.width("光") == 2)
        #expect(Table.width("\u{1f4f6} LTE") == 6)
    }

    @Test("No cell breaks a line or reaches the terminal's commands")
    func controlCharacters() {
        var table = Table(["A"])
        table.add(["a\n\u{1b}[2J"])
        #expect(table.text(isStyled: false) == "A\na\\u{a}\\u{1b}[2J\n")
    }

    @Test("Only the titles are bold")
    func styles() {
        var table = Table(["A"])
        table.add(["b"])
        #expect(table.text(isStyled: true) == "\u{1b}[1mA\u{1b}[0m\nb\n")
    }

    @Test("Text is wrapped between words")
    func wrapping() {
        #expect(WrappedText.lines(of: "one two three", width: 7) == ["one two", "three"])
        #expect(WrappedText.lines(of: "one two three", width: 3) == ["one", "two", "three"])
        #expect(WrappedText.lines(of: "", width: 10) == [])
    }

    @Test("Words are broken only where that is asked for, and wide characters count double")
    func longWords() {
        #expect(
            WrappedText.lines(of: "a 12345678 b", width: 4, breaksWords: true)
                == ["a", "1234", "5678", "b"])
        #expect(
            WrappedText.lines(of: "光光光", width: 5, breaksWords: true) == ["光光", "光"])
        // A character that is wider than the line gets a line nevertheless.
        #expect(WrappedText.lines(of: "光x", width: 1, breaksWords: true) == ["光", "x"])
    }
}
