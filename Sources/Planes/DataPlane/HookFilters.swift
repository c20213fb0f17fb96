public import LinkModel
public import Netlink
public import TrafficControl

/// The filters at the hooks (`clsact`) of one interface: those of a data plane by place, and those
/// of other programs.
public struct HookFilters<Place: Hashable> {
    /// The data plane's own.
    public private(set) var ours: [Place: Set<FilterState>] = [:]
    /// The kinds and preferences of other programs' filters, by direction.
    public private(set) var foreign: [Direction: [String]] = [:]

    /// Reads both hooks of an interface that has them.
    ///
    /// - Parameter place: the place of one of our filters by its preference; nil for others.
    public init(
        _ session: NetlinkSession, interface: Int32, place: (_ preference: UInt16) -> Place?
    ) throws(NetlinkError) {
        for direction in Direction.allCases {
            let filters = try session.dump(
                Filter.list(interface: interface, parent: direction.hook),
                attempt: "list the filters"
            ).compactMap(FilterState.init)
            // The kernel reports a preference several times: for its tables and for each filter.
            var seen: Set<UInt16> = []
            for filter in filters {
                if let place = place(filter.preference) {
                    ours[place, default: []].insert(filter)
                } else if seen.insert(filter.preference).inserted {
                    foreign[direction, default: []].append(
                        "pref \(filter.preference) \(filter.kind)")
                }
            }
        }
    }
}

extension Direction {
    /// The hook that packets of this direction pass.
    public var hook: QdiscHandle { self == .up ? .clsactEgress : .clsactIngress }
}
