import Conditioner
import Netlink

/// An interface of the host that is meant.
public enum HostLink {
    /// The index of the interface of this name or, without a name, of the one that carries the
    /// default route.
    public static func index(of name: String?) throws -> Int32 {
        let session = try NetlinkSession()
        guard let name else {
            let found = try session.defaultRouteInterfaces()
            guard let index = found.first else { throw ConditionerError.noDefaultRoute }
            let names = try session.links().filter { found.contains($0.index) }.map(\.name)
            guard names.count <= 1 else { throw HostError(severalDefaultRoutes: names) }
            return index
        }
        guard let link = try session.link(named: name) else {
            throw ConditionerError.noSuchInterface(name, known: try session.links().map(\.name))
        }
        return link.index
    }
}
