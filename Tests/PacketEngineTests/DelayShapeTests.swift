import LinkModel
import LinkTesting
import Testing

@testable import PacketEngine

@Suite("Delay shapes", .tags(.unit))
struct DelayShapeTests {
    @Test(arguments: [Jitter.Distribution.normal, .pareto, .paretonormal])
    func `the mean is 0 and the deviation 1`(distribution: Jitter.Distribution) {
        let shape = DelayShape.shape(of: distribution)
        let count = 51_200
        let (mean, deviation) = moments(
            (0..<count).map { shape.point(at: (Double($0) + 0.5) / Double(count), 0).value })
        #expect(abs(mean) < 1e-6 && abs(deviation - 1) < 1e-5)
    }

    @Test func `the ends are those documented`() {
        func ends(_ distribution: Jitter.Distribution) -> [Double] {
            let shape = DelayShape.shape(of: distribution)
            return [shape.lowest, shape.peak, shape.highest].map { ($0 * 100).rounded() / 100 }
        }
        #expect(ends(.uniform) == [-1, 0, 1])
        #expect(ends(.normal) == [-3.99, 0, 3.99])
        #expect(ends(.pareto) == [-0.72, -0.72, 9.7])
        #expect(ends(.paretonormal) == [-1.79, -0.53, 8.32])
    }

    @Test(arguments: Jitter.Distribution.allCases)
    func `the slides of all heights together spend their time as the distribution has it`(
        distribution: Jitter.Distribution
    ) {
        // The area under the curve, cut at even heights, is the curve again.
        let shape = DelayShape.shape(of: distribution)
        let levels = 4000
        let slides = (0..<levels).map { level -> (left: Double, right: Double) in
            let width = shape.width(below: (Double(level) + 0.5) / Double(levels))
            return (shape.leftEnd(width: width), shape.rightEnd(width: width))
        }
        let total = slides.reduce(0) { $0 + $1.right - $1.left }
        for share in [0.05, 0.25, 0.5, 0.75, 0.95] {
            let value = shape.point(at: share, 0).value
            let below = slides.reduce(0) { $0 + min($1.right, max($1.left, value)) - $1.left }
            #expect(abs(below / total - share) < 0.003, "\(share)")
        }
    }

    @Test(arguments: Jitter.Distribution.allCases)
    func `every slide contains the peak`(distribution: Jitter.Distribution) {
        let shape = DelayShape.shape(of: distribution)
        for height in [0, 0.1, 0.5, 0.9, 0.999_999_999] {
            let width = shape.width(below: height)
            #expect(shape.leftEnd(width: width) <= shape.peak)
            #expect(shape.rightEnd(width: width) >= shape.peak)
        }
    }
}
