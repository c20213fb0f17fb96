import DataPlane
import LinkModel
import LinkTesting
import Netlink
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Interface plans", .tags(.unit))
struct InterfacePlanTests {
    static let eth0 = Interface(index: 5, name: "eth0")
    static let ethernet = ConditionedLink(mtu: 1500, headerLength: 14)

    static func planned(
        _ name: String, _ directions: [Direction] = Direction.allCases, now: Int64 = 1,
        replacing old: [FoundDirection] = []
    ) throws(UnsupportedConditions) -> [PlannedDirection] {
        try ApplyRequest(
            conditions: SampleConditions[name], profile: name, directions: directions, now: now
        ).planned(target: 5, link: ethernet, madeClsact: true, replacing: old)
    }

    /// A kernel with an interface that is conditioned, as after a change of `old`.
    static func conditioned(
        _ name: String, _ directions: [Direction] = Direction.allCases,
        replacing old: [FoundDirection] = []
    ) throws -> ModelKernel {
        var kernel = ModelKernel()
        let plan = InterfacePlan.create(
            eth0, try planned(name, directions, replacing: old), hasClsact: false)
        #expect(kernel.execute(plan.allOperations).isEmpty)
        return kernel
    }

    /// The filters of conditions in a slot for all traffic.
    static func allFilters(
        _ directions: [Direction] = Direction.allCases, slot: Int = 0
    ) -> [FilterPlace: Set<FilterPlace.Group>] {
        let places = directions.map {
            FilterPlace(direction: $0, slot: slot, isSelective: false)
        }
        return Dictionary(uniqueKeysWithValues: places.map { ($0, Set($0.groups)) })
    }

    // MARK: Create

    @Test(
        "No packet is sent into a tree before it stands",
        arguments: SampleConditions.all.map(\.name))
    func order(name: String) throws {
        let operations = InterfacePlan.create(
            Self.eth0, try Self.planned(name), hasClsact: false
        ).allOperations
        let first = try #require(
            operations.firstIndex {
                if case .addFilter(let filter) = $0 { filter.interface == Self.eth0 } else { false }
            })
        for operation in operations[first...] {
            guard case .addFilter(let filter) = operation else {
                Issue.record("\(operation.commandText) comes behind a filter")
                continue
            }
            #expect(filter.interface == Self.eth0)
        }
        #expect(operations[first - 1] == .addQdisc(.clsact(on: Self.eth0)))
    }

    @Test("On the interface itself stand the hook and filters, and nothing else")
    func footprint() throws {
        for (name, _) in SampleConditions.all {
            let kernel = try Self.conditioned(name)
            let own = kernel.standing.map(\.qdisc).filter { $0.interface == Self.eth0 }
            #expect(own == [.clsact(on: Self.eth0)])
        }
    }

    @Test("A hook that stands already is used and not made")
    func existingHook() throws {
        let plan = InterfacePlan.create(Self.eth0, try Self.planned("lte"), hasClsact: true)
        #expect(!plan.operations.contains(.addQdisc(.clsact(on: Self.eth0))))
        var kernel = ModelKernel()
        try kernel.execute(.addQdisc(.clsact(on: Self.eth0)))
        #expect(kernel.execute(plan.allOperations).isEmpty)
    }

    @Test("Only the directions asked for are conditioned", arguments: Direction.allCases)
    func oneDirection(direction: Direction) throws {
        let kernel = try Self.conditioned("lte", [direction])
        #expect(kernel.ifbs.keys.map(\.name) == [direction == .up ? "lcu5" : "lcd5"])
        let hook: QdiscHandle = direction == .up ? .clsactEgress : .clsactIngress
        #expect(kernel.filters.allSatisfy { $0.parent == hook })
        #expect(kernel.filters.count == 7)
    }

    @Test("Every IP packet is redirected but neighbour discovery, and ARP is not looked at")
    func filters() throws {
        let kernel = try Self.conditioned("lte", [.up])
        let filters = kernel.filters.sorted { $0.preference < $1.preference }
        let redirected = filters.filter { if case .redirect = $0.verdict { true } else { false } }
        #expect(redirected.map(\.networkProtocol) == [.ipv4, .ipv6, .vlan])
        #expect(redirected.map(\.match) == [.words([]), .words([]), .words([.ipv4OrIPv6])])
        let spared = filters.filter { if case .redirect = $0.verdict { false } else { true } }
        #expect(spared.map(\.networkProtocol) == [.ipv6, .ipv6, .vlan, .vlan])
        for filter in spared {
            let redirecting = redirected.first { $0.networkProtocol == filter.networkProtocol }
            #expect(filter.preference <= redirecting?.preference ?? 0)
        }
    }

    // MARK: Clear

    @Test("Clearing takes everything away", arguments: SampleConditions.all.map(\.name))
    func clear(name: String) throws {
        var kernel = try Self.conditioned(name)
        let plan = InterfacePlan.clear(
            Self.eth0, filters: Self.allFilters(),
            ifbs: Direction.allCases.map { Ownership.ifb(of: 5, $0) }, removesClsact: true)
        #expect(kernel.execute(plan.allOperations).isEmpty)
        #expect(kernel.picture == ModelKernel().picture)
    }

    @Test("Clearing takes filters away first: a redirection to a missing ifb loses packets")
    func clearOrder() {
        let plan = InterfacePlan.clear(
            Self.eth0, filters: Self.allFilters([.up]), ifbs: [Ownership.ifb(of: 5, .up)],
            removesClsact: true)
        let kinds = plan.operations.map { operation in
            switch operation {
            case .deleteFilters: "filters"
            case .deleteQdisc: "clsact"
            case .deleteLink: "ifb"
            default: operation.commandText
            }
        }
        #expect(kinds == ["filters", "filters", "filters", "filters", "clsact", "ifb"])
    }

    @Test("Clearing leaves a hook that was there before")
    func clearKeepsHook() throws {
        var kernel = try Self.conditioned("lte")
        let plan = InterfacePlan.clear(
            Self.eth0, filters: Self.allFilters(),
            ifbs: Direction.allCases.map { Ownership.ifb(of: 5, $0) }, removesClsact: false)
        kernel.execute(plan.allOperations)
        #expect(kernel.standing.map(\.qdisc) == [.clsact(on: Self.eth0)])
        #expect(kernel.filters.isEmpty)
    }
}
