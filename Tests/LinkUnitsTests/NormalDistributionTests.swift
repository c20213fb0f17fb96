import LinkTesting
import LinkUnits
import Testing

@Suite("Normal distribution", .tags(.unit))
struct NormalDistributionTests {
    @Test(arguments: [
        (0.5, 0, 1e-12), (0.975, 1.959_963_984_540, 1e-11), (1e-3, -3.090_232_306_168, 1e-11),
        (0.999_995, 4.417_173_413_469, 1e-7), (0, -5, 1e-9), (1, 5, 1e-9),
    ])
    func `quantiles are those of the tables`(share: Double, value: Double, error: Double) {
        #expect(abs(NormalDistribution.quantile(share) - value) < error)
    }

    @Test func `a quantile is at most the limit away, and lies below its share`() {
        #expect(abs(NormalDistribution.quantile(1, limit: 2) - 2) < 1e-12)
        for value in [0.1, 1, 2.5, 4] {
            let share = 0.5 + NormalDistribution.share(upTo: value)
            #expect(abs(NormalDistribution.quantile(share) - value) < 1e-9)
        }
    }
}
