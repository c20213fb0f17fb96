import LinkModel
import Netlink
import SystemPackage
import Testing
import TrafficControl

@testable import KernelPlane

/// A kernel in miniature: what operations do to links, qdiscs, classes and filters, and which of
/// them it refuses.
struct ModelKernel {
    struct Refusal: Error, Hashable {
        var reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// A qdisc and a number that no other has had, to see which ones lost their packets.
    struct Standing: Hashable {
        var qdisc: Qdisc
        var birth: Int
    }

    struct IFB: Hashable {
        var alias = ""
        var isUp = false
    }

    var ifbs: [Interface: IFB] = [:]
    var standing: [Standing] = []
    var classes: Set<TrafficClass> = []
    var filters: Set<Filter> = []
    private var births = 0

    /// Carries `operations` out as a kernel does: behind a refusal it goes on.
    @discardableResult
    mutating func execute(_ operations: [TrafficOperation]) -> [(index: Int, Refusal)] {
        var refusals: [(Int, Refusal)] = []
        for (index, operation) in operations.enumerated() {
            do { try execute(operation) } catch { refusals.append((index, error)) }
        }
        return refusals
    }

    mutating func execute(_ operation: TrafficOperation) throws(Refusal) {
        switch operation {
        case .addIFB(let ifb):
            guard ifbs[ifb] == nil else { throw Refusal("the link exists") }
            ifbs[ifb] = IFB()
        case .silence(let ifb):
            guard ifbs[ifb] != nil else { throw Refusal("no such link") }
        case .bringUp(let ifb, let alias):
            guard ifbs[ifb] != nil else { throw Refusal("no such link") }
            ifbs[ifb] = IFB(alias: alias, isUp: true)
        case .deleteLink(let ifb):
            guard ifbs.removeValue(forKey: ifb) != nil else { throw Refusal("no such link") }
            forgetAll(of: ifb)
        case .deleteOwnLinks:
            for ifb in ifbs.keys { forgetAll(of: ifb) }
            ifbs = [:]
        case .addQdisc(let qdisc): try put(qdisc, isReplacement: false)
        case .replaceQdisc(let qdisc): try put(qdisc, isReplacement: true)
        case .deleteQdisc(let qdisc):
            guard let found = find(at: qdisc), found.qdisc.handle == qdisc.handle else {
                throw Refusal("no such qdisc")
            }
            remove(found)
        case .replaceClass(let trafficClass):
            guard hasQdisc(trafficClass.interface, trafficClass.handle.major) else {
                throw Refusal("no qdisc for the class")
            }
            classes = classes.filter {
                $0.interface != trafficClass.interface || $0.handle != trafficClass.handle
            }
            // Kept as whole bytes per second and whole ticks.
            var kept = TrafficClass(trafficClass.replace()) ?? trafficClass
            kept.interface = trafficClass.interface
            classes.insert(kept)
        case .addFilter(let filter):
            guard hasQdisc(filter.interface, filter.hookMajor) else { throw Refusal("no hook") }
            if case .redirect(let target, _) = filter.verdict, ifbs[target] == nil {
                throw Refusal("no target")
            }
            guard filters.insert(filter).inserted else { throw Refusal("the filter exists") }
        case .deleteFilters(let interface, let parent, let preference, let networkProtocol):
            let matching = filters.filter {
                $0.interface == interface && $0.parent == parent && $0.preference == preference
                    && $0.networkProtocol == networkProtocol
            }
            guard !matching.isEmpty else { throw Refusal("no such filters") }
            filters.subtract(matching)
        }
    }

    private mutating func put(_ qdisc: Qdisc, isReplacement: Bool) throws(Refusal) {
        let isHook = qdisc.parent == .clsact
        guard isHook || qdisc.parent == .root || hasQdisc(qdisc.interface, qdisc.parent.major)
        else { throw Refusal("no parent") }
        if case .hierarchicalTokenBucket? = parentKind(of: qdisc),
            !classes.contains(where: {
                $0.interface == qdisc.interface && $0.handle == qdisc.parent
            })
        {
            throw Refusal("no parent class")
        }
        if let found = find(at: qdisc) {
            guard isReplacement else { throw Refusal("a qdisc stands there") }
            if found.qdisc.handle == qdisc.handle {
                guard found.qdisc.kind.name == qdisc.kind.name else { throw Refusal("other kind") }
                if case .hierarchicalTokenBucket = qdisc.kind { throw Refusal("unchangeable") }
                standing = standing.map {
                    $0 == found ? Standing(qdisc: qdisc, birth: $0.birth) : $0
                }
                return
            }
            remove(found)
        }
        guard !hasQdisc(qdisc.interface, qdisc.handle.major) else {
            throw Refusal("the handle stands elsewhere")
        }
        births += 1
        standing.append(Standing(qdisc: qdisc, birth: births))
    }

    private func find(at place: Qdisc) -> Standing? {
        standing.first {
            $0.qdisc.interface == place.interface && $0.qdisc.parent == place.parent
        }
    }

    private func hasQdisc(_ interface: Interface, _ major: UInt16) -> Bool {
        standing.contains {
            $0.qdisc.interface == interface && $0.qdisc.handle.major == major
        }
    }

    private func parentKind(of qdisc: Qdisc) -> Qdisc.Kind? {
        standing.first {
            $0.qdisc.interface == qdisc.interface
                && $0.qdisc.handle.major == qdisc.parent.major && qdisc.parent.minor != 0
        }?.qdisc.kind
    }

    private mutating func remove(_ found: Standing) {
        standing.removeAll { $0 == found }
        let interface = found.qdisc.interface
        classes = classes.filter {
            $0.interface != interface || $0.handle.major != found.qdisc.handle.major
        }
        filters = filters.filter {
            $0.interface != interface || $0.hookMajor != found.qdisc.handle.major
        }
        for child in standing
        where child.qdisc.interface == interface
            && child.qdisc.parent.major == found.qdisc.handle.major
            && child.qdisc.parent != .clsact
        {
            remove(child)
        }
    }

    private mutating func forgetAll(of interface: Interface) {
        standing.removeAll { $0.qdisc.interface == interface }
        classes = classes.filter { $0.interface != interface }
        filters = filters.filter { $0.interface != interface }
    }
}

extension ModelKernel {
    /// All that counts, without the order in which it was made and without births.
    struct Picture: Hashable {
        var ifbs: [Interface: IFB]
        var qdiscs: Set<Qdisc>
        var classes: Set<TrafficClass>
        var filters: Set<Filter>
    }

    var picture: Picture {
        Picture(
            ifbs: ifbs, qdiscs: Set(standing.map(\.qdisc)), classes: classes, filters: filters)
    }

    /// The hook of `interface`.
    func hook(of interface: Interface) -> FoundHook {
        var groups: [FilterPlace: Set<FilterPlace.Group>] = [:]
        for filter in filters where filter.interface == interface {
            guard let place = FilterPlace(preference: filter.preference) else { continue }
            groups[place, default: []].insert(
                FilterPlace.Group(
                    preference: filter.preference, networkProtocol: filter.networkProtocol))
        }
        return FoundHook(
            exists: standing.contains { $0.qdisc == .clsact(on: interface) }, groups: groups)
    }

    /// The conditioned directions, found as linkcond finds them. A kernel tells qdiscs in any
    /// order, here in that which is least convenient.
    func found(_ target: ConditionedLink) -> [FoundDirection] {
        ifbs.compactMap { ifb, state in
            guard let mark = OwnershipMark(alias: state.alias) else { return nil }
            return FoundDirection(
                mark: mark, ifb: ifb,
                states: standing.reversed().filter { $0.qdisc.interface == ifb }
                    .compactMap { QdiscState($0.qdisc.add()) },
                classes: classes.filter { $0.interface == ifb }
                    .compactMap { TrafficClass($0.replace()) }, target: target)
        }
    }

}

extension Filter {
    fileprivate var hookMajor: UInt16 {
        parent == .clsactIngress || parent == .clsactEgress ? 0xffff : parent.major
    }
}

extension InterfacePlan {
    /// Expects that a refusal at any step leaves the kernel as it was before.
    func expectWayBack(from before: ModelKernel, _ name: String = "") throws {
        for index in operations.indices {
            var operations = operations
            operations.remove(at: index)
            var broken = before
            broken.execute(operations)
            broken.execute(try #require(restoration))
            #expect(broken.picture == before.picture, "\(name), step \(index)")
        }
    }
}
