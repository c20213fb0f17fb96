public import LinuxKernel
public import Netlink
import SystemPackage

/// The routes that make an interface preferred: copies of its own default routes that the kernel
/// chooses first.
///
/// Their protocol number (`proto` of `ip route`) is linkcond's own, which identifies them without
/// any stored state. An interface that goes down loses them, like all its IPv4 routes.
struct PreferredRoutes {
    let session: NetlinkSession

    /// The letter `l` for linkcond; other programs' numbers are in `/etc/iproute2/rt_protos`.
    static let origin: UInt8 = 108

    /// The best metric of each family. The kernel treats 0 as 1024 for IPv6; of several IPv4 routes
    /// with metric 0, the first one added wins.
    fileprivate static func metric(isIPv6: Bool) -> UInt32 { isIPv6 ? 1 : 0 }

    /// Makes the interface preferred to all others.
    func add(to interface: Int32, name: String) throws {
        let routes = try session.routes()
        let foreign = copies(of: routes.filter { $0.origin != Self.origin }, over: interface)
        let own = copies(of: routes.filter { $0.origin == Self.origin }, over: interface)
        guard !foreign.isEmpty else { throw OverrideError.nothingToPrefer(name) }
        // The new routes first, so that there is always one.
        for copy in foreign where !own.contains(copy) {
            try session.execute(
                Route.prependDefault(
                    by: copy.hop, isIPv6: copy.isIPv6, metric: Self.metric(isIPv6: copy.isIPv6),
                    origin: Self.origin),
                attempt: "add a default route over \(name)")
        }
        try delete(own.filter { !foreign.contains($0) })
        // The routes of other interfaces whose mark is gone, perhaps removed by another program.
        for route in routes where route.isDefault && route.origin == Self.origin {
            try delete(copies(of: [route], over: nil).filter { $0.hop.interface != interface })
        }
    }

    /// The interfaces that have such routes.
    func interfaces() throws(NetlinkError) -> Set<Int32> {
        let routes = try session.routes().filter { $0.origin == Self.origin }
        return Set(copies(of: routes, over: nil).map(\.hop.interface))
    }

    /// Removes the added routes.
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
        // A route that the kernel has removed in the meantime is not an error.
        let failures = try session.execute(messages).filter { $0.errno != .noSuchProcess }
        guard let failure = failures.first else { return }
        throw NetlinkError(
            attempt: "delete a default route", errno: failure.errno,
            kernelText: failure.kernelText)
    }
}

extension NetworkOverride {
    /// The requests that remove an override's preferred route, if there is one. IPv4 routes vanish
    /// with the interface's addresses; IPv6 routes stay.
    public static func removalOfPreference(
        for interface: Int32, gateway: IPAddress
    ) -> NetlinkMessage {
        Route.deleteDefault(
            by: Route.Hop(interface: interface, gateway: gateway), isIPv6: gateway.isIPv6,
            metric: PreferredRoutes.metric(isIPv6: gateway.isIPv6), origin: PreferredRoutes.origin)
    }
}
