import LinkTesting
import Testing

@testable import Matrix

@Suite("Progress of a matrix", .tags(.unit))
struct MatrixProgressTests {
    private static func cell(
        _ profile: String, _ state: MatrixProgress.State, _ seconds: Double? = nil
    ) -> MatrixProgress.CellState {
        MatrixProgress.CellState(profile: profile, state: state, seconds: seconds)
    }

    private static func remaining(
        _ cells: [MatrixProgress.CellState], jobs: Int = 1, earlier: [String: Double] = [:]
    ) -> Double? {
        MatrixProgress(elapsedSeconds: 1, jobs: jobs, cells: cells, earlierSeconds: earlier)
            .remainingSeconds
    }

    @Test func `before anything has ended nobody knows how long it takes`() {
        #expect(
            Self.remaining([Self.cell("A", .waiting), Self.cell("B", .running(seconds: 5))]) == nil)
    }

    @Test func `what waits takes as long as its profile did, else as the others`() {
        let cells = [
            Self.cell("A", .ended(.passed, isFlaky: false), 10), Self.cell("A", .waiting),
            Self.cell("B", .ended(.failed, isFlaky: false), 20), Self.cell("C", .waiting),
        ]
        #expect(Self.remaining(cells) == 25)
        #expect(Self.remaining(cells, jobs: 2) == 15, "no sooner than the longest")
        #expect(Self.remaining(cells, earlier: ["C": 40]) == 50)
    }

    @Test func `what runs takes the rest of its time, and then no time is known`() {
        let cells = [
            Self.cell("A", .ended(.passed, isFlaky: false), 10),
            Self.cell("A", .running(seconds: 4)), Self.cell("A", .running(seconds: 99)),
        ]
        #expect(Self.remaining(cells, jobs: 2) == 6)
    }

    @Test(
        arguments: [([], nil), ([3], 3), ([3, 1, 2], 2), ([4, 1, 2, 3], 2.5)]
            as [([Double], Double?)])
    func `the median is the middle`(numbers: [Double], median: Double?) {
        #expect(numbers.median == median)
    }
}
