import DataPlane
import Netlink

/// Finds an interface of the host.
public enum HostLink {
    /// The index of the interface with this name, or of the one with the default route if nil.
    public static func index(of name: String?) throws -> Int32 {
        let links =
            try name.map { try HostLinks().links(named: [$0]) } ?? HostLinks().withDefaultRoute()
        guard links.count == 1 else { throw HostError(severalDefaultRoutes: links.map(\.name)) }
        return links[0].index
    }

    /// The name of the interface that is called so, maybe by an alternative name; as it is given if
    /// there is none.
    public static func name(of text: String) -> String {
        (try? HostLinks().links(named: [text]))?.first?.name ?? text
    }
}
