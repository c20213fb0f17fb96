public import LinuxKernel
public import Netlink
import SystemPackage

/// The routes by which an interface goes before others: copies of its own default routes that the
/// kernel takes first.
///
/// They carry an origin (`proto` of `ip route`) that nobody else has, and so are found again
/// without anything being written down. An interface that goes down loses them, as it loses all
/// its IPv4 routes.
struct PreferredRoutes {
    let session: NetlinkSession

    /// `l` of linkcond; the numbers of others are in `/etc/iproute2/rt_protos`.
    static let origin: UInt8 = 108

    /// The best metric of each family. The kernel takes 0 of IPv6 for 1024; of several IPv4 routes
    /// with metric 0 the one that was put first counts.
    fileprivate static func metric(isIPv6: Bool) -> UInt32 { isIPv6 ? 1 : 0 }

    /// Makes the interface go before all others.
    func add(to interface: Int32, name: String) throws {
        let routes = try session.routes()
        let foreign = copies(of: routes.filter { $0.origin != Self.origin }, over: interface)
        let own = copies(of: routes.filter { $0.origin == Self.origin }, over: interface)
        guard !foreign.isEmpty else { throw OverrideError.nothingToPrefer(name) }
        // The new ones first, so that there is always one.
        for copy in foreign where !own.contains(copy) {
            try session.execute(
                Route.prependDefault(
                    by: copy.hop, isIPv6: copy.isIPv6, metric: Self.metric(isIPv6: copy.isIPv6),
                    origin: Self.origin),
                attempt: "add a default route over \(name)")
        }
        try delete(own.filter { !foreign.contains($0) })
        // Of others whose mark is gone, perhaps by another's hand.
        for route in routes where route.isDefault && route.origin == Self.origin {
            try delete(copies(of: [route], over: nil).filter { $0.hop.interface != interface })
        }
    }

    /// Takes back what was added.
    func remove(from interface: Int32) throws {
        let routes = try session.routes().filter { $0.origin == Self.origin }
        try delete(copies(of: routes, over: interface))
    }

    private struct Copy: Hashable {
        var isIPv6: Bool
        var hop: Route.Hop
    }

    private func copies(of routes: [Route], over interface: Int32?) -> [Copy] {
        var copies: [Copy] = []
        for route in routes where route.isDefault {
            for hop in route.hops where interface == nil || hop.interface == interface {
                let copy = Copy(isIPv6: route.isIPv6, hop: hop)
                if !copies.contains(copy) { copies.append(copy) }
            }
        }
        return copies
    }

    private func delete(_ copies: [Copy]) throws {
        let messages = copies.map {
            Route.deleteDefault(
                by: $0.hop, isIPv6: $0.isIPv6, metric: Self.metric(isIPv6: $0.isIPv6),
                origin: Self.origin)
        }
        // One that the kernel has taken away meanwhile is gone all the same.
        let failures = try session.execute(messages).filter { $0.errno != .noSuchProcess }
        guard let failure = failures.first else { return }
        throw NetlinkError(
            attempt: "delete a default route", errno: failure.errno,
            kernelText: failure.kernelText)
    }
}

extension NetworkOverride {
    /// What takes away the route by which an override prefers an interface, if there is one: IPv4
    /// routes go with the interface's addresses, those of IPv6 stay.
    public static func removalOfPreference(
        for interface: Int32, gateway: IPAddress
    ) -> NetlinkMessage {
        Route.deleteDefault(
            by: Route.Hop(interface: interface, gateway: gateway), isIPv6: gateway.isIPv6,
            metric: PreferredRoutes.metric(isIPv6: gateway.isIPv6), origin: PreferredRoutes.origin)
    }
}
