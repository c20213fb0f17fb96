import LinkModel
import LinkTesting
import Testing

@Suite("Profile", .tags(.unit))
struct ProfileTests {
    @Test("The id is family and name, blanks as hyphens")
    func id() {
        #expect(Profile(name: "Very Bad Network", family: "apple").id == "apple/Very-Bad-Network")
    }
}
