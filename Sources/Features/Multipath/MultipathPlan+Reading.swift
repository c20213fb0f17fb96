import LinuxKernel
import Netlink

extension MultipathPlan {
    /// The interfaces with a default route in the network namespace of `session`, in the kernel's
    /// order of preference: by the metrics of these routes.
    static func interfaces(_ session: NetlinkSession) throws(NetlinkError) -> [Interface] {
        interfaces(
            try session.links(), try session.interfaceAddresses(), try session.routes())
    }

    static func interfaces(
        _ links: [Link], _ addresses: [InterfaceAddress], _ routes: [Route]
    ) -> [Interface] {
        let defaults = routes.filter(\.isDefault).sorted { $0.metric < $1.metric }
        let leading = links.filter { $0.isRunning && !$0.isLoopback }
        // IPv4 decides, since metrics of the two families are not comparable.
        let ordered = defaults.filter { !$0.isIPv6 } + defaults.filter(\.isIPv6)
        var seen: Set<Int32> = []
        return ordered.compactMap { route in
            guard let link = leading.first(where: { $0.index == route.interface }),
                seen.insert(link.index).inserted
            else { return nil }
            let own = addresses.filter { address in
                address.interface == link.index && address.isUsable && !address.isLinkLocal
                    && defaults.contains {
                        $0.interface == link.index && $0.isIPv6 == address.address.isIPv6
                    }
            }
            let gateways = ordered.filter { $0.interface == link.index }
                .compactMap { $0.hops.first?.gateway }
            return Interface(
                index: link.index, name: link.name, addresses: own.map(\.address),
                gateways: gateways)
        }
    }
}
