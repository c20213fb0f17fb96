import LinkTesting
import LinkUnits
import Testing

@Suite("Arithmetic on numbers of others", .tags(.unit))
struct SaturatingArithmeticTests {
    @Test(arguments: [
        (1e19, Int64.max), (-1e19, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
        (2.9, 2), (-2.9, -2), (9.3e18, .max), (0, 0),
    ])
    func `a number that does not fit is the nearest one`(value: Double, nearest: Int64) {
        #expect(Int64(saturating: value) == nearest)
    }

    @Test func `sums and products end at the largest number`() {
        #expect(UInt64.max.addingSaturated(1) == .max)
        #expect(Int.min.addingSaturated(-1) == .min)
        #expect(Int.max.multipliedSaturated(by: 2) == .max)
        #expect((3 as UInt64).addingSaturated(4).multipliedSaturated(by: 5) == 35)
    }

    @Test func `the longest durations have nanoseconds`() {
        let longest = Duration.nanoseconds(Int64.max)
        #expect((longest * 1_000_000).wholeNanoseconds == .max)
        #expect((.zero - longest).wholeNanoseconds == 0)
        #expect(Duration.seconds(saturating: 1e300) == longest)
        #expect(Duration.seconds(saturating: 1.5) == .milliseconds(1500))
    }
}
