import LinkTesting
import LinkModel
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
        "Other text stays as it is",
        arguments: [
            "", "LTE", "Z\u{fc}rich 4G", "\u{5149}", "\u{1f468}\u{200d}\u{1f469}", "\\u{1b}",
        ])
    func keeping(text: String) {
        #expect(text.printable == text)
    }
}
