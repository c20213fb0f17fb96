import LinkTesting
import Testing

@testable import DataPlane

@Suite("Marks", .tags(.unit)) struct MarkTextTests {
    @Test(arguments: ["apple/LTE", "a b  c", "x=y", "", "naïve, down.loss=2%"])
    func `a mark is read as it was written`(profile: String) throws {
        let alias = MarkText.alias(["linkcond/1", "up", "of=5", "name=a=b"], profile: profile)
        let text = try #require(MarkText(alias: alias, prefix: "linkcond/1"))
        #expect(text.words == ["up"] && text.values == ["of": "5", "name": "a=b"])
        #expect(text.profile == profile && text.name == "a=b")
    }

    @Test func `a long profile is cut at a whole character`() throws {
        let alias = MarkText.alias(["p"], profile: String(repeating: "é", count: 300))
        #expect(alias.utf8.count <= MarkText.longest && alias.utf8.count >= MarkText.longest - 1)
        #expect(MarkText(alias: alias, prefix: "p")?.profile.last == "é")
    }

    @Test(arguments: ["", "p", "px profile=a", "q profile=a", "p of=5"])
    func `others are not read`(alias: String) {
        #expect(MarkText(alias: alias, prefix: "p") == nil)
    }

    @Test func `a name is no longer than was ever given`() {
        let long = String(repeating: "n", count: MarkText.longestName + 1)
        #expect(MarkText(alias: "p name=\(long) profile=", prefix: "p")?.name == nil)
    }
}
