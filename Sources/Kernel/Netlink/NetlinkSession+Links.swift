import CNetlink

extension NetlinkSession {
    /// The interface called `name`, which may be an alternative name, or nil.
    public func link(named name: String) throws(NetlinkError) -> Link? {
        // For names of no possible length the kernel reports an error other than "not found".
        guard (1..<Int(ALTIFNAMSIZ)).contains(name.utf8.count) else { return nil }
        return try get([Link.get(name: name)])[0].flatMap(Link.init)
    }

    /// How many bytes the interface called `name` has received and sent since it was made; nil if there
    /// is none.
    public func traffic(of name: String) throws(NetlinkError) -> UInt64? {
        guard let link = try link(named: name),
            let (_, attributes) = try get([Link.get(index: link.index)])[0]?.parse(ifinfomsg.self),
            let counters = attributes.value(
                Int(IFLA_STATS64), as: rtnl_link_stats64.self)
        else { return nil }
        return counters.rx_bytes &+ counters.tx_bytes
    }

    /// All interfaces of the namespace, or those of one kind, by index.
    public func links(kind: String? = nil) throws(NetlinkError) -> [Link] {
        // Kernels before 4.6 do not filter, nor do kernels where no interface of the kind was ever
        // created.
        try dump(Link.list(kind: kind), attempt: "list the interfaces").compactMap(Link.init)
            .filter { kind == nil || $0.kind == kind }
    }

    /// The indexes of the interfaces that carry default routes, IPv4 first. Each address family may
    /// have its own, and a route may have several paths.
    ///
    /// Of routes with different metrics only the most preferred carry traffic.
    public func defaultRouteInterfaces() throws(NetlinkError) -> [Int32] {
        let routes = try routes().filter { $0.isDefault && !$0.hops.isEmpty }
        var found: [Int32] = []
        for isIPv6 in [false, true] {
            let family = routes.filter { $0.isIPv6 == isIPv6 }
            let metric = family.map(\.metric).min()
            for hop in family.filter({ $0.metric == metric }).flatMap(\.hops)
            where !found.contains(hop.interface) {
                found.append(hop.interface)
            }
        }
        return found
    }

    /// The routes of the main table.
    public func routes() throws(NetlinkError) -> [Route] {
        try dump(Route.list(), attempt: "list the routes").compactMap(Route.init)
    }
}
