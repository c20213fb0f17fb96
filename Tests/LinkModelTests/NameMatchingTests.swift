import LinkTesting
import Testing

@testable import LinkModel

@Suite("Name matching", .tags(.unit))
struct NameMatchingTests {
    @Test(
        "The distance counts insertions, deletions, replacements and swaps",
        arguments: [
            ("", "", 0), ("lte", "lte", 0), ("", "lte", 3), ("lte", "", 3), ("lte", "lt", 1),
            ("lte", "let", 1), ("lte", "lre", 1), ("lte", "ltee", 1), ("edge", "dege", 1),
            ("edge", "egde", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
        ])
    func distance(left: String, right: String, expected: Int) {
        #expect(NameMatching.editDistance(Array(left), Array(right)) == expected)
        #expect(NameMatching.editDistance(Array(right), Array(left)) == expected)
    }

    @Test(
        "A mistyped name brings the nearest known one",
        arguments: [
            ("let", "LTE"), ("egde", "Edge"), ("hi-loss", "high-loss"), ("WIFFI", "wifi"),
            ("very bad netwrok", "Very Bad Network"), ("zzz", nil), ("lteeeeee", nil), ("", nil),
            ("something else", nil),
        ] as [(String, String?)])
    func suggestions(name: String, expected: String?) {
        let known = ["LTE", "Edge", "high-loss", "wifi", "Very Bad Network"]
        #expect(NameMatching.suggestion(for: name, among: known) == expected)
    }

    @Test("Of equally near names the first is meant")
    func firstOfEqual() {
        #expect(NameMatching.suggestion(for: "4G", among: ["3G", "2G"]) == "3G")
    }

    /// Compared letter by letter it would take minutes.
    @Test("A pasted page is no name", .timeLimit(.minutes(1)))
    func longName() {
        let page = String(repeating: "a", count: 1_000_000)
        let known = [String](repeating: "LTE", count: 100)
        #expect(NameMatching.suggestion(for: page, among: known) == nil)
    }

    @Test("Case, blanks and underscores do not part names")
    func normalizing() {
        #expect(NameMatching.normalized("Very Bad_Network") == "very-bad-network")
    }
}
