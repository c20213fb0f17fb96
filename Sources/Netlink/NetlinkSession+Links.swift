import CNetlink

extension NetlinkSession {
    /// The interface called `name`, or nil.
    public func link(named name: String) throws(NetlinkError) -> Link? {
        // The kernel refuses longer names instead of not finding them.
        guard (1..<Int(IFNAMSIZ)).contains(name.utf8.count) else { return nil }
        return try get([Link.get(name: name)])[0].flatMap(Link.init)
    }

    /// All interfaces of the namespace, or those of one kind, by index.
    public func links(kind: String? = nil) throws(NetlinkError) -> [Link] {
        // Kernels before 4.6 do not filter; nor do those where no interface of the kind was
        // ever made.
        try dump(Link.list(kind: kind), attempt: "list the interfaces").compactMap(Link.init)
            .filter { kind == nil || $0.kind == kind }
    }

    /// The index of the interface that carries the default route, IPv4 before IPv6.
    public func defaultRouteInterface() throws(NetlinkError) -> Int32? {
        let routes = try routes().filter { $0.isDefault && $0.interface != nil }
        return routes.min { left, right in
            (left.isIPv6 ? 1 : 0, left.metric) < (right.isIPv6 ? 1 : 0, right.metric)
        }?.interface
    }

    /// The routes of the main table.
    public func routes() throws(NetlinkError) -> [Route] {
        try dump(Route.list(), attempt: "list the routes").compactMap(Route.init)
    }
}
