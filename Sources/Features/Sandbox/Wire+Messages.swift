import LinuxKernel
import Netlink
import Override

/// Netlink messages for the app's end of a wire, in the app's namespace.
///
/// A socket bound to an interface or to its address stays there. For a bound interface, the kernel
/// uses that interface's default route. For an address, there is a rule with its own routing table,
/// whose last route rejects packets that would leave by another interface. A sandbox's only
/// interface needs none of this.
extension Wire {
    private var isOnly: Bool { number == 0 }

    /// The configuration that stays while the app runs, whether its interface exists or not.
    var lastingMessages: [NetlinkMessage] {
        guard !isOnly else { return [] }
        return families.flatMap { family in
            [
                RoutingRule(
                    priority: rulePriority, table: table, isIPv6: family.app.isIPv6,
                    source: family.app
                ).add(),
                Route.addUnreachableDefault(table: table, isIPv6: family.app.isIPv6),
            ]
        }
    }

    /// Brings the interface up. It gets no addresses except those given: duplicate address
    /// detection for others would take a second.
    var bringUpMessages: [NetlinkMessage] {
        [Link.disableAutoconfiguration(index: app.index), Link.bringUp(index: app.index)]
    }

    /// Adds the interface's addresses and routes.
    func addressMessages(metric: UInt32) -> [NetlinkMessage] {
        families.map {
            Address.add($0.app, prefixLength: $0.prefixLength, to: app.index)
        } + routeMessages(metric: metric)
            + (isOnly
                ? []
                : families.map {
                    Route.addDefault(via: $0.gateway, on: app.index, table: table)
                })
    }

    /// Removes them. Some vanish together with others, which the kernel reports as errors.
    func removalMessages(metric: UInt32) -> [NetlinkMessage] {
        families.flatMap { family in
            [NetworkOverride.removalOfPreference(for: app.index, gateway: family.gateway)]
                + (isOnly
                    ? []
                    : [Route.deleteDefault(via: family.gateway, on: app.index, table: table)])
                + [
                    Route.deleteDefault(via: family.gateway, on: app.index, metric: metric),
                    Address.delete(
                        family.app, prefixLength: family.prefixLength, from: app.index),
                ]
        }
    }

    /// Adds the routes whose metric determines the preference.
    func routeMessages(metric: UInt32) -> [NetlinkMessage] {
        families.map { Route.addDefault(via: $0.gateway, on: app.index, metric: metric) }
    }

    /// Removes these routes.
    func routeRemovalMessages(metric: UInt32) -> [NetlinkMessage] {
        families.map { Route.deleteDefault(via: $0.gateway, on: app.index, metric: metric) }
    }
}
