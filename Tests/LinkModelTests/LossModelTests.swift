import LinkModel
import LinkTesting
import LinkUnits
import Testing

@Suite("Loss model", .tags(.unit))
struct LossModelTests {
    @Test("Mean and burst give the transitions of the Gilbert model")
    func transitions() throws {
        let model = LossModel.bursts(mean: .percent(5), burst: 5)
        let (p, r) = try #require(model.gilbertTransitions)
        #expect(r == .percent(20))
        #expect(abs(p.value - 0.05 / (5 * 0.95)) < 1e-9)
    }

    @Test(
        "The Gilbert model loses its mean in the long run",
        arguments: [(1, 8.0), (5, 5.0), (20, 1.0), (50, 1.0), (99, 200.0)] as [(UInt32, Double)])
    func stationaryLoss(percent: UInt32, burst: Double) throws {
        let model = LossModel.bursts(mean: .percent(percent), burst: burst)
        let (p, r) = try #require(model.gilbertTransitions)
        // The share of time in the bad state: p / (p + r).
        #expect(abs(p.value / (p.value + r.value) - Double(percent) / 100) < 1e-6)
        #expect(abs(1 / r.value - burst) < 1e-6 * burst)
    }

    @Test("Where no such chain exists there are no transitions")
    func impossible() {
        #expect(LossModel.random(.percent(5)).gilbertTransitions == nil)
        #expect(LossModel.bursts(mean: .percent(60), burst: 1).gilbertTransitions == nil)
        #expect(LossModel.bursts(mean: .one, burst: 8).gilbertTransitions == nil)
        #expect(LossModel.bursts(mean: .percent(5), burst: 0.5).gilbertTransitions == nil)
        #expect(LossModel.bursts(mean: .percent(5), burst: .nan).gilbertTransitions == nil)
    }

    @Test("Independent losses come in rows too")
    func rows() {
        #expect(LossModel.random(.percent(50)).meanLossBurst == 2)
        #expect(LossModel.none.meanLossBurst == 1)
        #expect(LossModel.random(.one).meanLossBurst == .infinity)
        #expect(LossModel.bursts(mean: .percent(1), burst: 8).meanLossBurst == 8)
    }

    @Test("The mean is the share that was asked for")
    func mean() {
        #expect(LossModel.random(.percent(3)).mean == .percent(3))
        #expect(LossModel.bursts(mean: .percent(3), burst: 2).mean == .percent(3))
        #expect(LossModel.none.mean == .zero)
    }

    @Test("A mean burst is written without decimals where it has none")
    func burstText() {
        #expect(LossModel.text(ofBurst: 8) == "8")
        #expect(LossModel.text(ofBurst: 2.5) == "2.5")
        #expect(LossModel.text(ofBurst: 1e300) == "1e+300")
    }
}
