import LinuxKernel
import Netlink
import Override

/// What the app's end of a wire has in the app's namespace, as netlink messages.
///
/// A socket that is bound to an interface, or to its address, stays there: of the default routes
/// the kernel takes that of the interface, and for the address there is a rule with a routing table
/// of its own, whose last route refuses what would otherwise leave by another interface. The only
/// interface of a sandbox needs none of that.
extension Wire {
    private var isOnly: Bool { number == 0 }

    /// What the app has as long as it runs, whether its interface is there or not.
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

    /// Switches the interface on. It gets no addresses but those given: looking for duplicates of
    /// others would take a second.
    var bringUpMessages: [NetlinkMessage] {
        [Link.disableAutoconfiguration(index: app.index), Link.bringUp(index: app.index)]
    }

    /// Gives the interface its addresses and routes.
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

    /// Takes them away. Some go by themselves with others, which the kernel says.
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

    /// Adds the routes by which it is preferred to others or not.
    func routeMessages(metric: UInt32) -> [NetlinkMessage] {
        families.map { Route.addDefault(via: $0.gateway, on: app.index, metric: metric) }
    }

    /// Takes them away.
    func routeRemovalMessages(metric: UInt32) -> [NetlinkMessage] {
        families.map { Route.deleteDefault(via: $0.gateway, on: app.index, metric: metric) }
    }
}
