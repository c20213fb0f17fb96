import Netlink
import NetworkPath

/// What the overrides of this network namespace want NetworkManager's metered flags to be.
enum MeteredWishes {
    /// The flags by the interfaces' names; of interfaces without an override nothing is wanted.
    static func current() throws -> [String: NetworkManagerClient.Flag] {
        let path = try NetworkPath.current()
        var wishes: [String: NetworkManagerClient.Flag] = [:]
        for link in try NetlinkSession().links() {
            guard let mark = NetworkMark(alias: link.aliasBytes), mark.concernsCost,
                let seen = path.interfaces.first(where: { $0.index == link.index })
            else { continue }
            wishes[link.name] = seen.isExpensive || seen.isConstrained ? .yes : .no
        }
        return wishes
    }
}

extension NetworkMark {
    /// Whether it says anything of what traffic costs, or of Low Data Mode.
    fileprivate var concernsCost: Bool {
        cost != .default || isConstrained != nil || kind != nil || isHotspot
    }
}
