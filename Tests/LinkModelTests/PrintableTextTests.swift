import LinkModel
import LinkTesting
import Testing

@Suite("Printable text", .tags(.unit))
struct PrintableTextTests {
    @Test(
        "What a terminal would obey is written as its number",
        arguments: [
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"), ("a\nb\tc\0", "a\\u{a}b\\u{9}c\\u{0}"),
            ("\u{7f}\u{9b}0m", "\\u{7f}\\u{9b}0m"), ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{2028}b", "a\\u{2028}b"), ("a\r\nb", "a\\u{d}\\u{a}b"),
        ])
    func escaping(text: String, expected: String) {
        #expect(text.printable == expected)
    }

    @Test(
        "In text of several lines it is shown by one character, and the lines stay",
        arguments: [
            ("a\u{1b}[31mb", "a\u{241b}[31mb"), ("a\nb\tc\0\r", "a\nb\tc\u{2400}\u{240d}"),
            ("\u{7f}\u{9b}\u{202e}\u{2066}\u{ffff}", "\u{2421}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            ("Z\u{fc}rich \u{1f468}\u{200d}\u{1f469}", "Z\u{fc}rich \u{1f468}\u{200d}\u{1f469}"),
        ])
    func showing(text: String, expected: String) {
        #expect(Array(text.unicodeScalars.map(\.visible)) == Array(expected.unicodeScalars))
    }

    @Test(
        "Other text stays as it is",
        arguments: [
            "", "LTE", "Z\u{fc}rich 4G", "\u{5149}", "\u{1f468}\u{200d}\u{1f469}", "\\u{1b}",
        ])
    func keeping(text: String) {
        #expect(text.printable == text)
    }
}
