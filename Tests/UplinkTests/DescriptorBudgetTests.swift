import LinkTesting
import Testing

@testable import Uplink

@Suite("The relay's descriptors", .tags(.unit))
struct DescriptorBudgetTests {
    @Test func `connections may take nearly all of them`() {
        let budget = DescriptorBudget(total: 20_000)
        var count = 0
        while budget.hasRoomForStream {
            budget.streams += 1
            count += 1
        }
        #expect((9_950...10_000).contains(count))
        // Names can still be looked up.
        #expect(budget.mostFlows >= 4)
        #expect(2 * budget.streams + budget.mostFlows <= 20_000)
    }

    @Test func `datagrams may take an eighth`() {
        let budget = DescriptorBudget(total: 20_000)
        #expect(budget.mostFlows == 2500)
        budget.flows = 2500
        while budget.hasRoomForStream { budget.streams += 1 }
        #expect(2 * budget.streams + budget.flows <= 20_000)
        #expect(DescriptorBudget(total: 1_000_000).mostFlows == 4096)
    }

    @Test func `with very few there is room for both`() {
        let budget = DescriptorBudget(total: 30)
        #expect(budget.mostFlows == 4)
        while budget.hasRoomForStream { budget.streams += 1 }
        #expect(budget.streams == 13)
        #expect(budget.mostFlows == 4)
    }
}
