import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Testing

@testable import Matrix

@Suite("Values that a command survives", .tags(.unit))
struct SurvivalTests {
    private static func specification(
        _ survives: [String: String], exit: ExitExpectation? = nil
    ) -> MatrixSpecification {
        var specification = SampleMatrix.specification()
        specification.expectations["3G"] = Expectations(
            exit: exit, duration: try? DurationExpectation(parsing: "at most 1 s"),
            survives: survives)
        specification.timeLimits = TimeLimits(.seconds(60), byProfile: ["3G": .seconds(7)])
        return specification
    }

    @Test func `each is a cell of its own, in which only the end counts`() throws {
        let specification = Self.specification(
            ["down.bandwidth": "300 kbit/s", "delay": "1 s"], exit: .nonzero)
        let cells = specification.cells
        #expect(
            cells.map(\.id) == [
                "baseline", "LTE", "3G", "3G, delay=1 s", "3G, down.bandwidth=300 kbit/s",
            ])
        let cell = try #require(cells.last)
        #expect(cell.expectations == Expectations(exit: .nonzero))
        #expect(cell.timeLimit == .seconds(7))
        #expect(cell.variant?.settings == ["down.bandwidth=300 kbit/s"])
        #expect(cells[3].variant?.settings == ["down.delay=1 s", "up.delay=1 s"])
        #expect(Set(cells.map(\.seed)).count == cells.count)
        #expect(specification.cellCount == cells.count)
        #expect(
            specification.reproduction(of: cell, seed: 3, ["true"]) == [
                "linkcond", "run", "3G", "--set", "down.bandwidth=300 kbit/s", "--seed", "3",
                "--timeout", "7s", "--", "true",
            ])
    }

    @Test func `repetitions repeat them`() {
        var specification = Self.specification(["down.loss": "5%"])
        specification.repetitions = 2
        #expect(
            specification.cells.map(\.id).suffix(2) == ["3G, down.loss=5%/1", "3G, down.loss=5%/2"])
        #expect(specification.cellCount == specification.cells.count)
    }
}
