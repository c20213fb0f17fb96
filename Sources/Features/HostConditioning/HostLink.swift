import DataPlane
import Netlink

/// An interface of the host that is meant.
public enum HostLink {
    /// The index of the interface of this name or, without a name, of the one that carries the
    /// default route.
    public static func index(of name: String?) throws -> Int32 {
        let links =
            try name.map { try HostLinks().links(named: [$0]) } ?? HostLinks().withDefaultRoute()
        guard links.count == 1 else { throw HostError(severalDefaultRoutes: links.map(\.name)) }
        return links[0].index
    }
}
