import LinkModel
import LinkTesting
import Testing

@Suite("Names with wildcards", .tags(.unit)) struct NamePatternTests {
    @Test(arguments: [
        ("shop.example", ["shop.example"], ["a.shop.example", "example", ""]),
        ("*.example", ["shop.example", "a.shop.example"], ["example", "badexample"]),
        ("*", ["example", "a.example"], []),
    ])
    func `mean these and no others`(text: String, names: [String], others: [String]) throws {
        let pattern = try #require(NamePattern(parsing: text))
        for name in names { #expect(pattern.matches(name), "\(name)") }
        for name in others { #expect(!pattern.matches(name), "\(name)") }
    }

    @Test(arguments: [
        "", ".", "**", "a*", "*a.b", "a..b", "a b", "é.example", "a.*", "a/b",
        String(repeating: "a", count: 64),
    ])
    func `are not everything`(text: String) { #expect(NamePattern(parsing: text) == nil) }

    @Test(arguments: [
        "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.", "01.2.3.4", "a.b.c.d", "+1.2.3.4",
    ])
    func `addresses are four numbers`(text: String) { #expect(IPv4Address(parsing: text) == nil) }

    @Test func `an address is written as it was read`() {
        for text in ["0.0.0.0", "203.0.113.7", "255.255.255.255"] {
            #expect(IPv4Address(parsing: text)?.text == text)
        }
    }
}
