import LinkModel
import Netlink
import TrafficControl

/// The state of an interface before a change.
struct Observation {
    let link: Link
    /// Whether it has the filter hook.
    let hasClsact: Bool
    /// Whether another program's ingress qdisc occupies the hook's place.
    let hasIngress: Bool
    /// The slot of the requested conditions.
    let slot: Int
    /// The interfaces that have the indexes of the slot's ifbs.
    let ifbs: [Direction: Link]

    var interface: Interface { Interface(index: link.index, name: link.name) }

    /// Observes all of `links`, each with its slot, in one batch of requests.
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
