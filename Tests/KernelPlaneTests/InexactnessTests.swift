import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import KernelPlane

@Suite("What qdiscs do less exactly", .tags(.unit))
struct InexactnessTests {
    private static let slow = Bandwidth.kilobitsPerSecond(800)
    private static let half = LossModel.random(.percent(50))

    @Test(arguments: [
        DirectionConditions(),
        DirectionConditions(
            bandwidth: slow, delay: .milliseconds(20), loss: half, corrupt: .percent(1),
            reorder: Reordering(mean: .percent(1), gap: 5)),
        DirectionConditions(delay: .milliseconds(20), duplicate: .percent(1)),
    ])
    func `is nothing for what stands in the order of the stages`(_ way: DirectionConditions) {
        #expect(way.inexactness == nil)
    }

    @Test(arguments: [
        (
            DirectionConditions(jitter: Jitter(amount: .milliseconds(1)), aqm: .codel),
            "netem's jitter grows with the number of packets"
        ),
        (
            DirectionConditions(bandwidth: slow, aqm: .codel),
            "the first packets after a pause pass the kernel's AQM at once"
        ),
        (
            DirectionConditions(bandwidth: slow, loss: half, aqm: .pie),
            "the kernel loses packets before an AQM, and not behind the bottleneck"
        ),
        (
            DirectionConditions(bandwidth: slow, duplicate: .percent(1)),
            "netem's copies of packets use up bandwidth"
        ),
        (
            DirectionConditions(bandwidth: slow, loss: half, duplicate: .percent(1)),
            "netem loses and copies packets before the bottleneck"
        ),
        (
            DirectionConditions(loss: half, duplicate: .percent(1)),
            "netem loses no packet of which it makes a copy"
        ),
    ])
    func `is told for an AQM and for duplicates`(_ way: DirectionConditions, _ text: String) {
        #expect(way.inexactness == text)
    }
}
