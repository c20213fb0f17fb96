import DataPlane
import LinkModel
import LinkTesting
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Plans that mend what other programs broke", .tags(.unit))
struct MendingTests {
    private typealias Plans = InterfacePlanTests

    private static func mend(_ kernel: ModelKernel, _ selector: TrafficSelector) throws
        -> InterfacePlan
    {
        let found = kernel.found(Plans.ethernet)
        let planned = try request(selector).planned(
            target: 5, link: Plans.ethernet, madeClsact: true, replacing: found)
        return .change(Plans.eth0, from: found, to: planned, hook: kernel.hook(of: Plans.eth0))
    }

    private static func request(_ selector: TrafficSelector) -> ApplyRequest {
        ApplyRequest(
            conditions: SampleConditions.lte, profile: "lte", selector: selector, now: 1)
    }

    private static func conditioned(_ selector: TrafficSelector) throws -> ModelKernel {
        var kernel = ModelKernel()
        let planned = try request(selector).planned(
            target: 5, link: Plans.ethernet, madeClsact: true)
        let plan = InterfacePlan.create(Plans.eth0, planned, hasClsact: false)
        #expect(kernel.execute(plan.allOperations).isEmpty)
        return kernel
    }

    private static let selections = ["", "to=10.0.0.0/8", "port=80,port=90-100"]

    /// Expects that the same conditions make of `damaged` what `sound` is, and that the way back
    /// leads to what it was.
    private static func expectMended(
        _ damaged: ModelKernel, to sound: ModelKernel, _ selector: TrafficSelector
    ) throws {
        let plan = try mend(damaged, selector)
        var kernel = damaged
        #expect(kernel.execute(plan.allOperations).isEmpty)
        #expect(kernel.picture == sound.picture)
        try plan.expectWayBack(from: damaged)
    }

    @Test("A hook that was deleted is made again, with all filters", arguments: selections)
    func hookGone(selection: String) throws {
        let selector = try #require(TrafficSelector(text: selection))
        let sound = try Self.conditioned(selector)
        var damaged = sound
        try damaged.execute(.deleteQdisc(.clsact(on: Plans.eth0)))
        #expect(damaged.filters.isEmpty)
        try Self.expectMended(damaged, to: sound, selector)
    }

    @Test("Filters of one way that were deleted are added again", arguments: selections)
    func oneWayGone(selection: String) throws {
        let selector = try #require(TrafficSelector(text: selection))
        let sound = try Self.conditioned(selector)
        for direction in Direction.allCases {
            var damaged = sound
            damaged.filters = damaged.filters.filter {
                $0.interface != Plans.eth0 || $0.parent != direction.hook
            }
            try Self.expectMended(damaged, to: sound, selector)
        }
    }

    @Test("A group of filters that was deleted is added again", arguments: selections)
    func groupGone(selection: String) throws {
        let selector = try #require(TrafficSelector(text: selection))
        let sound = try Self.conditioned(selector)
        for preference in Set(sound.filters.map(\.preference)) where preference > 1000 {
            var damaged = sound
            damaged.filters = damaged.filters.filter { $0.preference != preference }
            try Self.expectMended(damaged, to: sound, selector)
        }
    }

    @Test("An ifb that was taken down is brought up")
    func ifbDown() throws {
        let sound = try Plans.conditioned("lte")
        var damaged = sound
        for ifb in damaged.ifbs.keys { damaged.ifbs[ifb]?.isUp = false }
        let plan = try Self.mend(damaged, .everything)
        #expect(damaged.execute(plan.allOperations).isEmpty)
        #expect(damaged.ifbs.values.allSatisfy { $0.isUp })
    }

    @Test("What is sound keeps its filters", arguments: selections)
    func sound(selection: String) throws {
        let selector = try #require(TrafficSelector(text: selection))
        let plan = try Self.mend(try Self.conditioned(selector), selector)
        let touchesFilters = plan.allOperations.contains { operation in
            switch operation {
            case .addFilter, .deleteFilters: true
            default: false
            }
        }
        #expect(!touchesFilters)
    }
}
