import LinkModel
import LinkTesting
import Testing

@testable import Verification

@Suite("Weak checks", .tags(.unit))
struct WeakCheckTests {
    @Test func `a tolerance of more than half of what is expected is weak`() {
        func check(_ measured: Double, _ tolerance: Double) -> Check {
            Check(.up, .loss, expected: 0.1, measured: measured, tolerance: tolerance)
        }
        #expect(check(0.12, 0.095).isWeak)
        #expect(!check(0.12, 0.03).isWeak)
        // What failed is no weak success, and nothing is less than nothing.
        #expect(!check(0.3, 0.095).isWeak)
        #expect(!Check(.up, .loss, expected: 0, measured: 0, tolerance: 0).isWeak)
    }

    @Test func `jitter that takes nothing below zero changes nothing`() {
        func delay(_ delay: Int, _ jitter: Int, _ kind: Jitter.Distribution) -> LinkDelay? {
            var conditions = DirectionConditions(delay: .milliseconds(delay))
            conditions.jitter = Jitter(amount: .milliseconds(jitter), distribution: kind)
            return LinkDelay(cutIn: conditions)
        }
        #expect(delay(50, 5, .normal) == nil)
        #expect(delay(15, 15, .uniform) == nil)
        let cut = delay(10, 20, .uniform)
        // From 0 to 30 ms, a quarter of them at 0.
        #expect(cut.map { abs($0.mean - 11.25) < 0.1 } == true)
    }
}
