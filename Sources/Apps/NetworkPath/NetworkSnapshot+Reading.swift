import LinuxKernel
import Netlink

extension NetworkSnapshot {
    /// Reads the state from the kernel. Changes in the meantime may be included in part.
    init(reading session: NetlinkSession) throws(NetlinkError) {
        let links = try session.links()
        let addresses = try session.interfaceAddresses().filter { $0.isUsable && !$0.isLinkLocal }
        routes = try session.routes().compactMap(DefaultRoute.init)
        devices = links.filter { !Self.isOwn($0) }.map { link in
            Device(
                name: link.name, index: link.index, kind: DeviceFacts(link).kind,
                isRunning: link.isRunning, isDormant: link.isDormant,
                mark: .effective(alias: link.aliasBytes),
                addresses: addresses.filter { $0.interface == link.index }.map(\.address))
        }
        hasNameServer = NameServers.areConfigured
    }

    /// Whether it is an interface that linkcond made to redirect packets; apps never send there.
    private static func isOwn(_ link: Link) -> Bool {
        link.kind == "ifb" || link.group == linkcondGroup
    }

    /// The link group of interfaces that `linkcond apply` makes.
    private static let linkcondGroup: UInt32 = 7181
}

extension NetworkSnapshot.DefaultRoute {
    /// A route that leads beyond its own network; nil for any other.
    fileprivate init?(_ route: Route) {
        guard route.prefixLength <= 3 else { return nil }
        self.init(
            isIPv6: route.isIPv6, prefixLength: route.prefixLength,
            destination: route.destination, metric: route.metric,
            hops: route.hops.map {
                NetworkSnapshot.Hop(interface: $0.interface, gateway: $0.gateway)
            })
    }
}

/// The name servers of the resolver.
enum NameServers {
    /// Whether `/etc/resolv.conf` names any.
    static var areConfigured: Bool {
        areConfigured(in: (try? SmallFile.read("/etc/resolv.conf")) ?? "")
    }

    static func areConfigured(in text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first == "nameserver"
        }
    }
}

extension NetworkPath {
    /// The current path of the calling thread's network namespace. Needs no privileges.
    public static func current() throws(NetworkPathError) -> NetworkPath {
        do {
            return try NetworkSnapshot(reading: NetlinkSession()).path
        } catch {
            throw .unreadable(error)
        }
    }
}
