import LinkModel
import Netlink
import TrafficControl

/// What stands on an interface before anything is done to it.
struct Observation {
    let link: Link
    /// Whether it has the hook for filters.
    let hasClsact: Bool
    /// Whether another program's ingress qdisc has the hook's place.
    let hasIngress: Bool
    /// The slot of the conditions that are asked for.
    let slot: Int
    /// What has the indexes of the ifbs that belong to the slot.
    let ifbs: [Direction: Link]

    var interface: Interface { Interface(index: link.index, name: link.name) }

    /// Looks at all of `links`, each of which comes with a slot, with one request each.
    static func observe(
        _ links: [(link: Link, slot: Int)], _ session: NetlinkSession
    ) throws(NetlinkError) -> [Observation] {
        let requests = links.flatMap { link, slot in
            Direction.allCases.map {
                Link.get(index: Ownership.ifb(of: link.index, $0, slot: slot).index)
            } + [Qdisc.get(at: .clsact, on: link.index)]
        }
        let answers = try session.get(requests)
        return links.enumerated().map { number, observed in
            let part = answers[(3 * number)..<(3 * number + 3)]
            let hook = part.last?.flatMap(QdiscState.init)?.kind
            let ifbs = zip(Direction.allCases, part).compactMap { direction, message in
                message.flatMap(Link.init).map { (direction, $0) }
            }
            return Observation(
                link: observed.link, hasClsact: hook == .classifierActions,
                hasIngress: hook == .ingress, slot: observed.slot,
                ifbs: Dictionary(uniqueKeysWithValues: ifbs))
        }
    }
}
