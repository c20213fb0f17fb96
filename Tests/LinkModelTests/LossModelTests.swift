import LinkModel
import LinkUnits
import Testing

@Suite("Loss model")
struct LossModelTests {
    @Test("Mean and burst give the transitions of the Gilbert model")
    func transitions() throws {
        let model = LossModel.bursts(mean: .percent(5), burst: 5)
        let (p, r) = try #require(model.gilbertTransitions)
        #expect(r == .percent(20))
        #expect(abs(p.value - 0.05 / (5 * 0.95)) < 1e-9)
    }
}
