import DataPlane
import LinkModel
import LinkTesting
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Plans for chosen traffic", .tags(.unit))
struct SelectorPlanTests {
    private typealias Plans = InterfacePlanTests

    private static func planned(
        _ selection: String, name: String = ApplyRequest.defaultName, slot: Int = 0,
        replacing old: [FoundDirection] = []
    ) throws -> [PlannedDirection] {
        try ApplyRequest(
            conditions: SampleConditions["lte"], profile: "lte", name: name,
            selector: try #require(TrafficSelector(text: selection)), now: 1
        ).planned(
            target: 5, link: Plans.ethernet, madeClsact: true, slot: slot, replacing: old)
    }

    /// A kernel with an interface on which each of `selections` stands in a slot of its own.
    private static func conditioned(_ selections: [String]) throws -> ModelKernel {
        var kernel = ModelKernel()
        for (slot, selection) in selections.enumerated() {
            let plan = InterfacePlan.create(
                Plans.eth0, try planned(selection, name: "n\(slot)", slot: slot),
                hasClsact: slot > 0)
            #expect(kernel.execute(plan.allOperations).isEmpty)
        }
        return kernel
    }

    /// The filters of the way up in the order in which packets meet them.
    private static func redirections(_ kernel: ModelKernel) -> [String] {
        kernel.filters.filter { $0.parent == .clsactEgress && $0.networkProtocol == .ipv4 }
            .sorted { $0.preference < $1.preference }
            .compactMap { filter in
                if case .redirect(let ifb, _) = filter.verdict { ifb.name } else { nil }
            }
    }

    @Test("Conditions that choose come before those for everything, whichever was applied first")
    func order() throws {
        let kernel = try Self.conditioned(["", "to=10.0.0.0/8", "protocol=icmp"])
        #expect(Self.redirections(kernel).uniqued == ["lcu5.1", "lcu5.2", "lcu5"])
    }

    @Test("Taking one away leaves the others as they are")
    func clearOne() throws {
        let kernel = try Self.conditioned(["to=10.0.0.0/8", "port=80", ""])
        for slot in 0..<3 {
            var rest = kernel
            let found = kernel.found(Plans.ethernet).filter { $0.mark.slot == slot }
            let places = found.map(\.mark.place)
            let standing = Set(kernel.filters.map(\.preference))
            let plan = InterfacePlan.clear(
                Plans.eth0,
                filters: Dictionary(
                    uniqueKeysWithValues: places.map { place in
                        (place, Set(place.groups.filter { standing.contains($0.preference) }))
                    }),
                ifbs: found.map(\.ifb), removesClsact: false)
            #expect(rest.execute(plan.allOperations).isEmpty)
            #expect(rest.found(Plans.ethernet).count == 4)
            let expected = try Self.conditioned(["to=10.0.0.0/8", "port=80", ""])
            #expect(
                rest.filters
                    == expected.filters.filter { filter in
                        FilterPlace(preference: filter.preference)?.slot != slot
                    })
        }
    }

    @Test("Another choice changes the filters in place and keeps every packet under way")
    func change() throws {
        let selections = ["", "to=10.0.0.0/8", "port=80,port=90-100", "protocol=udp;to=10.0.0.2"]
        for old in selections {
            let before = try Self.conditioned([old])
            for new in selections {
                let found = before.found(Plans.ethernet)
                let planned = try Self.planned(new, name: "n0", replacing: found)
                let plan = InterfacePlan.change(
                    Plans.eth0, from: found, to: planned, hook: before.hook(of: Plans.eth0))
                var kernel = before
                #expect(kernel.execute(plan.allOperations).isEmpty, "\(old) to \(new)")
                #expect(kernel.picture == (try Self.conditioned([new]).picture), "\(old) to \(new)")
                #expect(kernel.standing.map(\.birth) == before.standing.map(\.birth))
                // The same choice is not touched at all.
                let touchesFilters = plan.operations.contains { operation in
                    if case .addFilter = operation { true } else { false }
                }
                #expect(touchesFilters == (old != new))

                try plan.expectWayBack(from: before, "\(old) to \(new)")
            }
        }
    }

    @Test("The commands of a dry run are those of the choice")
    func commands() throws {
        let selector = try TrafficSelector(
            to: ["192.0.2.0/24"], ports: ["443"], protocols: ["tcp"],
            exceptions: ["to=192.0.2.9"])
        let plan = try ApplyRequest(
            conditions: SampleConditions["delay-only"], profile: "a profile", name: "api",
            selector: selector, now: 1_700_000_000
        ).examplePlan(interface: "eth0")
        try Golden("plan-selector.txt").expect(
            plan.allOperations.map { $0.commandText + "\n" }.joined())
    }

    @Test("What takes too many filters is refused with the way out")
    func tooMany() throws {
        func plan(_ form: FilterForm, step: Int) throws -> [PlannedDirection] {
            let ports = stride(from: 1001, to: 60_000, by: step).map { "\($0)-\($0 + 10)" }
            return try ApplyRequest(
                conditions: .init(), profile: "x", selector: try TrafficSelector(ports: ports),
                now: 1
            ).planned(target: 5, link: Plans.ethernet, madeClsact: true, form: form)
        }
        let programs = FilterForm.programs(headerLength: 14)
        for (form, step) in [(FilterForm.words, 200), (programs, 20)] {
            let error = #expect(throws: UnsupportedConditions.self) { try plan(form, step: step) }
            #expect(error?.description.contains("1000 are the most; choose fewer") == true)
        }
        #expect(try plan(programs, step: 200).count == 2)
    }

    @Test("A wide choice changes to another and back, whatever its filters are")
    func wideChoice() throws {
        let wide = try ApplyRequest(
            conditions: SampleConditions["lte"], profile: "lte", name: "n0",
            selector: TrafficSelector(ports: ["1025-65534"], exceptions: ["port=2000-3000"]),
            now: 1)
        let programs = FilterForm.programs(headerLength: 14)
        for form in [FilterForm.words, programs] {
            let before = try Self.conditioned(["to=10.0.0.0/8"])
            let found = before.found(Plans.ethernet)
            let planned = try wide.planned(
                target: 5, link: Plans.ethernet, madeClsact: true, form: form, replacing: found)
            let plan = InterfacePlan.change(
                Plans.eth0, from: found, to: planned, hook: before.hook(of: Plans.eth0))
            var kernel = before
            #expect(kernel.execute(plan.allOperations).isEmpty)
            let added = kernel.filters.filter { $0.networkProtocol == .ipv4 }.count
            #expect(form == programs ? added == 4 : added > 500)
            kernel.execute(try #require(plan.restoration))
            #expect(kernel.picture == before.picture)
        }
    }
}

extension Sequence where Element: Hashable {
    /// The elements without repetitions, in their order.
    fileprivate var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
