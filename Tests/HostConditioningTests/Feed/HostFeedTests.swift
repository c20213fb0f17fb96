import LinkTesting
import Testing

@testable import HostConditioning

@Suite("What the panel is told", .tags(.unit)) struct HostFeedTests {
    @Test(arguments: [(0, 100), (1, 100), (2, 100), (10, 500), (20, 1000), (500, 1000)])
    func `the more is conditioned, the less often`(count: Int, milliseconds: Int) {
        #expect(HostFeed.interval(for: count) == .milliseconds(milliseconds))
    }

    @Test func `a program is shown with the words of its command`() throws {
        let line = "/usr/bin/linkcond\0run\0LTE\0--\0sh\0-c\0echo  a\0"
        let program = try #require(OngoingProgram(pid: 7, commandLine: line))
        #expect(program.verb == "run")
        #expect(program.command == "linkcond run LTE -- sh -c 'echo  a'")
    }

    @Test(arguments: ["linkcond\0", "linkcond\0status\0", "linkcond\0serve-feed\0", ""])
    func `others are not`(line: String) {
        #expect(OngoingProgram(pid: 7, commandLine: line) == nil)
    }

    @Test(arguments: [
        ("matrix\0--report\0/tmp/a\0--\0x\0", "/tmp/a/report.html"),
        ("run\0LTE\0--timeline=/tmp/b.html\0--\0x\0", "/tmp/b.html"),
        ("bisect\0LTE\0--html\0/tmp/c.html\0--\0x\0", "/tmp/c.html"),
        ("run\0LTE\0--timeline\0/tmp/b.svg\0--\0x\0", nil),
        ("run\0LTE\0--\0x\0--report\0/tmp/a\0", nil),
    ])
    func `the page of its report is known by its words`(words: String, page: String?) {
        #expect(OngoingProgram(pid: 7, commandLine: "linkcond\0\(words)")?.report == page)
    }

    @Test func `one that has ended stays if it has a report`() throws {
        var seen = SeenPrograms()
        let matrix = try #require(
            OngoingProgram(pid: 7, commandLine: "linkcond\0matrix\0--report\0/tmp/a\0--\0x\0"))
        let run = try #require(OngoingProgram(pid: 8, commandLine: "linkcond\0run\0LTE\0"))
        seen.update([matrix, run])
        #expect(seen.all == [matrix, run])
        seen.update([run])
        #expect(seen.all.map(\.pid) == [8, 7])
        #expect(seen.all.map(\.isOver) == [false, true])
        seen.update([])
        #expect(seen.all.map(\.pid) == [7])
    }

    @Test func `a page that several have written is that of the last one`() throws {
        let matrices = try [7, 8, 9].map { pid in
            try #require(
                OngoingProgram(pid: pid, commandLine: "linkcond\0matrix\0--report\0/tmp/a\0"))
        }
        var seen = SeenPrograms()
        seen.update([matrices[2]], written: [matrices[1], matrices[0]])
        #expect(seen.all.map(\.pid) == [9, 8])
        seen.update([], written: matrices.reversed())
        #expect(seen.all.map(\.pid) == [9])
        #expect(seen.all.map(\.isOver) == [true])
    }
}
