import LinkTesting
import Testing

@testable import Sandbox

@Suite("Listed processes", .tags(.unit)) struct ListedProcessTests {
    @Test func `a process is read whatever its name`() throws {
        let process = try #require(
            ListedProcess(stat: "42 (a) R 1 (b\n) S 7 40 39 34816 42 4194560 100"))
        #expect(process.id == 42)
        #expect(process.parent == 7)
        #expect(process.session == 39)
        #expect(!process.hasEnded)
    }

    @Test func `one that nobody has taken note of has ended`() {
        #expect(ListedProcess(stat: "42 (sh) Z 1 42 0 0 -1 0")?.hasEnded == true)
    }

    @Test(arguments: ["", "42", "42 (sh", "42 (sh) R 1", "x (sh) R 1 2 3"])
    func `what is none is not read`(text: String) {
        #expect(ListedProcess(stat: text) == nil)
    }

    @Test func `this process is among all, and where it is`() {
        #expect(ListedProcess.all().contains { !$0.hasEnded })
        #expect(ListedProcess.network("self/ns/net")?.hasPrefix("net:[") == true)
        #expect(ListedProcess.network(of: 0) == nil)
    }
}
