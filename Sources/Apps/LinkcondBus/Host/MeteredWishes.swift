import Netlink
import NetworkPath

/// The metered flags that the overrides of this network namespace ask for.
enum MeteredWishes {
    /// The flags by interface name, only for interfaces with an override.
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
    /// Whether it sets the cost or Low Data Mode.
    fileprivate var concernsCost: Bool {
        cost != .default || isConstrained != nil || kind != nil || isHotspot
    }
}
