import CNetlink

extension NetlinkSession {
    /// The interface called `name`, or nil.
    public func link(named name: String) throws(NetlinkError) -> Link? {
        // For longer names the kernel reports an error other than "not found".
        guard (1..<Int(IFNAMSIZ)).contains(name.utf8.count) else { return nil }
        return try get([Link.get(name: name)])[0].flatMap(Link.init)
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
