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
    /// What has the indexes of the ifbs that we make for it.
    let ifbs: [Direction: Link]

    var interface: Interface { Interface(index: link.index, name: link.name) }

    /// Looks at all of `links` with one request each.
    static func observe(
        _ links: [Link], _ session: NetlinkSession
    ) throws(NetlinkError) -> [Observation] {
        let requests = links.flatMap { link in
            Direction.allCases.map { Link.get(index: Ownership.ifb(of: link.index, $0).index) }
                + [Qdisc.get(at: .clsact, on: link.index)]
        }
        let answers = try session.get(requests)
        return links.enumerated().map { number, link in
            let part = answers[(3 * number)..<(3 * number + 3)]
            let hook = part.last?.flatMap(QdiscState.init)?.kind
            let ifbs = zip(Direction.allCases, part).compactMap { direction, message in
                message.flatMap(Link.init).map { (direction, $0) }
            }
            return Observation(
                link: link, hasClsact: hook == .classifierActions, hasIngress: hook == .ingress,
                ifbs: Dictionary(uniqueKeysWithValues: ifbs))
        }
    }
}
