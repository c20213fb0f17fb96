import LinkTesting
import Testing

@testable import Matrix
@testable import linkcond

@Suite("Texts of a matrix", .tags(.unit))
struct MatrixTextTests {
    private static func progress(_ profiles: Int, elapsed: Double = 12.34) -> MatrixProgress {
        var cells: [MatrixProgress.CellState] = [
            .init(profile: "LTE", state: .ended(.passed, isFlaky: true), seconds: 2),
            .init(profile: "LTE", state: .running(seconds: 1.5), seconds: nil),
            .init(profile: "3G", state: .ended(.failed, isFlaky: false), seconds: 4),
        ]
        cells += (0..<profiles - 2).map {
            .init(profile: "P\($0)", state: .waiting, seconds: nil)
        }
        return MatrixProgress(elapsedSeconds: elapsed, jobs: 2, cells: cells)
    }

    @Test func `progress is a line for the whole and one for each profile`() {
        let text = ProgressText.table(Self.progress(3), rows: 24, columns: 80)
        #expect(
            text == """
                2 of 4 cells, 1 failed, 1 running; 12.3 s, about 3 s left
                PROFILE  DONE  STATE                 TIME
                LTE       1/2  flaky, running 1.5 s   2 s
                3G        1/1  failed                 4 s
                P0        0/1  waiting                  -

                """)
    }

    @Test(arguments: [5, 10, 24])
    func `no more lines are drawn than the terminal has, and no longer ones`(rows: Int) {
        let text = ProgressText.table(Self.progress(100), rows: rows, columns: 30)
        let lines = text.split(separator: "\n")
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { $0.count < 30 })
        #expect(lines.contains { $0.hasPrefix("LTE ") }, "what is under way comes first")
        #expect(lines.last?.hasPrefix("and ") == true)
    }

    @Test func `of the words that were typed a plan keeps what every part needs`() {
        let words = MatrixWords([
            "linkcond", "matrix", "--profiles", "LTE", "--plan", "gitlab", "--set", "down.loss=1%",
            "--report=r", "--shards=3", "--image", "i", "--json", "--retries", "1", "--", "sh",
            "-c",
            "--plan x --",
        ])
        #expect(
            words.lasting == ["--profiles", "LTE", "--set", "down.loss=1%", "--retries", "1"])
        #expect(words.command == ["sh", "-c", "--plan x --"])
        #expect(MatrixWords(["linkcond", "matrix"]).command.isEmpty)
    }
}
